//! DYNAMIC_OUTSIDE: `#[netcl::dynamic]` beside models is above functions of tensors that have their sizes.

use netcl::prelude::*;

#[netcl::dynamic]
fn forward() {}

#[netcl::dynamic]
fn unsized_tensors(x: &Tensor) -> Tensor {
    x.relu()
}

#[netcl::function]
#[netcl::dynamic]
fn of_scalars(x: f32) -> f32 {
    x + 1.0
}

#[netcl::dynamic]
fn said(x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
    println!("{x:?}");
    x.relu()
}

fn main() {
    let _ = (unsized_tensors, of_scalars(1.0), forward());
}
