//! A transformer block with its gradients, checked by differences along the gradient.

use netcl::prelude::*;
use netcl_examples::{Options, progress};

/// Pre-norm transformer block.
#[netcl::model]
pub struct TransformerBlock {
    #[layer(features = 32)]
    norm1: LayerNorm,
    #[layer(features = 32, heads = 4, causal = true)]
    attention: SelfAttention,
    #[layer(features = 32)]
    norm2: LayerNorm,
    #[layer(inputs = 32, outputs = 128)]
    up: Linear,
    #[layer(inputs = 128, outputs = 32)]
    down: Linear,
}

#[netcl::model]
impl TransformerBlock {
    /// Attention and MLP, each with its residual connection.
    pub fn forward(&self, x: &Tensor<f32, N, T, 32>) -> Tensor<f32, N, T, 32> {
        let x = x + self.attention.forward(&self.norm1.forward(x));
        let h = self.up.forward(&self.norm2.forward(&x)).gelu();
        x + self.down.forward(&h)
    }

    /// Mean square of the distance to `target`.
    pub fn loss(&self, x: &Tensor<f32, N, T, 32>, target: &Tensor<f32, N, T, 32>) -> Tensor<f32> {
        self.forward(x).mse_loss(target)
    }
}

fn main() -> Result<()> {
    let (options, device) =
        Options::open("A transformer block with its gradients, checked by differences along the gradient")?;
    println!("{}", TransformerBlock::report(device.profile().target)?);
    let mut block = TransformerBlock::new(&device, Seed(options.seed))?;
    let (batch, time) = (2, 7);
    let wave = |step: f32| (0..batch * time * 32).map(|i| (i as f32 * step).sin()).collect::<Vec<_>>();
    let x = Tensor::from_slice(&device, &wave(0.37), &[batch, time, 32])?;
    let target = Tensor::from_slice(&device, &wave(0.11), &[batch, time, 32])?;

    let (loss, gradients) = block.loss_with_gradients(&x, &target)?;
    println!("loss {:.6}", loss.item::<f32>()?);

    // Along the gradient the loss rises by the gradient's squared length: check that by differences.
    let mut parameters = Vec::new();
    for (path, value) in block.parameters() {
        let gradient = gradients.tensor(&path)?.to_vec::<f32>()?;
        parameters.push((path, value.to_vec::<f32>()?, gradient, value.shape().to_vec()));
    }
    let length: f64 = parameters.iter().flat_map(|(_, _, gradient, _)| gradient).map(|g| f64::from(*g).powi(2)).sum();
    let mut loss_at = |step: f32| -> Result<f64> {
        for (path, value, gradient, shape) in &parameters {
            let moved: Vec<f32> = value.iter().zip(gradient).map(|(v, g)| v + step * g).collect();
            block.set_tensor(path, &Tensor::from_slice(&device, &moved, shape)?)?;
        }
        Ok(f64::from(block.loss(&x, &target)?.item::<f32>()?))
    };
    let slope = (loss_at(1e-2)? - loss_at(-1e-2)?) / 2e-2;
    loss_at(0.0)?;
    println!("slope along the gradient {length:.5}, by differences {slope:.5}");
    assert!((slope - length).abs() < 1e-2 * length, "the gradient is wrong");

    let mut optimizer = Adam::new(3e-3);
    let steps = options.epochs.saturating_mul(10);
    let bar = progress(steps);
    for step in 0..steps {
        let (loss, gradients) = block.loss_with_gradients(&x, &target)?;
        optimizer.step(&mut block, &gradients)?;
        bar.inc(1);
        if step % 10 == 9 {
            bar.set_message(format!("loss {:.5}", loss.item::<f32>()?));
        }
    }
    bar.finish();
    println!("loss after {steps} steps: {:.6}", block.loss(&x, &target)?.item::<f32>()?);
    Ok(())
}
