//! Functions that there are not, called by names of Rust's macros, and mistakes in those that there are.
use netcl::prelude::*;

netcl::kernel! {
    pub fn line(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| x[n, c, 1]
    }
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    inner: Linear,
}

#[netcl::model]
impl Net {
    pub fn unknown(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.inner.forward(print(x))
    }

    pub fn shown(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        print(x);
        self.inner.forward(x)
    }

    pub fn wrong(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.inner.forward(line(x))
    }
}

fn main() {}
