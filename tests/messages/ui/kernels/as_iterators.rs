//! FOLD_EXCHANGED, KERNEL_MAPPED: closures and ranges as Rust's iterators have them, or the other way round

netcl::kernel! {
    pub fn exchanged(x: &Tensor<f32, N, T>) -> Tensor<f32, N> {
        |n| fold(0..T, 0.0, |t, h| h + x[n, t])
    }

    pub fn mapped(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| (0..C).map(|c| x[n, c]).sum()
    }

    pub fn power(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n] ^ 2
    }
}

fn main() {}
