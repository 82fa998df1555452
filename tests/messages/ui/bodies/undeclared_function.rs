//! A function without `#[netcl::function]`, one that does not exist, and those who call what calls them.
use netcl::prelude::*;

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
}

fn activate(x: f32) -> f32 {
    x.tanh()
}

#[netcl::model]
impl Mlp {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        activate(self.hidden.forward(x))
    }

    pub fn loss(&self, x: &Tensor<f32, N, 8>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(labels)
    }
}

netcl::kernel! {
    pub fn bent(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| ben(x[n])
    }

    fn sound(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n] * 2.0
    }
}

fn main() -> Result<()> {
    let device = Device::host();
    let model = Mlp::new(&device, Seed(1))?;
    let x = Tensor::zeros(&device, &[2, 8], DType::F32)?;
    let labels = Tensor::zeros(&device, &[2], DType::U32)?;
    let y = model.forward(&x)?;
    let (loss, gradients) = model.loss_with_gradients(&x, &labels)?;
    println!("{y:?}{loss:?}{:?}{}", gradients.hidden()?.weight, Mlp::report(netcl::Target::Host)?);
    let (y, pullback) = bent.vjp(&sound(&x)?)?;
    pullback(&y)?;
    Ok(())
}
