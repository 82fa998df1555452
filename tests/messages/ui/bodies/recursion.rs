//! RECURSION

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
    #[layer(inputs = 4, outputs = 2)]
    output: Linear,
    #[layer(count = 2, inputs = 4, outputs = 4)]
    more: Vec<Linear>,
}

#[netcl::model]
impl Mlp {
    fn even(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.odd(x)
    }
    fn odd(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.even(x)
    }
}

fn main() {}
