//! STARTS_NOTHING: how weights and biases start that a layer has not.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4, bias = false, bias_init = 5.0)]
    a: Linear,
    #[layer(inputs = 4, outputs = 4, bias = false, init = normal(0.1))]
    sound: Linear,
    #[layer(features = 4, affine = false, bias_init = 3.0)]
    n: LayerNorm,
    #[layer(kernel = 2, init = 0.0)]
    p: MaxPool2d,
    #[layer(entries = 9, features = 4, init = normal(0.1), bias_init = 0.0)]
    e: Embedding,
}

fn main() {}
