//! A suffix is the literal's type, as in Rust.

netcl::kernel! {
    fn wide(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n] * 1.5f64
    }

    fn narrow(x: &Tensor<f64, N>) -> Tensor<f64, N> {
        |n| {
            let half: f32 = 0.5;
            x[n] * half + 1f64
        }
    }

    fn argument(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n].clamp(0.0, 1.0f64)
    }

    fn whole(x: &Tensor<f32, N>, y: &Tensor<i32, N>) -> Tensor<f32, N> {
        |n| x[n] * 2u32 + (y[n] + 1i32) as f32
    }

    fn unknown(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n] * 2.0f128
    }
}

fn main() {}
