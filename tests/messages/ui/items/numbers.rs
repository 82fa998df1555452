//! CONSTANT_FORM, MODE, SIMT_TYPE_NAME, ARGUMENT_BY_VALUE, BAD_DIMENSION, KERNEL_BY_ZERO: numbers without a value, and forms of attributes

use netcl::prelude::*;

#[netcl::constant]
const LARGE: usize = 1 << 70;

#[netcl::constant]
const NONE: usize = 4 / 0;

#[netcl::constant]
const TIMES: i64 = 9223372036854775807 * 2;

#[netcl::constant]
pub const SHIFTED: usize = 1 << 63;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    a: Linear,
}

#[netcl::model]
impl Net {
    #[mode = training]
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.a.forward(x)
    }

    #[types(f32 = [f32, u32])]
    pub fn shadowed(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.a.forward(x.cast(f32))
    }

    pub fn taken(&self, (x, y): (Tensor<f32, N, 4>, &Tensor<u32, N>)) -> Tensor<f32> {
        self.a.forward(x).cross_entropy(y)
    }

    pub fn quotient(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, { N / 0 }, 4> {
        x
    }

    pub fn reshaped(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        x.reshape([N / 0, 4])
    }
}

fn main() {}
