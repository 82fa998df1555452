//! Gradients that there are not.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Net {
    pub fn loss(&self, x: &Tensor<f32, N, 8>) -> (Tensor<f32, N, 8>, Tensor<f32>) {
        let h = self.a.forward(x);
        (h, h.sum_all())
    }
}

#[netcl::model]
pub struct Rows {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Rows {
    pub fn loss(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N> {
        self.a.forward(x).square().mean([1])
    }
}

netcl::kernel! {
    pub fn doubled(x: &Tensor<u32, N>) -> Tensor<u32, N> { |n| x[n] * 2 }

    #[launch(global = [N])]
    pub fn copied(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)];
    }
}

fn main() -> Result<()> {
    let device = Device::host();
    let model = Net::new(&device, Seed(1))?;
    let x = Tensor::from_slice(&device, &[0.5f32; 16], &[2, 8])?;
    let ((_h, _loss), _gradients) = model.loss_with_gradients(&x)?;
    let (_loss, _gradients) = Rows::new(&device, Seed(1))?.loss_with_gradients(&x)?;
    let (_y, _pullback) = doubled.vjp(&x)?;
    let (_y, _pullback) = copied.vjp(&x)?;
    Ok(())
}
