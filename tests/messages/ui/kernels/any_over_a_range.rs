//! UNSUPPORTED, KERNEL_UNUSED_ARGUMENT: Truths over a range, and an argument that only says a size.

use netcl::prelude::*;

netcl::kernel! {
    fn any_above(x: &Tensor<f32, N, C>) -> Tensor<bool, N> {
        |n| any(0..C, |k| x[n, k] > 3.5)
    }

    fn all_above(x: &Tensor<f32, N, C>) -> Tensor<bool, N> {
        |n| all(0..C, |k| x[n, k] > 3.5)
    }

    fn sized(v: &Tensor<f32, N>, w: &Tensor<f32, C>) -> Tensor<f32, C, N> {
        |_c, n| v[n]
    }
}

fn main() {}
