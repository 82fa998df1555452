//! Operations that are called by their names alone where a function of one's own is meant.
use netcl::prelude::*;

netcl::kernel! {
    pub fn square(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| sum(0..C, |c| x[n, c] * x[n, c])
    }

    pub fn outer(x: &Tensor<f32, N, C>, y: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| x[n, c] * y[n, c]
    }
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    line: Linear,
}

#[netcl::model]
impl Net {
    pub fn result(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N> {
        square(self.line.forward(x))
    }

    pub fn operands(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        outer(self.line.forward(x), x)
    }
}

fn main() {}
