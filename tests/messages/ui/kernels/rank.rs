//! KERNEL_RANK

netcl::kernel! {
    fn relu(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| max(x[n], 0.0)
    }
}

fn main() {}
