//! FIELD_TYPE, UNKNOWN_FIELD_ATTRIBUTE_USE, NEGATIVE_SIZE: types and attributes that no field has

use netcl::prelude::*;
use std::sync::Arc;

#[netcl::model]
pub struct M {
    #[layer(inputs = 4, outputs = 3)]
    a: Linear,
}

#[netcl::model]
impl M {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 3> {
        self.a.forward(x)
    }
}

#[netcl::model]
pub struct Boxed {
    m: Box<M>,
    shared: Arc<M>,
    device: Device,
    #[layer(inputs = 4, outputs = 4)]
    backend: Linear<B>,
    other: Linear<B>,
    #[parameter(inputs = 4, outputs = 4)]
    trained: Linear,
}

#[netcl::model]
impl Boxed {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 3> {
        self.m.forward(x)
    }
}

#[netcl::model]
pub struct Residual<const C: usize, const K: usize> {
    #[layer(inputs = C, outputs = C, kernel = K, padding = 1)]
    conv: Conv2d,
}

#[netcl::model]
impl<const C: usize, const K: usize> Residual<C, K> {
    pub fn forward(&self, x: &Tensor<f32, N, C, 8, 8>) -> Tensor<f32, N, C, 8, 8> {
        self.conv.forward(x) + x
    }
}

#[netcl::model]
pub struct Negative {
    block: Residual<4, -1>,
}

#[netcl::model]
impl Negative {
    pub fn forward(&self, x: &Tensor<f32, N, 4, 8, 8>) -> Tensor<f32, N, 4, 8, 8> {
        self.block.forward(x)
    }
}

fn main() {}
