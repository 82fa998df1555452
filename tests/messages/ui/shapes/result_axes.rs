//! RESULT_AXES
use netcl::prelude::*;

#[netcl::model]
pub struct Encoder {
    #[layer(inputs = 8, outputs = 4)]
    m: Linear,
}

#[netcl::model]
impl Encoder {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        self.m.forward(x)
    }
}

#[netcl::model]
pub struct Net {
    e: Encoder,
    #[layer(inputs = 3, outputs = 8)]
    d: Linear,
    #[layer(inputs = 3, outputs = 16, kernel = 3, stride = 2)]
    c: Conv2d,
}

#[netcl::model]
impl Net {
    pub fn images(&self, x: &Tensor<f32, N, 3, 9, 9>) -> Tensor<f32, N, 16, 5, 5> {
        self.c.forward(x)
    }

    pub fn chain(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.d.forward(&self.e.forward(x))
    }
}

fn main() {}
