//! FUNCTION_LIFETIME, FUNCTION_PARAMETER
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Net {
    pub fn forward<'a>(&'a self, x: &'a Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.a.forward(x)
    }
}

#[netcl::function]
fn square<T: std::ops::Mul<Output = T> + Copy>(x: T) -> T {
    x * x
}

netcl::kernel! {
    pub fn copy<T: Copy>(x: &Tensor<T, N>) -> Tensor<T, N> {
        |n| x[n]
    }
}

fn main() {}
