//! A first block in another module than its struct, which gets no name here.

mod parts {
    #[netcl::model]
    pub struct Mlp {
        #[layer(inputs = 8, outputs = 8)]
        hidden: Linear,
    }
}

use parts::Mlp;

#[netcl::model]
impl Mlp {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.hidden.forward(x)
    }
}

fn main() {}
