//! BLOCK_ATTRIBUTE: attributes of a block, which is compiled.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
#[precision(bf16)]
#[mode(training)]
#[netcl::dynamic]
#[frozen]
#[instrumented(level = "debug")]
#[allow(clippy::all)]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.a.forward(x)
    }
}

fn main() {}
