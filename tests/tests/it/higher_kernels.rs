//! Kernels within derivatives inside of what is computed.

use crate::common::{device, devices, everywhere};
use netcl::prelude::*;
use noise::lattice;

/// In kernels `grad` is whatever function has that name.
mod noise {
    #[netcl::function]
    fn grad(hash: f32, x: f32) -> f32 {
        if hash > 0.5 { x } else { -x }
    }

    netcl::kernel! {
        pub fn lattice(hash: &Tensor<f32, N>, x: &Tensor<f32, N>) -> Tensor<f32, N> {
            |n| {
                let x = x[n] * 3.0;
                grad(hash[n], x) * x
            }
        }
    }
}

/// Of a model's function it is netcl's, where no other has that name.
#[netcl::function]
fn slope(hash: &Tensor<f32, N>, x: &Tensor<f32, N>) -> Tensor<f32, N> {
    grad(&lattice(hash, 1.0 * x).sum_all(), x)
}

#[test]
fn kernels_have_functions_of_that_name() -> Result<()> {
    everywhere(|| {
        let [hash, x] = [[0.25f32, 0.75], [2.0, 3.0]].map(|values| Tensor::from_slice(&device(), &values, &[2]));
        let (hash, x) = (hash?, x?);
        assert_eq!(lattice(&hash, &x)?.to_vec::<f32>()?, [-36.0, 81.0]);
        assert_eq!(slope(&hash, &x)?.to_vec::<f32>()?, [-36.0, 54.0]);
        Ok(())
    })
}

netcl::kernel! {
    fn cube(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * x[n] * x[n] }
}

/// What messages say to write for a pullback's derivative.
#[netcl::function]
fn cube_slope(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    grad(&cube(x).sum_all(), x)
}

#[test]
fn a_kernel_has_a_second_derivative_by_a_function_with_its_first() -> Result<()> {
    for device in devices() {
        let x = Tensor::from_slice(&device, &[1.0f32, -2.0], &[2])?;
        let (first, pullback) = cube_slope.vjp(&x)?;
        assert_eq!(first.to_vec::<f32>()?, [3.0, 12.0]);
        let second = pullback(&Tensor::from_slice(&device, &[1.0f32, 0.5], &[2])?)?;
        assert_eq!(second.to_vec::<f32>()?, [6.0, -6.0], "{device}");
    }
    Ok(())
}
