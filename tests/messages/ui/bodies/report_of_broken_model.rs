//! What is generated for a model can be named where the model is wrong: only the mistake is reported.
use netcl::prelude::*;

#[netcl::model]
struct Model {
    #[layer(inputs = 4, outputs = 3)]
    first: Linear,
    #[layer(inputs = 5, outputs = 2)]
    second: Linear,
}

#[netcl::model]
impl Model {
    fn loss(&self, x: &Tensor<f32, N, 4>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        let h = self.first.forward(x);
        self.second.forward(&h).cross_entropy(labels)
    }
}

fn main() -> Result<()> {
    let device = Device::host();
    let model = Model::new(&device, Seed(1))?;
    println!("{}{}", Model::report(netcl::Target::Host)?, Model::kernels(netcl::Target::Host)?);
    let x = Tensor::zeros(&device, &[2, 4], DType::F32)?;
    let labels = Tensor::zeros(&device, &[2], DType::U32)?;
    model.loss_with_gradients(&x, &labels)?;
    Ok(())
}
