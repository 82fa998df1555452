//! INDEX_OUTSIDE

netcl::kernel! {
    fn outside(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let w = [0.25, 0.5];
            w[2] * x[n]
        }
    }

    fn not_known(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let w = [0.25, 0.5];
            w[n] * x[n]
        }
    }
}

fn main() {}
