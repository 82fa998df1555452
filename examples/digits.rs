//! Trains a multi-layer perceptron on handwritten digits.

use netcl::prelude::*;
use netcl_examples::{Options, accuracy, digits, progress};

/// One hidden layer.
#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 64, outputs = 64)]
    hidden: Linear,
    #[layer(inputs = 64, outputs = 10)]
    output: Linear,
}

#[netcl::model]
impl Mlp {
    /// Logits of ten classes.
    pub fn forward(&self, x: &Tensor<f32, N, 64>) -> Tensor<f32, N, 10> {
        let h = self.hidden.forward(x).relu();
        self.output.forward(&h)
    }

    /// Mean cross-entropy.
    pub fn loss(&self, x: &Tensor<f32, N, 64>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(labels)
    }
}

fn main() -> Result<()> {
    let (options, device) = Options::open("Trains a multi-layer perceptron on handwritten digits")?;
    println!("{}", Mlp::report(device.profile().target)?);
    let (training, held_out) = digits();
    let loader = DataLoader::new(&device, &training.images, &[64], &training.labels, &[])?
        .batch_size(32)
        .shuffle(Seed(options.seed));

    let mut model = Mlp::new(&device, Seed(options.seed))?;
    let mut optimizer = AdamW::new(3e-3);
    let bar = progress(options.epochs.saturating_mul(loader.len() as u64));
    for epoch in 0..options.epochs {
        let mut last = None;
        for batch in loader.epoch(epoch) {
            let (x, labels) = batch?;
            let (loss, gradients) = model.loss_with_gradients(&x, &labels)?;
            optimizer.step(&mut model, &gradients)?;
            last = Some(loss);
            bar.inc(1);
        }
        if let Some(loss) = last {
            bar.set_message(format!("loss {:.4}", loss.item::<f32>()?));
        }
    }
    bar.finish();

    let x = Tensor::from_slice(&device, &held_out.images, &[held_out.labels.len(), 64])?;
    let share = accuracy(&model.forward(&x)?, &held_out.labels)?;
    println!("held out: {:.2} % of {} images", share * 100.0, held_out.labels.len());
    Ok(())
}
