//! KERNEL_NOT_AFFINE

netcl::kernel! {
    fn squares(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n * n]
    }
}

fn main() {}
