//! KERNEL_INDEX_PATTERN

netcl::kernel! {
    fn relu(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |(n, c)| max(x[0], 0.0)
    }
}

fn main() {}
