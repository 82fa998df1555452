//! Parts of a tuple keep their types.

use netcl::prelude::*;

#[netcl::function]
fn assigned(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    let mut pair = (1u8, 2i32);
    pair = (300, 2);
    x + pair.0 as f32
}

#[netcl::function]
fn assigned_others(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    let mut pair = (1u8, 2i32);
    pair = (3i32, 2);
    x + pair.1 as f32
}

fn main() {}
