//! Bodies as Python and ordinary Rust have them: names of arguments, fields without `self`, items, plain arguments.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
    #[layer(inputs = 8, outputs = 8)]
    l: [Linear; 3],
    #[state(init = 0.0)]
    average: Tensor<f32>,
}

#[netcl::model]
impl Net {
    pub fn named(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x.softmax(dim = 1)
    }

    pub fn bare(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        a.forward(x)
    }

    pub fn path(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        Linear::forward(&self.a, x)
    }

    pub fn missing(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        Self::other(self, x)
    }

    pub fn turned(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, 8, N> {
        x.T
    }

    pub fn cast(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x.cast(f31)
    }

    pub fn state(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.average = self.average * 0.9 + x.mean_all() * 0.1;
        self.a.forward(x)
    }

    pub fn rounds(&self, x: &Tensor<f32, N, 8>, k: usize) -> Tensor<f32, N, 8> {
        let mut h = x;
        for _ in 0..k {
            h = h.relu();
        }
        h
    }

    pub fn chosen(&self, x: &Tensor<f32, N, 8>, k: usize) -> Tensor<f32, N, 8> {
        self.l[k].forward(x)
    }

    pub fn items(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        use std::f32::consts::PI;
        const HALF: f32 = 0.5;
        x * PI * HALF
    }
}

fn main() {}
