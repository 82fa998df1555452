//! MODEL_TWICE
//! The attribute twice above one item.
use netcl::prelude::*;

#[netcl::model]
#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    line: Linear,
}

#[netcl::model]
#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.line.forward(x)
    }
}

fn main() {}
