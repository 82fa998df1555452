//! Channels averaged in place of pixels, a window that its dilation makes larger, and rows up to a size.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 3, outputs = 16, kernel = 3)]
    c: Conv2d,
    #[layer(inputs = 16, outputs = 4)]
    o: Linear,
    #[layer(inputs = 3, outputs = 4, kernel = 5, dilation = 2)]
    wide: Conv2d,
    #[layer(entries = 64, features = 8)]
    positions: Embedding,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 3, 8, 8>) -> Tensor<f32, N, 4> {
        self.o.forward(self.c.forward(x).mean([1, 2]))
    }
    pub fn dilated(&self, x: &Tensor<f32, N, 3, 8, 8>) -> Tensor<f32, N, 4, 1, 1> {
        self.wide.forward(x)
    }
    pub fn placed(&self, x: &Tensor<f32, N, T, 8>) -> Tensor<f32, N, T, 8> {
        x + self.positions.weight.narrow(0, 0, T)
    }
}

fn main() {}
