//! SUFFIX: a suffix of an operation's number is a type

use netcl::prelude::*;

netcl::kernel! {
    pub fn largest(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n].max(0i32)
    }

    pub fn called(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| max(x[n], 0i32)
    }

    pub fn bounded(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n].clamp(0.0, 1u32)
    }
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    l: Linear,
}

#[netcl::model]
impl Net {
    pub fn largest(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.l.forward(x).maximum(0i32)
    }

    pub fn power(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.l.forward(x).pow(2i32)
    }

    pub fn leaky(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.l.forward(x).leaky_relu(1u32)
    }
}

fn main() {}
