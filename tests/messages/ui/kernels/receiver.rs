//! KERNEL_RECEIVER

netcl::kernel! {
    fn relu(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| max(x[n], 0.0)
    }
}

fn main() {}
