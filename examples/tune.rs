//! Measures how a model's kernels are computed fastest on a device, and what that gives. The result is kept on disk: a
//! second run finds it there.

use netcl::prelude::*;
use netcl::select::{Progress, TuneOptions};
use netcl_examples::Options;
use std::time::{Duration, Instant};

const BATCH: usize = 128;

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

/// Milliseconds of a forward and backward pass, the median of several.
fn pass(model: &Mlp, x: &Tensor, labels: &Tensor) -> Result<f64> {
    let mut times = Vec::new();
    for _ in 0..21 {
        let started = Instant::now();
        let (loss, _) = model.loss_with_gradients(x, labels)?;
        loss.item::<f32>()?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

fn main() -> Result<()> {
    let (options, device) =
        Options::open("Measures how a model's kernels are computed fastest on a device, and what that gives")?;
    let model = Mlp::new(&device, Seed(options.seed))?;
    let x = Tensor::full(&device, 0.5f32, &[BATCH, 784])?;
    let labels = Tensor::zeros(&device, &[BATCH], DType::U32)?;
    let before = pass(&model, &x, &labels)?;

    let bar = netcl_examples::progress(0);
    let show = |progress: &Progress<'_>| {
        bar.set_length(progress.of as u64);
        bar.set_position(progress.tried as u64);
        bar.set_message(format!("task {} of {}: {}", progress.number + 1, progress.tasks, progress.task));
    };
    // `--epochs` is the patience here: tenths of a second for each task.
    let budget = Duration::from_millis(options.epochs.saturating_mul(100));
    let found = Mlp::tune(
        &device,
        &[("N", BATCH as u64)],
        &TuneOptions { budget, progress: Some(&show), ..TuneOptions::default() },
    )?;
    bar.finish_and_clear();
    for tuning in &found {
        println!("{tuning}\n");
    }

    let after = pass(&model, &x, &labels)?;
    println!("forward and backward of {BATCH} images: {before:.3} ms before, {after:.3} ms after");
    if let Some(path) = device.selector().path() {
        device.selector().check_kept()?;
        println!("kept in {}", path.display());
    }
    Ok(())
}
