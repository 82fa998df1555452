//! A type mismatch.

netcl::kernel! {
    fn scaled(x: &Tensor<f32, N>, y: &Tensor<i32, N>) -> Tensor<f32, N> {
        |n| x[n] * y[n]
    }
}

fn main() {}
