//! SIMT_TYPE_TWICE: a type is listed once

use netcl::prelude::*;

netcl::kernel! {
    #[types(T = [f32, f32])]
    pub fn doubled(x: &Tensor<T, N>) -> Tensor<T, N> {
        |n| x[n] + x[n]
    }
}

fn main() {}
