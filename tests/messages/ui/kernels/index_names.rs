//! Two indices of one name, and indices that add what is known only at run time.

netcl::kernel! {
    fn diagonal(x: &Tensor<f32, N, N>) -> Tensor<f32, N, N> {
        |n, n| x[n, n]
    }

    fn shift(x: &Tensor<f32, N>, by: i32) -> Tensor<f32, N> {
        |n| x[n + by]
    }

    fn turned(x: &Tensor<f32, N>, by: i32) -> Tensor<f32, N> {
        |n| x[by - 1] + sum(0..N, |n| x[n])
    }
}

fn main() {}
