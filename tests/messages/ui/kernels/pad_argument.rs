//! PAD_ARGUMENT

netcl::kernel! {
    fn shifted(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| pad(x[n] - 1.0)
    }

    fn smoothed(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| pad(x[n - 1] + x[n] + x[n + 1]) / 3.0
    }
}

fn main() {}
