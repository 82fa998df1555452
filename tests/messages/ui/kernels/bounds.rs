//! KERNEL_BOUNDS, KERNEL_EXCHANGED, KERNEL_OUTSIDE

netcl::kernel! {
    fn difference(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| x[n, c + 1] - x[n, c]
    }
    fn exchanged(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| x[c, n] * 2.0
    }
    fn backwards(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[N - n]
    }
    fn first(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n % 4]
    }
    fn every_second(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[2 * n]
    }
    fn twice_as_many(x: &Tensor<f32, N>) -> Tensor<f32, { N * 2 }> {
        |n| x[n]
    }
    fn windows(x: &Tensor<f32, N>, w: &Tensor<f32, K>) -> Tensor<f32, N> {
        |n| sum(0..K, |k| x[n + k] * w[k])
    }
    fn summed(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| sum(0..C, |c| x[n, c + 1])
    }
    fn before(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| x[n, 0] * x[n, -1]
    }
    fn behind(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| x[n, 0] * x[n, C]
    }
}

fn main() {}
