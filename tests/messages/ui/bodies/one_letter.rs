//! A constant of one letter, which is a size's name, and a loop over what is computed.
use netcl::prelude::*;

#[netcl::constant]
const W: usize = 4;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    line: Linear,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 2, 4>) -> Tensor<f32, N, 8> {
        self.line.forward(x.reshape([N, W * 2]))
    }
}

#[netcl::function]
fn halved(x: f32) -> f32 {
    let mut y = x;
    while y > 1.0 {
        y *= 0.5;
    }
    y
}

fn main() {}
