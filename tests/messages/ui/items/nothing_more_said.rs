//! Items that are wrong, of which those that use them say nothing more.
use netcl::prelude::*;

#[netcl::model]
pub enum Act {}

#[netcl::model]
impl Act {
    pub fn forward(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        x.relu()
    }
}

#[netcl::model]
pub union Bits {
    a: f32,
}

#[netcl::model]
impl Bits {
    pub fn forward(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        x.relu()
    }
}

#[netcl::constant]
const WIDE = 4;

#[netcl::model]
pub struct Net {
    #[layer(inputs = { WIDE }, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.line.forward(x)
    }
}

#[netcl::model]
pub struct Ring {
    #[layer(inputs = 8, outputs = 8, shared = second)]
    first: Linear,
    #[layer(inputs = 8, outputs = 8, shared = first)]
    second: Linear,
}

#[netcl::model]
impl Ring {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.first.forward(self.second.forward(x))
    }
}

#[netcl::function]
#[types(T = [f32, f16])]
fn twice(x: T) -> T {
    x * 2.0
}

fn main() {}
