//! PRESENCE, PRESENT_WITHOUT_OPTION: the field is there all the same.
use netcl::prelude::*;

#[netcl::model]
pub struct Net<const N: usize> {
    #[layer(inputs = 8, outputs = 8, present = "often")]
    a: Option<Linear>,
    #[layer(inputs = 8, outputs = 8, present = N > 2.5)]
    b: Option<Linear>,
    #[layer(inputs = 8, outputs = 8, present = N > 1)]
    c: Linear,
    #[layer(present = 0.5)]
    part: Option<Part>,
    parts: Vec<Part>,
    #[group(slow)]
    #[group(still)]
    #[layer(count = 2)]
    more: Vec<Part>,
    #[layer(variant = "Gelu")]
    act: Act,
    #[layer(present = 1)]
    there: Option<Part>,
}

#[netcl::model]
impl<const N: usize> Net<N> {
    pub fn loss(&self, x: &Tensor<f32, B, 8>) -> Tensor<f32> {
        self.c.forward(x).square().mean_all()
    }
}

#[netcl::model]
pub struct Part {
    #[layer(inputs = 8, outputs = 8)]
    line: Linear,
}

#[netcl::model]
impl Part {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.line.forward(x)
    }
}

#[netcl::model]
pub enum Act {
    Relu,
    Gelu,
}

#[netcl::model]
impl Act {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        match self {
            Act::Relu => x.relu(),
            Act::Gelu => x.gelu(),
        }
    }
}

fn main() -> Result<()> {
    let device = Device::host();
    let net = Net::<4>::new(&device, Seed(1))?;
    let x = Tensor::zeros(&device, &[2, 8], DType::F32)?;
    let (_, gradients) = net.loss_with_gradients(&x)?;
    gradients.a()?;
    gradients.part()?;
    for part in [&net.part, &net.there].into_iter().flatten().chain(&net.parts).chain(&net.more) {
        net.act.forward(&part.forward(&x)?)?;
    }
    Ok(())
}
