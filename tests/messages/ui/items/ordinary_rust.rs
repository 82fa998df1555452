//! ORDINARY_RUST: functions of a block that are ordinary Rust, of which each is one mistake. A slip in one that is compiled is another.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 3)]
    head: Linear,
}

#[netcl::model]
impl Net {
    pub fn loss(&self, x: &Tensor<f32, N, 4>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.head.forward(x).cross_entropy(labels)
    }

    pub fn train(&mut self, optimizer: &mut Adam, x: &Tensor, labels: &Tensor) -> Result<f32> {
        let (loss, gradients) = self.loss_with_gradients(x, labels)?;
        optimizer.step(self, &gradients)?;
        loss.item::<f32>()
    }

    pub fn critic(&mut self, x: &Tensor<f32, N, 4>, labels: &Tensor<u32, N>, optimizer: &mut Adam) -> Tensor<f32> {
        let (loss, gradients) = self.loss_with_gradients(x, labels)?;
        optimizer.step(self, &gradients)?;
        loss
    }

    #[netcl::dynamic]
    pub fn accuracy(&self, x: &Tensor<f32, N, 4>, labels: &Tensor<u32, N>) -> Result<f32> {
        self.loss(x, labels)?.item::<f32>()
    }

    pub fn logits(&mut self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 3> {
        self.head.forward(x)
    }
}

fn main() -> Result<()> {
    let device = Device::host();
    let mut model = Net::new(&device, Seed(1))?;
    let x = Tensor::full(&device, 0.5f32, &[2, 4])?;
    let labels = Tensor::from_slice(&device, &[0u32, 2], &[2])?;
    let mut optimizer = Adam::new(0.1);
    println!("{}", model.train(&mut optimizer, &x, &labels)?);
    println!("{}", model.accuracy(&x, &labels)?);
    let loss = model.critic(&x, &labels, &mut optimizer)?;
    println!("{}", loss.item::<f32>()?);
    Ok(())
}
