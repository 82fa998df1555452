//! Fields of a struct that is no model, and of one that is not there: rustc says so at the field's type.
use netcl::prelude::*;

pub struct Head {
    pub scale: f32,
}

#[netcl::model]
pub struct Net {
    head: Head,
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.head.forward(self.a.forward(x))
    }
}

#[netcl::model]
pub struct Pair {
    tail: Tail,
}

#[netcl::model]
impl Pair {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.tail.forward(x)
    }
}

fn main() {
    let _ = (Net::forward, Pair::forward);
}
