//! LET_TYPE, LET_VALUE: types that are no types of values, and values of other types.

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
}

#[netcl::model]
impl Mlp {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        let h: Tensor<i32, N, 4> = self.hidden.forward(x);
        h
    }
    pub fn rank(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        let (h, n): (Tensor<f32, N>, f32) = (self.hidden.forward(x), x.sum([0, 1]));
        h / n
    }
    pub fn unknown(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        let h: Hidden = self.hidden.forward(x);
        h
    }
    pub fn right(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        let h: Tensor<f32, N, 4> = self.hidden.forward(x);
        let rows: usize = N;
        h
    }
}

netcl::kernel! {
    fn element(x: &Tensor<f32, N>) -> Tensor<u32, N> {
        |n| {
            let y: u32 = x[n];
            y
        }
    }
}

fn main() {}
