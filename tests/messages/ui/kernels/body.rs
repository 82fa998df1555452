//! KERNEL_BODY

netcl::kernel! {
    fn relu(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        max(x, 0.0)
    }
}

fn main() {}
