//! KERNEL_INDEX_ELEMENTS, KERNEL_HIDDEN, KERNEL_SIZES, and reductions as mathematics writes them.

netcl::kernel! {
    fn pick(x: &Tensor<f32, N>, rows: &Tensor<f32, M>) -> Tensor<f32, M> {
        |m| x[rows[m]]
    }

    fn hidden(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |x| x[x]
    }

    fn mean(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n] / x.len() as f32
    }

    fn padded(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| pad(x[n - 1], 1.0)
    }

    fn sums(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| sum(c in 0..C, x[n, c])
    }
}

fn main() {}
