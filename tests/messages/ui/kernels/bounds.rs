//! KERNEL_BOUNDS, KERNEL_EXCHANGED, KERNEL_OUTSIDE

netcl::kernel! {
    fn difference(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| x[n, c + 1] - x[n, c]
    }
    fn exchanged(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| x[c, n] * 2.0
    }
    fn before(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| x[n, 0] * x[n, -1]
    }
    fn behind(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| x[n, 0] * x[n, C]
    }
}

fn main() {}
