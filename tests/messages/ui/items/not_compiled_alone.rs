//! Functions that are compiled for numbers, called where nobody has given them.

use netcl::prelude::*;

#[netcl::model]
pub struct Block<const F: usize, const H: usize> {
    #[layer(features = F, heads = H)]
    attend: SelfAttention,
}

#[netcl::model]
impl<const F: usize, const H: usize> Block<F, H> {
    pub fn loss(&self, x: &Tensor<f32, N, T, F>) -> Tensor<f32> {
        self.attend.forward(x).square().mean_all()
    }
}

#[netcl::model]
type Known = Block<8, 4>;

fn main() -> Result<()> {
    let device = Device::host();
    let x = Tensor::from_slice(&device, &[0.5f32; 8], &[1, 1, 8])?;
    let known = Known::new(&device, Seed(1))?;
    known.loss(&x)?;
    let other = Block::<8, 2>::new(&device, Seed(1))?;
    other.loss(&x)?;
    other.loss_with_gradients(&x)?;
    Block::<8, 2>::prepare(&device)?;
    Ok(())
}
