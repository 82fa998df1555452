//! an enum that is a model, as an argument: its functions are called of a field

use netcl::prelude::*;

#[netcl::model]
pub enum Act {
    Relu,
    #[layer(inputs = 4, outputs = 4)]
    Line(Linear),
}

#[netcl::model]
impl Act {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        match self {
            Act::Relu => x.relu(),
            Act::Line(l) => l.forward(x),
        }
    }
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    l: Linear,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 4>, act: Act) -> Tensor<f32, N, 4> {
        act.forward(self.l.forward(x))
    }
}

fn main() {}
