//! Half-typed: the kernels before it are kept.

netcl::kernel! {
    fn relu(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| max(x[n], 0.0)
    }
    fn scaled(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n] *
    }
}

fn main() {}
