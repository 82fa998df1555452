//! Fourier transforms and decompositions of matrices in models' functions, and the same texts at run time, with their gradients.

use crate::common::{device, everywhere, wave};
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 12, outputs = 12)]
    mix: Linear,
}

#[netcl::model]
impl Net {
    /// Each row convolved with itself around the end.
    pub fn around(&self, x: &Tensor<f32, N, 12>) -> Tensor<f32, N, 12> {
        let spectrum = x.rfft(1);
        spectrum.complex_mul(&spectrum).irfft(12, -2)
    }

    #[gradients(x)]
    pub fn loss(&self, x: &Tensor<f32, N, 12>) -> Tensor<f32> {
        self.mix.forward(self.around(x)).square().mean([0, 1])
    }
}

fn close(what: &str, found: &Tensor, expected: &Tensor) -> Result<()> {
    let (found, expected) = (found.to_vec::<f32>()?, expected.to_vec::<f32>()?);
    let size = expected.iter().fold(1.0f32, |most, value| most.max(value.abs()));
    let near = |(a, b): (&f32, &f32)| (a - b).abs() < 2e-5 * size;
    assert!(found.len() == expected.len() && found.iter().zip(&expected).all(near), "{what}: {found:?}\n{expected:?}");
    Ok(())
}

#[test]
fn products_of_spectra_are_convolutions() -> Result<()> {
    everywhere(|| {
        let model = Net::new(&device(), Seed(3))?;
        let x = wave(&device(), &[3, 12]);
        let rows = x.to_vec::<f32>()?;
        let at = |row: usize, t: usize| (0..12).map(|s| rows[row * 12 + s] * rows[row * 12 + (t + 12 - s) % 12]).sum();
        let expected: Vec<f32> = (0..36).map(|i| at(i / 12, i % 12)).collect();
        let expected = Tensor::from_slice(&device(), &expected, &[3, 12])?;
        close("of a model", &model.around(&x)?, &expected)?;
        let (weight, bias) = (model.tensor("mix.weight")?, model.tensor("mix.bias")?);
        let around = |x: &Tensor| {
            let spectrum = x.rfft(1);
            spectrum.complex_mul(&spectrum).irfft(12, -2)
        };
        close("at run time", &around(&x), &expected)?;
        let loss = |x: &Tensor| (around(x).matmul(&weight) + &bias).square().mean([0, 1]);
        let (found, dx) = netcl::value_and_grad(&x, loss)?;
        let (loss, _, expected) = model.loss_with_gradients(&x)?;
        close("the loss", &found, &loss)?;
        close("its gradient", &dx, &expected)
    })
}
