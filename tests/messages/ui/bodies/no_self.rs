//! `self` in a function that does not take it.
use netcl::prelude::*;

#[netcl::model]
pub struct Scaled {
    #[parameter(init = 1.0)]
    by: Tensor<f32, 4>,
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Scaled {
    pub fn scaled(x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        x * &self.by
    }

    fn moved(x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.line.forward(x)
    }

    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        Self::moved(x)
    }
}

fn main() {}
