//! An unknown name.

netcl::kernel! {
    fn scaled(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n] * scale
    }
}

fn main() {}
