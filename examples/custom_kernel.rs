//! A user's own kernels: written once, run everywhere, differentiated by netcl, checked and trained with here.

use netcl::prelude::*;
use netcl_examples::{Options, progress};

netcl::kernel! {
    /// y = max(x + bias, 0), the bias broadcast over rows.
    pub fn bias_relu(x: &Tensor<f32, N, C>, bias: &Tensor<f32, C>) -> Tensor<f32, N, C> {
        |n, c| max(x[n, c] + bias[c], 0.0)
    }

    /// Mean squared distance of two arrays.
    pub fn distance(y: &Tensor<f32, N, C>, target: &Tensor<f32, N, C>) -> Tensor<f32> {
        || sum(0..N, |n| sum(0..C, |c| (y[n, c] - target[n, c]) * (y[n, c] - target[n, c]))) / (N * C)
    }
}

const ROWS: usize = 64;
const COLUMNS: usize = 3;

/// The loss for a bias, and its gradient by both kernels' pullbacks.
fn loss_and_gradient(x: &Tensor, target: &Tensor, bias: &[f32]) -> Result<(f32, Vec<f32>)> {
    let bias = Tensor::from_slice(x.device(), bias, &[COLUMNS])?;
    let (y, through_relu) = bias_relu.vjp(x, &bias)?;
    let (loss, through_distance) = distance.vjp(&y, target)?;
    let (d_y, _) = through_distance(&Tensor::full(x.device(), 1.0f32, &[])?)?;
    let (_, d_bias) = through_relu(&d_y)?;
    Ok((loss.item::<f32>()?, d_bias.to_vec::<f32>()?))
}

fn main() -> Result<()> {
    let (options, device) = Options::open(
        "A user's own kernels: written once, run everywhere, differentiated by netcl, checked and trained with here",
    )?;
    println!("{}{}", bias_relu.report(device.profile().target)?, distance.report(device.profile().target)?);

    let x: Vec<f32> = (0..ROWS * COLUMNS).map(|i| (i as f32 * 0.7 + options.seed as f32).sin()).collect();
    let x = Tensor::from_slice(&device, &x, &[ROWS, COLUMNS])?;
    let sought = [0.3f32, -0.2, 0.1];
    let target = bias_relu(&x, &Tensor::from_slice(&device, &sought, &[COLUMNS])?)?;

    // netcl's gradients on this device against differences on the host, away from the kink: an error where they do not agree.
    let mut bias = [0.0f32; COLUMNS];
    let some = Tensor::from_slice(&device, &[0.9f32, -0.8, 0.7, -0.6, 0.5, -0.4], &[2, COLUMNS])?;
    println!("bias_relu: {}", bias_relu.check(&some, &Tensor::from_slice(&device, &bias, &[COLUMNS])?)?);
    println!("distance: {}", distance.check(&x, &target)?);

    let steps = options.epochs.saturating_mul(10);
    let bar = progress(steps);
    for _ in 0..steps {
        let (loss, gradient) = loss_and_gradient(&x, &target, &bias)?;
        for (bias, gradient) in bias.iter_mut().zip(&gradient) {
            *bias -= gradient;
        }
        bar.inc(1);
        bar.set_message(format!("loss {loss:.6}"));
    }
    bar.finish();
    println!("bias after {steps} steps: {bias:.3?}; it was {sought:?}");
    Ok(())
}
