//! Half-typed signatures: a name is enough to be called.
use netcl::prelude::*;

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
}

#[netcl::model]
impl Mlp {
    pub fn argument(&self, x: &Tensor<f32, N, 8>, steep: ) -> Tensor<f32, N, 4> {
        self.hidden.forward(x)
    }

    pub fn borrowed(&self, x: &) -> Tensor<f32, N, 4> {
        self.hidden.forward(x)
    }

    pub fn result(&self, x: &Tensor<f32, N, 8>) -> {
        self.hidden.forward(x)
    }

    pub fn generics(&self, x: &Tensor<>) -> Tensor<f32, > {
        self.hidden.forward(x)
    }

    pub fn no_body(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4>;

    pub fn no_braces(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4>

    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        self.result(x) + self.no_braces(x) + self.generics(x)
    }
}

fn main() -> Result<()> {
    let device = Device::host();
    let model = Mlp::new(&device, Seed(1))?;
    let x = Tensor::zeros(&device, &[2, 8], DType::F32)?;
    model.argument(&x, 0.5)?;
    model.borrowed(&x)?;
    model.result(&x)?;
    model.generics(&x)?;
    model.no_body(&x)?;
    model.no_braces(&x)?;
    model.forward(&x)?;
    Ok(())
}
