//! `%` in positions of loops over symbols: below 0, beyond the axis, and of what is no size.
use netcl::prelude::*;

#[netcl::model]
pub struct Ring {
    #[layer(inputs = 8, outputs = 8)]
    line: Linear,
}

#[netcl::model]
impl Ring {
    pub fn negative(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, 8> {
        let mut h = Tensor::zeros([8]);
        for t in 0..T {
            h = h + x.get(0, (t + T - 2) % T);
        }
        h
    }

    pub fn other(&self, x: &Tensor<f32, T, 8>, y: &Tensor<f32, S, 8>) -> Tensor<f32, 8> {
        let mut h = x.sum([0]);
        for t in 0..T {
            h = h + y.get(0, (t + 1) % T);
        }
        h
    }

    pub fn computed(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, 8> {
        let mut h = Tensor::zeros([8]);
        for t in 0..T {
            h = h + x.get(0, x.sum_all());
        }
        h
    }
}

fn main() {}
