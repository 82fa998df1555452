//! KERNEL_RANGE

netcl::kernel! {
    fn total(x: &Tensor<f32, N>) -> Tensor<f32> {
        sum(N, |n| x[n])
    }
    fn rest(x: &Tensor<f32, N>) -> Tensor<f32> {
        sum(0.., |n| x[n])
    }
}

fn main() {}
