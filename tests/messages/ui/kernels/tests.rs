//! KERNEL_TEST

netcl::kernel! {
    #[inline]
    #[test]
    pub fn own(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n]
    }
}

fn main() {}
