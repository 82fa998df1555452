//! rustc's words for a constant that netcl does not know: one error for each, wherever it stands, and none for what uses the struct

use netcl::prelude::*;

const WIDTH: usize = 8;
const DEPTH: usize = 2;
const RATE: f32 = 0.5;

#[netcl::model]
pub struct Sized {
    #[layer(inputs = 4, outputs = { WIDTH * 2 })]
    l: Linear,
}

#[netcl::model]
impl Sized {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, { WIDTH * 2 }> {
        self.l.forward(x)
    }
}

#[netcl::model]
pub struct Listed {
    #[layer(inputs = 4, outputs = 4)]
    l: [Linear; DEPTH],
}

#[netcl::model]
impl Listed {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.l[0].forward(x)
    }
}

#[netcl::model]
pub struct Started {
    #[parameter(init = normal(RATE))]
    p: Tensor<f32, 4>,
}

#[netcl::model]
impl Started {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        x * self.p
    }
}

fn main() -> Result<()> {
    let device = Device::host();
    let x = Tensor::ones(&device, &[1, 4], DType::F32)?;
    Sized::new(&device, Seed(1))?.forward(&x)?;
    Listed::new(&device, Seed(1))?.forward(&x)?;
    Started::new(&device, Seed(1))?;
    Ok(())
}
