//! A wrong literal across two layers.

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 64)]
    hidden: Linear,
    #[layer(inputs = 32, outputs = 2)]
    output: Linear,
}

#[netcl::model]
impl Mlp {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 2> {
        let h = self.hidden.forward(x).relu();
        self.output.forward(&h)
    }
}

fn main() {}
