//! Layers and tensors that no block reads, where the user has asked for errors.
#![deny(dead_code)]

use netcl::prelude::*;

#[netcl::model]
struct Net {
    #[layer(inputs = 8, outputs = 8)]
    hidden: Linear,
    #[layer(inputs = 8, outputs = 8)]
    forgotten: Linear,
    #[parameter(init = 0.0)]
    offset: Tensor<f32, 8>,
    #[parameter(init = 0.0)]
    _kept: Tensor<f32, 8>,
    #[allow(dead_code)]
    #[layer(inputs = 8, outputs = 8)]
    allowed: Linear,
    // A further block reads it.
    #[layer(inputs = 8, outputs = 8)]
    head: Linear,
}

#[netcl::model]
impl Net {
    fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.hidden.forward(x)
    }
}

#[netcl::model(block = further)]
impl Net {
    fn logits(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.head.forward(&self.forward(x))
    }
}

#[netcl::model]
struct Part {
    // Another model reads it.
    #[parameter(init = 0.0)]
    bias: Tensor<f32, 8>,
    #[parameter(init = 0.0)]
    never: Tensor<f32, 8>,
}

#[netcl::model]
impl Part {
    fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x.relu()
    }
}

#[netcl::model]
struct Whole {
    part: Part,
}

#[netcl::model]
impl Whole {
    fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.part.forward(x) + self.part.bias
    }
}

fn main() {}
