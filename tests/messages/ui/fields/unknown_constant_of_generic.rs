//! A constant that rustc does not find, in a block with numbers: one error, and the block is there still.
use netcl::prelude::*;

#[netcl::model]
pub struct Block<const C: usize> {
    #[layer(inputs = C, outputs = C, kernel = KERNEL)]
    line: Conv2d,
}

#[netcl::model]
impl<const C: usize> Block<C> {
    pub fn forward(&self, x: &Tensor<f32, N, C, H, W>) -> Tensor<f32, N, C, H, W> {
        self.line.forward(x)
    }
}

fn main() {}
