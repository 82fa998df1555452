//! UNUSED_TYPE DEFAULT_FORM
//! Parameters that no field has, and attributes with more than they take.
use netcl::prelude::*;

#[netcl::model]
pub struct Block<const C: usize, A = Gelu> {
    #[layer(inputs = C, outputs = C)]
    line: Linear,
}

#[netcl::model]
impl<const C: usize, A> Block<C, A> {
    pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        self.line.forward(x)
    }
}

#[netcl::model]
pub struct Net {
    block: Block<8, Silu>,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.block.forward(x)
    }
}

#[netcl::model]
pub enum Act {
    Relu,
    #[default(true)]
    Tanh,
}

#[netcl::model]
impl Act {
    pub fn forward(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        match self {
            Act::Relu => x.relu(),
            Act::Tanh => x.tanh(),
        }
    }
}

fn main() {}
