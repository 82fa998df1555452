//! Tensors made as outside of annotated functions, on a device.

use netcl::prelude::*;

#[netcl::model]
pub struct A {
    #[layer(inputs = 4, outputs = 4)]
    l: Linear,
}

#[netcl::model]
impl A {
    pub fn zeros(&self, x: &Tensor<f32, T, N, 4>) -> Tensor<f32, N, 4> {
        let mut h = Tensor::zeros(x.device(), &[N, 4], DType::F32);
        for t in 0..T {
            h = h + self.l.forward(x.get(0, t));
        }
        h
    }

    pub fn full(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.l.forward(x) + Tensor::full(&device, 0.5, &[N, 4])
    }

    pub fn moved(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.l.forward(x.to(x.device()))
    }
}

fn main() {}
