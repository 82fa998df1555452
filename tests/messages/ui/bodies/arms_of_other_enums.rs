//! Arms that name another enum.
use netcl::prelude::*;

#[netcl::model]
pub enum Act {
    Relu,
    #[layer(inputs = 8, outputs = 8)]
    Line(Linear),
}

use Act as Renamed;

#[netcl::model]
impl Act {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        match self {
            Renamed::Relu => x.relu(),
            Unknown::Line(line) => line.forward(x),
        }
    }
}

fn main() {}
