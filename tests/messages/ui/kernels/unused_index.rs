//! KERNEL_UNUSED_INDEX

netcl::kernel! {
    fn rows(x: &Tensor<f32, N>, y: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| x[n] + y[n, 0]
    }
}

fn main() {}
