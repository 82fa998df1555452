//! A user's own kernels: written once, run everywhere, differentiated by netcl, and checked here.

use netcl::prelude::*;
use netcl_examples::Options;

netcl::kernel! {
    /// y = max(x + bias, 0), the bias broadcast over rows.
    pub fn bias_relu(x: &Tensor<f32, N, C>, bias: &Tensor<f32, C>) -> Tensor<f32, N, C> {
        |n, c| max(x[n, c] + bias[c], 0.0)
    }

    /// Mean over the last axis.
    pub fn row_mean(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| sum(0..C, |c| x[n, c]) / C
    }
}

fn main() -> Result<()> {
    let (_, device) = Options::open()?;
    println!("{}", bias_relu.report(device.profile().target)?);
    let (rows, columns) = (4usize, 3usize);
    let x: Vec<f32> = (0..rows * columns).map(|i| (i as f32 * 0.7).sin()).collect();
    let bias = [0.3f32, -0.2, 0.1];
    let (xt, bt) =
        (Tensor::from_slice(&device, &x, &[rows, columns])?, Tensor::from_slice(&device, &bias, &[columns])?);

    let (y, pullback) = bias_relu.vjp(&xt, &bt)?;
    println!("y = {:?}", y.to_vec::<f32>()?);
    println!("row means = {:?}", row_mean(&y)?.to_vec::<f32>()?);

    // The gradient of sum(y): netcl's, and by differences.
    let ones = Tensor::full(&device, 1.0f32, &[rows, columns])?;
    let (_, d_bias) = pullback(&ones)?;
    let d_bias = d_bias.to_vec::<f32>()?;
    let sum = |bias: &[f32]| -> Result<f32> {
        let bias = Tensor::from_slice(&device, bias, &[columns])?;
        Ok(bias_relu(&xt, &bias)?.to_vec::<f32>()?.iter().sum())
    };
    for c in 0..columns {
        let (mut above, mut below) = (bias, bias);
        above[c] += 1e-2;
        below[c] -= 1e-2;
        let difference = (sum(&above)? - sum(&below)?) / 2e-2;
        println!("d sum(y) / d bias[{c}]: {:.4}, by differences {difference:.4}", d_bias[c]);
        assert!((d_bias[c] - difference).abs() < 1e-2, "the gradient is wrong");
    }
    Ok(())
}
