//! What chooses by an argument that is refused is not refused as well.
use netcl::prelude::*;

pub enum Activation {
    Relu,
    Tanh,
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Net {
    pub fn chosen(&self, x: &Tensor<f32, N, 8>, by: Activation) -> Tensor<f32, N, 8> {
        match by {
            Activation::Relu => x.relu(),
            Activation::Tanh => x.tanh(),
        }
    }

    pub fn given(&self, x: &Tensor<f32, N, 8>, scale: Option<f32>) -> Tensor<f32, N, 8> {
        if let Some(scale) = scale { x * scale } else { x }
    }

    pub fn known(&self, x: &Tensor<f32, N, 8>, deep: bool) -> Tensor<f32, N, 8> {
        match deep {
            true => self.a.forward(x),
            false => x.relu(),
        }
    }
}

fn main() {}
