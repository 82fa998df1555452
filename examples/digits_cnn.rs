//! Trains a small convolutional network on handwritten digits.

use netcl::prelude::*;
use netcl_examples::{Options, accuracy, digits, progress};

/// Two convolutions with pooling, then one linear layer.
#[netcl::model]
pub struct Cnn {
    #[layer(inputs = 1, outputs = 16, kernel = 3, padding = 1)]
    conv1: Conv2d,
    #[layer(kernel = 2)]
    pool1: MaxPool2d,
    #[layer(inputs = 16, outputs = 32, kernel = 3, padding = 1)]
    conv2: Conv2d,
    #[layer(kernel = 2)]
    pool2: MaxPool2d,
    #[layer(inputs = 128, outputs = 10)]
    output: Linear,
}

#[netcl::model]
impl Cnn {
    /// Logits of ten classes.
    pub fn forward(&self, x: &Tensor<f32, N, 1, 8, 8>) -> Tensor<f32, N, 10> {
        let a = self.pool1.forward(&self.conv1.forward(x).relu());
        let b = self.pool2.forward(&self.conv2.forward(&a).relu());
        self.output.forward(&b.flatten(1))
    }

    /// Mean cross-entropy.
    pub fn loss(&self, x: &Tensor<f32, N, 1, 8, 8>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(labels)
    }
}

fn main() -> Result<()> {
    let (options, device) = Options::open("Trains a small convolutional network on handwritten digits")?;
    println!("{}", Cnn::report(device.profile().target)?);
    let (training, held_out) = digits();
    let loader = DataLoader::new(&device, &training.images, &[1, 8, 8], &training.labels, &[])?
        .batch_size(32)
        .shuffle(Seed(options.seed));

    let mut model = Cnn::new(&device, Seed(options.seed))?;
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

    let x = Tensor::from_slice(&device, &held_out.images, &[held_out.labels.len(), 1, 8, 8])?;
    let share = accuracy(&model.forward(&x)?, &held_out.labels)?;
    println!("held out: {:.2} % of {} images", share * 100.0, held_out.labels.len());
    Ok(())
}
