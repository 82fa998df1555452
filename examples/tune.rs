//! Measures the kernels of a model for its batch size, and what that gives: `cargo run --release -p netcl-examples --bin tune`.
//!
//! What is found is kept on disk: a second run measures nothing, unless `--again` is given.

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use netcl::prelude::*;
use netcl::select::{Axis, Product, Progress, Task, TuneOptions};
use std::time::{Duration, Instant};

#[netcl::model]
struct Mlp {
    #[layer(inputs = 784, outputs = 512)]
    hidden: Linear,
    #[layer(inputs = 512, outputs = 10)]
    output: Linear,
}

#[netcl::model]
impl Mlp {
    fn forward(&self, x: &Tensor<f32, N, 784>) -> Tensor<f32, N, 10> {
        self.output.forward(&self.hidden.forward(x).relu())
    }

    fn loss(&self, x: &Tensor<f32, N, 784>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(labels)
    }
}

#[derive(Parser)]
struct Arguments {
    /// Where to run: auto, gpu, cpu, host, opencl:P:D or a part of a device's name
    #[arg(long, default_value = "auto")]
    device: String,
    /// Training steps that are timed
    #[arg(long, default_value_t = 20)]
    epochs: usize,
    /// Seconds for each task
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Images in a batch
    #[arg(long, default_value_t = 128)]
    batch: usize,
    /// Seed of the parameters
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// Measure again what was measured before
    #[arg(long)]
    again: bool,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let device = netcl_examples::device(&arguments.device)?;
    println!("device: {device}");
    let model = Mlp::new(&device, Seed(arguments.seed))?;
    let x = Tensor::full(&device, 0.5f32, &[arguments.batch, 784])?;
    let labels = Tensor::zeros(&device, &[arguments.batch], DType::U32)?;
    let step = || -> Result<f64> {
        model.loss_with_gradients(&x, &labels)?;
        device.finish()?;
        let started = Instant::now();
        for _ in 0..arguments.epochs {
            model.loss_with_gradients(&x, &labels)?;
        }
        device.finish()?;
        Ok(started.elapsed().as_secs_f64() * 1e3 / arguments.epochs.max(1) as f64)
    };
    println!("{:.3} ms for a forward and backward pass before", step()?);
    Ok(())
}
