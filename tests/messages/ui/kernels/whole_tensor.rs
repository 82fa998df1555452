//! KERNEL_TENSOR_VALUE

netcl::kernel! {
    fn relu(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| max(x, 0.0) + x[n]
    }
}

fn main() {}
