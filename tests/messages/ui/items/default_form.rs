//! DEFAULT_FORM
//! An attribute with more than it takes.
use netcl::prelude::*;

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
