//! A function that calls itself.

#[netcl::function]
fn twice(x: f32) -> f32 {
    twice(x)
}

netcl::kernel! {
    fn scaled(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| twice(x[n])
    }
}

fn main() {}
