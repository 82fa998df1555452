//! KERNEL_BOUNDS

netcl::kernel! {
    fn difference(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| x[n, c + 1] - x[n, c]
    }
}

fn main() {}
