//! Indices that are not there, calls for reads, lists for tensors, `return`, and what belongs on functions.

netcl::kernel! {
    fn unbound(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| x[n, c]
    }

    fn counted(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| sum(0..C, |k| x[n, k]) / c
    }

    fn called(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| x(n, c) + n(c)
    }

    fn listed(x: &[f32]) -> Tensor<f32, N> {
        |n| x[n]
    }

    fn returned(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| return x[n];
    }

    fn hidden(n: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| n[n]
    }

    #[netcl::function]
    fn marked(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n]
    }

    fn matched(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| match n {
            0 => 0.0,
            1..3 => 1.0,
            _ => x[n - 1],
        }
    }
}

fn main() {}
