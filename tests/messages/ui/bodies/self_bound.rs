//! SELF_BOUND, FUNCTION_VARIADIC

#![allow(varargs_without_pattern)]

use netcl::prelude::*;

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 4, outputs = 4)]
    hidden: Linear,
    #[layer(inputs = 4, outputs = 4)]
    more: [Linear; 2],
}

#[netcl::model]
impl Mlp {
    pub fn by_let(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let self = x;
        self.relu()
    }

    pub fn by_closure(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let act = |self| self.relu();
        act(self.hidden.forward(x))
    }

    pub fn by_loop(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let mut h = x;
        for self in &self.more {
            h = self.forward(h);
        }
        h
    }

    pub fn with_more(&self, x: &Tensor<f32, N, 4>, ...) -> Tensor<f32, N, 4> {
        self.hidden.forward(x)
    }
}

fn main() {}
