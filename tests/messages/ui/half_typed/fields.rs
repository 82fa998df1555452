//! Half-typed fields: the others are there, and the functions can be called.
use netcl::prelude::*;

#[netcl::model]
pub struct NoType {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
    #[layer(inputs = 4, outputs = 2)]
    output:
}

#[netcl::model]
impl NoType {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 2> {
        self.output.forward(&self.hidden.forward(x))
    }
}

#[netcl::model]
pub struct NoComma {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear
    #[layer(inputs = 4, outputs = 2)]
    output: Linear,
}

#[netcl::model]
impl NoComma {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 2> {
        self.output.forward(&self.hidden.forward(x))
    }
}

#[netcl::model]
pub struct Open {
    #[layer(count = 2, inputs = 8, outputs = 8)]
    layers: Vec<,
    #[parameter]
    scale: Tensor<>,
    #[layer(inputs = 8, outputs = )]
    output: Linear,
    #[constant()]
    steep: f32,
    mo
}

#[netcl::model]
impl Open {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 2> {
        self.output.forward(&self.layers[0].forward(x)) * &self.scale
    }
}

fn main() -> Result<()> {
    let device = Device::host();
    let x = Tensor::zeros(&device, &[2, 8], DType::F32)?;
    NoType::new(&device, Seed(1))?.forward(&x)?;
    NoComma::new(&device, Seed(1))?.forward(&x)?;
    let open = Open::new(&device, Seed(1))?;
    open.forward(&x)?;
    println!("{}", open.steep);
    Ok(())
}
