//! LET_AXIS: a declared size that is not the value's.

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
}

#[netcl::model]
impl Mlp {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        let h: Tensor<f32, N, 999> = self.hidden.forward(x);
        h
    }
    pub fn unbound(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        let h: Tensor<f32, N, K> = self.hidden.forward(x);
        h
    }
}

fn main() {}
