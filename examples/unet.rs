//! Trains a U-Net of one generic block to take the noise off pictures of two sizes, and tries it on a third.

use netcl::prelude::*;
use netcl_examples::{Digits, Options, digits, progress};

/// Two convolutions that keep height and width, with as many channels as whoever uses it says.
#[netcl::model]
pub struct Block<const I: usize, const O: usize> {
    #[layer(inputs = I, outputs = O, kernel = 3, padding = 1)]
    first: Conv2d,
    #[layer(inputs = O, outputs = O, kernel = 3, padding = 1)]
    second: Conv2d,
}

#[netcl::model]
impl<const I: usize, const O: usize> Block<I, O> {
    /// Both, each followed by max(x, 0).
    pub fn forward(&self, x: &Tensor<f32, N, I, H, W>) -> Tensor<f32, N, O, H, W> {
        self.second.forward(&self.first.forward(x).relu()).relu()
    }
}

/// Down two levels and up again, each level beside the one that it came from (Ronneberger, Fischer, Brox 2015).
#[netcl::model]
pub struct UNet {
    top: Block<1, 8>,
    middle: Block<8, 16>,
    bottom: Block<16, 16>,
    middle_up: Block<32, 8>,
    top_up: Block<16, 8>,
    #[layer(kernel = 2)]
    half: MaxPool2d,
    #[layer(scale = 2)]
    double: Upsample,
    #[layer(inputs = 8, outputs = 1, kernel = 1)]
    output: Conv2d,
}

#[netcl::model]
impl UNet {
    /// The picture without its noise. Height and width are any multiples of 4.
    pub fn forward(&self, x: &Tensor<f32, N, 1, H, W>) -> Tensor<f32, N, 1, H, W> {
        let top = self.top.forward(x);
        let middle = self.middle.forward(self.half.forward(&top));
        let bottom = self.bottom.forward(self.half.forward(&middle));
        let middle = self.middle_up.forward(self.double.forward(&bottom).concat([middle], 1));
        let top = self.top_up.forward(self.double.forward(&middle).concat([top], 1));
        self.output.forward(&top)
    }

    /// The mean square of what is wrong.
    pub fn loss(&self, x: &Tensor<f32, N, 1, H, W>, clean: &Tensor<f32, N, 1, H, W>) -> Tensor<f32> {
        (self.forward(x) - clean).square().mean_all()
    }
}

/// Pictures tiled with digits, and the same with noise: `[count, 1, height, width]`.
fn pictures(device: &Device, digits: &Digits, seed: u64, shape: [usize; 4]) -> Result<(Tensor, Tensor)> {
    let [count, _, height, width] = shape;
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    // Marsaglia's xorshift.
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 40
    };
    let mut clean = vec![0.0; count * height * width];
    for picture in clean.chunks_mut(height * width) {
        for tile in 0..(height / 8) * (width / 8) {
            let digit = random() as usize % digits.labels.len();
            let (top, left) = (8 * (tile / (width / 8)), 8 * (tile % (width / 8)));
            for (row, pixels) in digits.images[64 * digit..][..64].chunks(8).enumerate() {
                picture[(top + row) * width + left..][..8].copy_from_slice(pixels);
            }
        }
    }
    let noise = |pixel: &f32| pixel + (random() as f32 / (1 << 23) as f32 - 1.0) * 0.5;
    let noisy: Vec<f32> = clean.iter().map(noise).collect();
    Ok((Tensor::from_slice(device, &noisy, &shape)?, Tensor::from_slice(device, &clean, &shape)?))
}

fn main() -> Result<()> {
    let (options, device) = Options::open("Trains a U-Net of one generic block to take the noise off pictures")?;
    let (training, held_out) = digits();
    let mut model = UNet::new(&device, Seed(options.seed))?;
    let mut optimizer = Adam::new(3e-3);
    // An epoch is ten steps: five of small square pictures, five of large wide ones.
    let bar = progress(options.epochs.saturating_mul(10));
    for epoch in 0..options.epochs {
        let mut losses = Vec::new();
        for step in 0..10 {
            let shape = if step % 2 == 0 { [8, 1, 16, 16] } else { [4, 1, 24, 40] };
            let seed = options.seed.wrapping_add(10 * epoch + step);
            let (noisy, clean) = pictures(&device, &training, seed, shape)?;
            let (loss, gradients) = model.loss_with_gradients(&noisy, &clean)?;
            optimizer.step(&mut model, &gradients)?;
            losses.push(loss);
            bar.inc(1);
        }
        let (square, wide) = (losses[8].item::<f32>()?, losses[9].item::<f32>()?);
        bar.suspend(|| println!("epoch {epoch}: loss {square:.4} of 16 x 16, {wide:.4} of 24 x 40"));
    }
    bar.finish();

    // A size that it has not seen, of digits that it has not seen.
    let (noisy, clean) = pictures(&device, &held_out, options.seed, [4, 1, 32, 24])?;
    let before = &noisy - &clean;
    let before = before.mul(&before).mean([0, 1, 2, 3]).item::<f32>()?;
    let after = model.loss(&noisy, &clean)?.item::<f32>()?;
    println!("held out, 32 x 24: mean square of the noise {before:.4}, of what is left {after:.4}");
    Ok(())
}
