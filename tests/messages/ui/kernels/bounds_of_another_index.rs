//! KERNEL_BOUNDS

netcl::kernel! {
    fn scaled(x: &Tensor<f32, N, C>, w: &Tensor<f32, C>) -> Tensor<f32, N, C> {
        |n, c| x[n, c] * w[n]
    }
}

netcl::kernel! {
    fn summed(x: &Tensor<f32, N, C>, w: &Tensor<f32, C>) -> Tensor<f32, N> {
        |n| sum(0..C, |c| x[n, c] * w[n])
    }
}

fn main() {}
