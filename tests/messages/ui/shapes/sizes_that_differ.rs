//! axes that should have one size: what to write instead

use netcl::prelude::*;

#[netcl::function]
pub fn product(x: &Tensor<f32, N, 4>, y: &Tensor<f32, 5, M>) -> Tensor<f32, N, M> {
    x.einsum("ij,jk->ik", [y])
}

#[netcl::function]
pub fn stretched(x: &Tensor<f32, N, 4>) -> Tensor<f32, 3, 5> {
    x.broadcast_to([3, 5])
}

#[netcl::function]
pub fn attended(q: &Tensor<f32, N, T, 6>, k: &Tensor<f32, N, S, 5>, v: &Tensor<f32, N, S, 7>) -> Tensor<f32, N, T, 7> {
    q.scaled_dot_product_attention(k, v, false)
}

fn main() {}
