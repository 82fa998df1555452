//! A bare name in a type is a dimension of its own.

#[netcl::constant]
const WIDTH: usize = 8;

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = { WIDTH }, outputs = 4)]
    hidden: Linear,
}

#[netcl::model]
impl Mlp {
    pub fn right(&self, x: &Tensor<f32, N, { WIDTH }>) -> Tensor<f32, N, 4> {
        self.hidden.forward(x)
    }
    pub fn wrong(&self, x: &Tensor<f32, N, K>) -> Tensor<f32, N, 4> {
        self.hidden.forward(x)
    }
}

fn main() {}
