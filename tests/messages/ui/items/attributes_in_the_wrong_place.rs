//! netcl's attributes twice, and where they do not belong.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Net {
    #[netcl::function]
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.line.forward(x)
    }
}

#[netcl::function]
#[netcl::function]
fn half(x: f32) -> f32 {
    x * 0.5
}

#[netcl::constant]
#[netcl::constant]
const WIDTH: usize = 8;

#[netcl::tensors]
#[netcl::tensors]
pub struct Batch {
    x: Tensor<f32, N, { WIDTH }>,
}

#[netcl::model]
fn unit(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    half(x)
}

#[netcl::model]
pub struct Joined {
    #[layer(inputs = 4)]
    #[layer(outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Joined {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.line.forward(x)
    }
}

fn main() {}
