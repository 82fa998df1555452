//! ELSEWHERE_CALLED, ELSEWHERE: what is there for what is computed at run time, in a function that is compiled.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Net {
    pub fn halves(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        netcl::autocast(Precision::Bf16, || self.a.forward(x))
    }

    pub fn again(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        netcl::checkpoint([x], |[x]| self.a.forward(x))
    }

    pub fn own(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        netcl::custom_vjp([x], |[x]| (x.round(), |g| [g]))
    }

    pub fn hooked(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.a.forward(x).on_gradient(|g| g.clamp(-1.0, 1.0))
    }
}

fn main() {}
