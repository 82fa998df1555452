//! Reads that some rounds that count have outside.

use netcl::prelude::*;

netcl::kernel! {
    fn one_too_far(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| fold(0..n + 2, 0.0, |h, k| h + x[n - k])
    }

    fn beyond(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| fold(0..n, 0.0, |h, k| h + x[n + k])
    }

    fn twice_as_far(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| fold(0..n + 1, 0.0, |h, k| h + x[n - 2 * k])
    }

    fn before_the_start(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| fold(n..N, 0.0, |h, k| h + x[k - n - 1])
    }
}

fn main() {}
