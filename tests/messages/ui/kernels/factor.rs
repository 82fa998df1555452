//! A factor of an index that overflows.

netcl::kernel! {
    fn far(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n * 9223372036854775807 + n]
    }
}

fn main() {}
