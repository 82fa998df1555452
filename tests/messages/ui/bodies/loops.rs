//! WHILE_CONDITION, and what leaves a loop where there is none

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
    #[layer(inputs = 8, outputs = 8, present = true)]
    more: Option<Linear>,
    #[constant(3)]
    depth: usize,
    #[state(init = 0.0)]
    mean: Tensor<f32, 8>,
}

#[netcl::model]
impl Net {
    pub fn of_tensor(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let mut h = x;
        while h.mean_all() > 0.0 {
            h = self.a.forward(h);
        }
        h
    }

    pub fn without_end(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let mut h = x;
        let i = 0;
        while i < 3 {
            h = self.a.forward(h);
        }
        h
    }

    pub fn nowhere(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        if self.depth > 2 {
            break;
        }
        x.relu()
    }

    pub fn too_many(&self, x: &Tensor<f32, N, 8>, n: usize) -> Tensor<f32, N, 8> {
        let mut h = x;
        let mut i = 0;
        while i < n {
            h = self.a.forward(h);
            i += 1;
        }
        h
    }
}

fn main() {}
