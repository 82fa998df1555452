//! KERNEL_REDUCTION

netcl::kernel! {
    fn total(x: &Tensor<f32, N>) -> Tensor<f32> {
        sum(x)
    }
}

fn main() {}
