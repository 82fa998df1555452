//! Literals that are no numbers of the type that they meet, at the literal.

netcl::kernel! {
    fn product(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n] * 1e50 + 1.5e40f32
    }

    fn clamped(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| max(x[n].powf(2.0).clamp(-1e39, 2.0), -2e39)
    }

    fn whole(x: &Tensor<i32, N>) -> Tensor<i32, N> {
        |n| x[n] + 3_000_000_000 - 3_000_000_000i32 + -2147483648i32
    }

    fn nowhere(x: &Tensor<f64, N>) -> Tensor<f64, N> {
        |n| x[n] * 1e50 * 1e999
    }

    #[launch(global = [N])]
    fn stored(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        y[i] = x[i] * 1e50 + 2e40f32;
    }
}

fn main() {}
