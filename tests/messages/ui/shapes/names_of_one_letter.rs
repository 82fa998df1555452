//! Sizes that are meant to be constants, or another parameter.
use netcl::prelude::*;

#[netcl::constant]
const W: usize = 4;

#[netcl::model]
pub struct Net<const I: usize, const O: usize> {
    #[layer(inputs = I, outputs = O)]
    a: Linear,
}

#[netcl::model]
impl<const I: usize, const O: usize> Net<O, I> {
    pub fn forward(&self, x: &Tensor<f32, N, I>) -> Tensor<f32, N, O> {
        self.a.forward(x)
    }
}

#[netcl::model]
pub struct Plain {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Plain {
    pub fn forward(&self, x: &Tensor<f32, N, { W * 2 }>) -> Tensor<f32, N, 8> {
        self.a.forward(x)
    }
}

fn main() {}
