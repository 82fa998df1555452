//! Attributes of kernels in SIMT form, on kernels in index form.

netcl::kernel! {
    #[types(T = [f32, i32])]
    pub fn of_types(x: &Tensor<T, N>) -> Tensor<T, N> {
        |n| x[n] * 0.5 + y[n]
    }

    #[gradient(of_types)]
    pub fn with_gradient(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n]
    }
}

fn main() {}
