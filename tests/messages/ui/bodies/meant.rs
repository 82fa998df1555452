//! What another part of netcl does.

use netcl::prelude::*;

#[netcl::function]
pub fn indexed(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    |n| x[n]
}

#[netcl::function]
pub fn loss(x: &Tensor<f32, N, C>, y: &Tensor<f32, N, C>) -> Tensor<f32> {
    x.mse_loss(y, "mean")
}

#[netcl::function]
pub fn half(x: &Tensor<f32, N>) -> Tensor<f16, N> {
    x.cast("f16")
}

#[netcl::function]
pub fn halves(x: &Tensor<f32, N, C>) -> Tensor<f32, N, 2> {
    let (a, b) = x.chunk(2, 1);
    a + b
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 4>, k: i32) -> Tensor<f32, N, 4> {
        if k == 1 { self.line.forward(x) } else { x }
    }
}

fn main() {}
