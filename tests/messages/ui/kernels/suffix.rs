//! A suffix is the literal's type, as in Rust, and the declared one a constant's.

#[netcl::constant]
const WIDE: f64 = 1.5;

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

    fn constants(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n] * WIDE + std::f64::consts::PI
    }

    #[launch(global = [N])]
    fn simt_form(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[0] = x[0] * WIDE;
        y[1] = (WIDE * 2.0) as f32 - 1.0f64;
    }

    fn unknown(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n] * 2.0f128
    }
}

fn main() {}
