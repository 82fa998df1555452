//! What is wrong in a kernel is said there alone, whoever calls it.
use netcl::prelude::*;

netcl::kernel! {
    pub fn next(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n + 1]
    }

    pub fn halves(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| half(x[n])
    }
}

#[netcl::function]
fn half(x: f32) -> f32 {
    x.nonsense() * 0.5
}

#[netcl::model]
pub struct Net {
    #[parameter(init = 1.0)]
    one: Tensor<f32>,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        halves(next(x * &self.one))
    }
}

fn main() {}
