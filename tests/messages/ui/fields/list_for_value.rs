//! LIST_FOR_VALUE
//! Lists of constants where one value belongs.
use netcl::prelude::*;

#[netcl::constant]
const SIZES: [usize; 2] = [4, 8];

#[netcl::constant]
const RATES: [f32; 2] = [0.02, 0.5];

#[netcl::constant]
const FLAGS: [bool; 2] = [true, false];

#[netcl::model]
pub struct Keys {
    #[layer(inputs = 4, outputs = { SIZES })]
    size: Linear,
    #[layer(inputs = 4, outputs = 4, bias = FLAGS)]
    flag: Linear,
    #[layer(inputs = 4, outputs = 4, kernel = SIZES)]
    kernel: Conv2d,
    #[layer(features = 4, epsilon = RATES)]
    norm: LayerNorm,
    #[layer(inputs = 4, outputs = 4, init = normal(RATES))]
    init: Linear,
    #[layer(inputs = 4, outputs = 4, count = SIZES)]
    count: Vec<Linear>,
    #[layer(inputs = 4, outputs = 4)]
    length: [Linear; SIZES],
    #[layer(inputs = { SIZES }, outputs = [8, 4])]
    each: [Linear; 2],
    #[parameter(init = uniform(RATES))]
    start: Tensor<f32, 4>,
    #[parameter(init = 0.0)]
    axis: Tensor<f32, { SIZES }>,
    #[constant(RATES)]
    number: f32,
    block: Block<{ SIZES }>,
}

#[netcl::model]
impl Keys {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.flag.forward(x)
    }
}

#[netcl::model]
pub struct Block<const C: usize> {
    #[layer(inputs = C, outputs = C)]
    line: Linear,
}

#[netcl::model]
impl<const C: usize> Block<C> {
    pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        self.line.forward(x)
    }

    pub fn axis(&self, x: &Tensor<f32, N, { SIZES }>) -> Tensor<f32, N> {
        x.sum([1])
    }
}

netcl::kernel! {
    pub fn first(x: &Tensor<f32, N, { SIZES }>) -> Tensor<f32, N> {
        |n| x[n, 0]
    }

    #[launch(global = [N, { SIZES }])]
    pub fn second(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)] * SIZES[0] as f32;
    }
}

fn main() {}
