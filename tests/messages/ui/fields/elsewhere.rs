//! Keys and layers as other frameworks have them.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[parameter(init = glorot_uniform)]
    weight: Tensor<f32, 8, 2>,
    #[layer(inputs = 3, outputs = 4, kernel = 3, padding = same)]
    conv: Conv2d,
    #[layer(inputs = 8, outputs = 2, activation = relu)]
    hidden: Linear,
    relu: ReLU,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 2> {
        x.matmul(&self.weight)
    }
}

fn main() {
    let _ = Net::forward;
}
