//! Functions of scalars that take tensors, or assign an argument.
use netcl::prelude::*;

#[netcl::function]
fn square(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    x * x
}

#[netcl::function]
fn doubled(mut x: f32) -> f32 {
    x *= 2.0;
    x
}

fn main() {
    let _ = (square, doubled);
}
