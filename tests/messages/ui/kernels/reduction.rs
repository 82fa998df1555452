//! KERNEL_REDUCTION, KERNEL_CLOSURE_INDICES

netcl::kernel! {
    fn total(x: &Tensor<f32, N>) -> Tensor<f32> {
        sum(x)
    }

    fn two_ranges(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| sum((0..C, 0..2), |c| x[n, c])
    }

    fn two_indices(x: &Tensor<f32, N, C>) -> Tensor<f32> {
        sum(0..N, |n, c| x[n, c])
    }
}

fn main() {}
