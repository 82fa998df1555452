//! TYPE_HAS_NO_FUNCTION: functions of types that there are not
use netcl::prelude::*;
use std::time::Instant;

pub struct Hard;

#[netcl::function]
impl Hard {
    pub fn gate(x: f32) -> f32 {
        Self::with_slope(x, 2.0)
    }
    pub fn with_slope(x: f32, slope: f32) -> f32 {
        x * slope
    }
}

pub struct Circle;

#[netcl::function]
impl Circle {
    pub fn a(x: f32) -> f32 {
        Self::b(x)
    }
    pub fn b(x: f32) -> f32 {
        Circle::a(x)
    }
}

pub struct Rc;

#[netcl::function]
impl Rc {
    pub fn gate(x: f32) -> f32 {
        x
    }
}

pub struct Plain;

impl Plain {
    pub fn gate(x: f32) -> f32 {
        x
    }
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    inner: Linear,
}

#[netcl::model]
impl Net {
    pub fn right(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        Hard::with_slope(&x, 3.0) + Hard::gate(self.inner.forward(x))
    }

    pub fn near(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.inner.forward(Hard::gates(&x))
    }

    pub fn own(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        Net::rigth(self, x)
    }
}

#[netcl::model]
pub struct Beside {
    #[layer(inputs = 8, outputs = 8)]
    inner: Linear,
}

#[netcl::model]
impl Beside {
    pub fn plain(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.inner.forward(Plain::gate(&x))
    }

    pub fn of_rust(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let start = Instant::now();
        self.inner.forward(x)
    }
}

fn main() {}
