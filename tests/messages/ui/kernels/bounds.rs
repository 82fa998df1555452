//! KERNEL_BOUNDS, KERNEL_EXCHANGED

netcl::kernel! {
    fn difference(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| x[n, c + 1] - x[n, c]
    }
    fn exchanged(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| x[c, n] * 2.0
    }
}

fn main() {}
