//! What makes tensors elsewhere, called by its bare name.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Net {
    pub fn filled(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x + zeros([N, 8])
    }

    pub fn like(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x + ones_like(x)
    }

    pub fn drawn(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x + randn(N, 8)
    }

    pub fn counted(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x + arange(8)
    }

    pub fn joined(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 16> {
        cat(&[x, x], 1)
    }
}

fn main() {}
