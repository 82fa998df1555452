//! KERNEL_GATHER_AXIS

netcl::kernel! {
    fn pick(x: &Tensor<f32, N, C>, index: &Tensor<u32, N>) -> Tensor<f32, N> {
        |n| x[n, index[n]]
    }
}

fn main() {}
