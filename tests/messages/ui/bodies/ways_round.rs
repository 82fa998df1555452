//! Where a number that a call brings, a size or an element type stands in the place of something else.
use netcl::prelude::*;

#[netcl::model]
pub struct Block<A = Relu> {
    act: A,
}

#[netcl::model]
impl<A> Block<A> {
    pub fn forward(&self, x: &Tensor<f32, N, 1, H, W>) -> Tensor<f32, N, 1, H, W> {
        self.act.forward(x)
    }
}

#[netcl::model]
pub struct Typed {
    block: Block<f32>,
}

#[netcl::model]
pub struct Net {
    block: Block<Gelu>,
}

#[netcl::model]
impl Net {
    pub fn scaled(&self, x: &Tensor<f32, N, 4>, d: usize) -> Tensor<f32, N, 4> {
        x * (d as f32)
    }

    pub fn larger(&self, x: &Tensor<f32, N, 1, H, W>) -> Tensor<f32, N, 1, H, W> {
        x.upsample_bilinear2d([x.dim(2), x.dim(3)])
    }
}

netcl::kernel! {
    fn softmax(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| exp(x[n]) / sum(0..N, |i| exp(x[i]))
    }
}

#[netcl::function]
fn mine(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    softmax(x)
}

fn main() {}
