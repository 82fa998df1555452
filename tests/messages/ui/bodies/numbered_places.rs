//! Places that are numbers of each call: of another type, and lengths that are

#[netcl::model]
pub struct Net {
    #[parameter(init = 1.0)]
    by: Tensor<f32>,
}

#[netcl::model]
impl Net {
    pub fn float(&self, x: &Tensor<f32, N, 8>, k: f32) -> Tensor<f32, N, 2> {
        x.narrow(1, k, 2) * &self.by
    }

    pub fn several(&self, x: &Tensor<f32, N, 8>, k: &Tensor<u32, N>) -> Tensor<f32, N, 8> {
        x.roll(k, 1) * &self.by
    }

    pub fn length(&self, x: &Tensor<f32, N, 8>, k: u32) -> Tensor<f32, N, 2> {
        x.narrow(1, 0, k) * &self.by
    }

    pub fn long(&self, x: &Tensor<f32, N, 8>, k: u32) -> Tensor<f32, N, 9> {
        x.narrow(1, k, 9) * &self.by
    }

    pub fn rounds(&self, x: &Tensor<f32, H, W>) -> Tensor<f32> {
        let s = x.flatten(0);
        let mut sum = Tensor::zeros([]);
        for t in 0..H * W {
            sum = sum + s.get(0, t + 1) * &self.by;
        }
        sum
    }
}

fn main() {}
