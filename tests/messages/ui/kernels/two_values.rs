//! KERNEL_TWO_VALUES, NOT_A_FUNCTION, KERNEL_READ_TWICE

netcl::kernel! {
    fn one(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| max(x[n])
    }

    fn three(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| pow(x[n], 1.0, 2.0)
    }

    fn parentheses(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x(n)
    }

    fn brackets(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| x[n, 0][0]
    }
}

fn main() {}
