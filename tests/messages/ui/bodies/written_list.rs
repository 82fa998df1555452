//! WRITTEN_LIST, LONG_LIST, LIST_OF_TENSORS
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    line: Linear,
}

#[netcl::model]
impl Net {
    pub fn uneven(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.line.forward(x) * Tensor::from([[1.0, 2.0], [3.0]])
    }

    pub fn short(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x * [1.0, 2.0, 3.0]
    }

    pub fn long(&self, x: &Tensor<f32, N, 300>) -> Tensor<f32, N, 300> {
        x + [0.5; 300]
    }

    pub fn tensors(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, 2, N, 8> {
        Tensor::from([x, x])
    }
}

fn main() {}
