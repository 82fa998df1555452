//! Python's words for values, and PyTorch's for what holds others.
use netcl::prelude::*;

#[netcl::model]
pub struct Keys {
    #[layer(inputs = 4, outputs = 8, bias = False)]
    line: Linear,
    #[constant(True)]
    deep: bool,
}

#[netcl::model]
impl Keys {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 8> {
        self.line.forward(x)
    }
}

#[netcl::model]
pub struct Holders {
    all: Sequential,
    list: ModuleList,
    pool: AdaptiveAvgPool2d,
    #[layer(output_size = 1)]
    configured: AdaptiveAvgPool2d,
}

#[netcl::model]
impl Holders {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.all.forward(x)
    }
}

fn main() {}
