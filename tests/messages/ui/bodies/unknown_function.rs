//! UNKNOWN_FUNCTION

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
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        Self::scale(self.hidden.forward(x))
    }

    fn scaled(x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        x * 2.0
    }
}

fn main() {}
