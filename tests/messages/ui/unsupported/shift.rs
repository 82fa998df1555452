//! Bits of floats: there are none to shift.

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
    pub fn forward(&self, x: &Tensor<f32, N, 8>, deep: bool) -> Tensor<f32, N, 4> {
        self.hidden.forward(x) << 2
    }
}

fn main() {}
