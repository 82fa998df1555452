//! Where the time goes: a training run recorded, its totals, and a trace for chrome://tracing or Perfetto.

use netcl::prelude::*;
use netcl::profile::{self, SpanKind};
use netcl_examples::{Options, digits};

/// Of handwritten digits.
#[netcl::model]
pub struct Classifier {
    #[layer(inputs = 64, outputs = 32)]
    hidden: Linear,
    #[layer(inputs = 32, outputs = 10)]
    output: Linear,
}

#[netcl::model]
impl Classifier {
    /// Mean cross-entropy.
    pub fn loss(&self, x: &Tensor<f32, N, 64>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.output.forward(&self.hidden.forward(x).gelu()).cross_entropy(labels)
    }
}

const BATCH: usize = 256;

fn main() -> Result<()> {
    // Before the device is opened: its queues then note when commands begin and end.
    profile::start()?;
    let (options, device) = Options::open(
        "Where the time goes: a training run recorded, its totals, and a trace for chrome://tracing or Perfetto",
    )?;
    let mut model = Classifier::new(&device, Seed(options.seed))?;
    let mut optimizer = AdamW::new(1e-2);
    let (training, _) = digits();

    // The first step builds programs and allocates; it is not what is to be looked at.
    epoch(&device, &mut model, &mut optimizer, &training.images[..64 * BATCH], &training.labels[..BATCH])?;
    profile::start()?;
    let mut loss = 0.0;
    for _ in 0..options.epochs.min(5) {
        let _span = profile::span("epoch");
        loss = epoch(&device, &mut model, &mut optimizer, &training.images, &training.labels)?;
    }
    let recorded = profile::stop()?;

    println!("loss {loss:.3}; what took longest:");
    for kind in [SpanKind::Kernel, SpanKind::Copy, SpanKind::Call, SpanKind::Program] {
        for total in recorded.totals().iter().filter(|total| total.kind == kind).take(5) {
            let name: String = total.name.chars().take(70).collect();
            println!("  {:<8}{:>5} × {:>12.1?}  {name}", kind.name(), total.count, total.time / total.count as u32);
        }
    }
    if recorded.untimed() > 0 {
        println!("{} commands have no times: the device was open before", recorded.untimed());
    }

    let path = std::env::temp_dir().join(format!("netcl-trace-{}.json", std::process::id()));
    recorded.write_chrome_trace(&path)?;
    println!("{} spans; open {} in https://ui.perfetto.dev", recorded.spans().len(), path.display());
    Ok(())
}

/// One pass in batches; the last batch's loss.
fn epoch(
    device: &Device,
    model: &mut Classifier,
    optimizer: &mut AdamW,
    images: &[f32],
    labels: &[u32],
) -> Result<f32> {
    let mut last = 0.0;
    for (images, labels) in images.chunks(64 * BATCH).zip(labels.chunks(BATCH)) {
        let x = Tensor::from_slice(device, images, &[labels.len(), 64])?;
        let labels = Tensor::from_slice(device, labels, &[labels.len()])?;
        let (loss, gradients) = model.loss_with_gradients(&x, &labels)?;
        optimizer.step(model, &gradients)?;
        last = loss.item::<f32>()?;
    }
    Ok(last)
}
