//! A size that only stands in an expression.

netcl::kernel! {
    fn halves(x: &Tensor<f32, { N * 2 }>) -> Tensor<f32, N> {
        |n| x[2 * n]
    }
}

fn main() {}
