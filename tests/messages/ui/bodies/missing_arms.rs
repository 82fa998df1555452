//! What rustc says of a `match` that lacks an arm, and where it shows it
use netcl::prelude::*;

pub enum Depth {
    First,
    Whole,
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    a: Linear,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 4>, depth: Depth) -> Tensor<f32, N, 4> {
        match depth {
            Depth::First => x.relu(),
        }
    }

    pub fn numbered(&self, x: &Tensor<f32, N, 4>, k: usize) -> Tensor<f32, N, 4> {
        match k {
            0 => x,
            1 => self.a.forward(x),
        }
    }
}

fn main() {}
