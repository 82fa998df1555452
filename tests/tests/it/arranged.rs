//! Results of convolutions with their axes in another order and put together, as detection heads and pixel shuffles have them.

use crate::common::{device, everywhere, wave};
use netcl::prelude::*;

#[netcl::model]
pub struct Head {
    #[layer(inputs = 3, outputs = 10, kernel = 1)]
    boxes: Conv2d,
    #[layer(inputs = 1, outputs = 4, kernel = 3, padding = 1)]
    grey: Conv2d,
}

#[netcl::model]
impl Head {
    /// Two boxes of five numbers for each pixel.
    pub fn boxes(&self, x: &Tensor<f32, N, 3, H, W>) -> Tensor<f32, N, { H * W * 2 }, 5> {
        self.boxes.forward(x).permute([0, 2, 3, 1]).reshape([N, H * W * 2, 5])
    }

    #[gradients(x)]
    pub fn loss(&self, x: &Tensor<f32, N, 3, H, W>, y: &Tensor<f32, N, { H * W * 2 }, 5>) -> Tensor<f32> {
        self.boxes(x).mse_loss(y)
    }

    pub fn flat(&self, x: &Tensor<f32, N, 1, 4, 4>) -> Tensor<f32, N, 64> {
        self.grey.forward(x).permute([0, 2, 3, 1]).reshape([N, 64])
    }

    pub fn larger(&self, x: &Tensor<f32, N, 1, H, W>) -> Tensor<f32, N, 1, { 2 * H }, { 2 * W }> {
        self.grey.forward(x).pixel_shuffle(2)
    }

    pub fn all(&self, x: &Tensor<f32, N, 3, H, W>) -> Tensor<f32, N, 10, H, W> {
        self.boxes.forward(x)
    }

    pub fn grey(&self, x: &Tensor<f32, N, 1, H, W>) -> Tensor<f32, N, 4, H, W> {
        self.grey.forward(x)
    }
}

#[test]
fn results_of_convolutions_are_arranged_anew() -> Result<()> {
    everywhere(|| {
        let model = Head::new(&device(), Seed(5))?;
        let (x, grey) = (wave(&device(), &[2, 3, 4, 5]), wave(&device(), &[2, 1, 4, 4]));
        let same = |a: Tensor, b: Tensor| -> Result<()> {
            let (a, b) = (a.to_vec::<f32>()?, b.to_vec::<f32>()?);
            assert!(a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-5), "{a:?}\n{b:?}");
            Ok(())
        };
        let boxes = model.all(&x)?.permute([0, 2, 3, 1]).reshape([2, 40, 5]);
        same(model.boxes(&x)?, boxes.clone())?;
        same(model.flat(&grey)?, model.grey(&grey)?.permute([0, 2, 3, 1]).reshape([2, 64]))?;
        same(model.larger(&grey)?, model.grey(&grey)?.pixel_shuffle(2))?;
        let y = wave(&device(), &[2, 40, 5]);
        let (loss, _, dx) = model.loss_with_gradients(&x, &y)?;
        same(loss, (&boxes - &y).square().mean([0, 1, 2]))?;
        // The gradient of a convolution of one tap is a product with its weight.
        let g = ((&boxes - &y) * (2.0 / 400.0)).reshape([2, 4, 5, 10]);
        let weight = model.tensor("boxes.weight")?.reshape([10, 3]);
        same(dx, g.matmul(&weight).permute([0, 3, 1, 2]))
    })
}
