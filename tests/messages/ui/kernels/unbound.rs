//! An unused dimension: nothing binds it.

netcl::kernel! {
    fn repeated(x: &Tensor<f32, N>) -> Tensor<f32, N, K> {
        |n, _k| x[n]
    }
}

fn main() {}
