//! Ranges that are others for each element, values that are dropped, kernels in kernels, indices with types.
use netcl::prelude::*;

netcl::kernel! {
    pub fn running(x: &Tensor<f32, N, C>, ends: &Tensor<u32, N>) -> Tensor<f32, N> {
        |n| sum(0..ends[n], |k| x[n, k])
    }

    pub fn past(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| sum(0..n + 2, |k| x[k])
    }

    pub fn counted(x: &Tensor<f32, N, C>, len: u32) -> Tensor<f32, N> {
        |n| max(0..len, |c| x[n, c])
    }

    pub fn dropped(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| { x[n] * 2.0; }
    }

    pub fn twice(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| 2.0 * x[n]
    }

    pub fn four(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| twice(x)[n]
    }

    pub fn typed(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n: usize| x[n]
    }

    pub fn both(x: &Tensor<f32, N, M>) -> (Tensor<f32, N>, Tensor<f32, M>) {
        |n| (x[n, 0], x[0, n])
    }

    pub fn by_zero(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n / 0]
    }

    pub fn largest(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| max(0..C)
    }
}

fn main() {
    let _ = (&twice, &four);
}
