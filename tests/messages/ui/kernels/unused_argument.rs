//! KERNEL_UNUSED_ARGUMENT

netcl::kernel! {
    fn relu(x: &Tensor<f32, N>, y: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| max(x[n], 0.0)
    }
}

fn main() {}
