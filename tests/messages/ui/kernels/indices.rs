//! KERNEL_INDICES

netcl::kernel! {
    fn relu(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n, c| max(x[n], 0.0)
    }
}

fn main() {}
