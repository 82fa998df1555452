//! A pullback is not differentiated again
use netcl::prelude::*;

netcl::kernel! {
    pub fn cube(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * x[n] * x[n] }
}

fn main() -> Result<()> {
    let x = Tensor::from_slice(&Device::host(), &[1.0f32, 2.0], &[2])?;
    let (y, pullback) = cube.vjp(&x)?;
    let (_slope, _second) = pullback.vjp(&y)?;
    Ok(())
}
