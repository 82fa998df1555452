//! KERNEL_INDEX_TYPE

netcl::kernel! {
    fn relu(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n] + x[0.5]
    }
}

fn main() {}
