//! Classes that are not the last axis, and tensors that a loop makes too large
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 10)]
    h: Linear,
    #[layer(inputs = 4, outputs = 10, kernel = 1)]
    c: Conv2d,
}

#[netcl::model]
impl Net {
    pub fn sequence(&self, x: &Tensor<f32, N, T, 4>, y: &Tensor<u32, N, T>) -> Tensor<f32> {
        self.h.forward(x).transpose(1, 2).cross_entropy(y)
    }

    pub fn image(&self, x: &Tensor<f32, N, 4, H, W>, y: &Tensor<u32, N, H, W>) -> Tensor<f32> {
        self.c.forward(x).cross_entropy(y)
    }

    pub fn rows(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let mut h = x;
        for _ in 0..70 {
            h = h.concat([h], 0);
        }
        h
    }

    pub fn columns(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let mut h = x;
        for _ in 0..70 {
            h = h.concat([h], 1);
        }
        h
    }
}

fn main() {}
