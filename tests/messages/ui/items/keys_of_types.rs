//! TYPE_KEYS
//! A layer that is called by its type, `A::forward(x)`, beside a field that has keys for it.
use netcl::prelude::*;

#[netcl::model]
pub struct Block<A> {
    #[layer(slope = 0.5)]
    act: A,
}

#[netcl::model]
impl<A> Block<A> {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        A::forward(x)
    }
}

#[netcl::model]
pub struct Net {
    block: Block<LeakyRelu>,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.block.forward(x)
    }
}

fn main() {}
