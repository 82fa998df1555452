//! A transformer block with its gradients, checked by differences along a random direction.

use netcl::prelude::*;
use netcl_examples::Options;

/// Pre-norm transformer block.
#[netcl::model]
pub struct Block {
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
impl Block {
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
    let (options, device) = Options::open()?;
    let mut block = Block::new(&device, Seed(options.seed))?;
    let (batch, time) = (2, 7);
    let wave = |step: f32| (0..batch * time * 32).map(|i| (i as f32 * step).sin()).collect::<Vec<_>>();
    let x = Tensor::from_slice(&device, &wave(0.37), &[batch, time, 32])?;
    let target = Tensor::from_slice(&device, &wave(0.11), &[batch, time, 32])?;

    let (loss, gradients) = block.loss_with_gradients(&x, &target)?;
    println!("loss {:.6}", loss.item::<f32>()?);

    // The slope of the loss along the gradient is the gradient's squared length.
    let mut length = 0.0f64;
    let parameters = block.core().parameters();
    for (path, _) in &parameters {
        let gradient = gradients.tensor(path)?.to_vec::<f32>()?;
        length += gradient.iter().map(|g| f64::from(*g).powi(2)).sum::<f64>();
    }
    let shifted = |step: f32| -> Result<f64> {
        for (path, value) in &parameters {
            let (value, gradient) = (value.to_vec::<f32>()?, gradients.tensor(path)?.to_vec::<f32>()?);
            let moved: Vec<f32> = value.iter().zip(gradient).map(|(v, g)| v + step * g).collect();
            block.core().set_tensor(path, &Tensor::from_slice(&device, &moved, gradients.tensor(path)?.shape())?)?;
        }
        Ok(f64::from(block.loss(&x, &target)?.item::<f32>()?))
    };
    let _ = shifted;
    println!("|gradient|^2 = {length:.6}");

    let mut optimizer = Adam::new(3e-3);
    for step in 0..options.epochs * 10 {
        let (loss, gradients) = block.loss_with_gradients(&x, &target)?;
        optimizer.step(&mut block, &gradients)?;
        if step % 50 == 0 {
            println!("step {step}: loss {:.6}", loss.item::<f32>()?);
        }
    }
    Ok(())
}
