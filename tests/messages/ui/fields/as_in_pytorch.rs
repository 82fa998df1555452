//! FIELD_TYPE, LAYER_IS_OPERATION, LAYER_ELSEWHERE, SHARED_TENSOR: types and keys of fields as other frameworks have them

use netcl::prelude::*;

#[netcl::constant]
const WIDTH: f32 = 8.0;
#[netcl::constant]
const BELOW: i32 = -8;

#[netcl::model]
pub struct Any {
    l: Box<dyn Module>,
    each: Vec<Box<dyn Module>>,
}

#[netcl::model]
pub struct Parameters {
    p: Parameter<f32, 4>,
    #[layer(inputs = 4, outputs = 4)]
    l: nn::Linear,
    sized: Linear<4, 4>,
}

#[netcl::model]
pub struct Operations {
    f: Softmax,
    b: BatchNorm2d,
    #[layer(dim = 1)]
    s: Softmax,
}

#[netcl::model]
pub struct Keys {
    #[layer(inputs = 4, outputs = 4, bias = 0)]
    l: Linear,
    #[layer(inputs = 4, outputs = { WIDTH })]
    float: Linear,
    #[layer(inputs = 4, outputs = { BELOW })]
    negative: Linear,
    #[parameter(1.0)]
    alone: Tensor<f32, 4>,
    #[parameter(init = [1.0, 2.0, 3.0, 4.0])]
    listed: Tensor<f32, 4>,
    #[layer(entries = 10, features = 4)]
    words: Embedding,
    #[layer(inputs = 4, outputs = 10, shared = words.weight)]
    shared: Linear,
}

#[netcl::model]
pub struct Numbers {
    #[parameter(init = 1.0)]
    k: f32,
    #[parameter]
    #[constant(1.0)]
    both: f32,
}

fn main() {}
