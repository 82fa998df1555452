//! TRUTHS: Numbers where `&&` and `||` want truths.

use netcl::prelude::*;

#[netcl::function]
fn both(x: &Tensor<i32, T>, y: &Tensor<i32, T>) -> Tensor<bool, T> {
    x && y
}

#[netcl::function]
fn either(x: &Tensor<f32, T>, y: &Tensor<bool, T>) -> Tensor<bool, T> {
    y || x
}

fn main() {}
