//! KERNEL_RANGE

netcl::kernel! {
    fn total(x: &Tensor<f32, N>) -> Tensor<f32> {
        sum(N, |n| x[n])
    }
    fn rest(x: &Tensor<f32, N>) -> Tensor<f32> {
        sum(0.., |n| x[n])
    }

    fn fractions(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| sum(0.0..2.0, |k| x[n] * k)
    }
    fn before(x: &Tensor<f32, N, T>) -> Tensor<f32, N, T> {
        |n, t| fold(t, 0.0, |h, k| h + x[n, k])
    }
}

fn main() {}
