//! What users of other frameworks write, told with what they gave: one-hot labels, targets of other axes, iterators over tensors, layers
//! that are made in an attribute, and numbers behind a layer's name.

use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    drop: Dropout<0.1>,
    #[layer(Linear(8, 8))]
    made: Linear,
    #[layer(3, 8, kernel = 3)]
    windows: Conv2d,
}

#[netcl::model]
pub struct Scores {
    #[layer(inputs = 8, outputs = 8)]
    l: Linear,
}

#[netcl::model]
impl Scores {
    pub fn loss(&self, x: &Tensor<f32, N, 8>, y: &Tensor<u32, N>) -> Tensor<f32> {
        self.l.forward(x).cross_entropy(y.one_hot(8))
    }

    pub fn distance(&self, x: &Tensor<f32, N, 8>, y: &Tensor<f32, N>) -> Tensor<f32> {
        self.l.forward(x).mse_loss(y)
    }

    pub fn rows(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x.iter().map(|row| self.l.forward(row)).collect()
    }
}

#[netcl::model]
pub struct Fits<const I: usize, const O: usize> {
    #[layer(inputs = I, outputs = O)]
    l: Linear,
}

#[netcl::model]
impl<const I: usize, const O: usize> Fits<I, O> {
    pub fn forward(&self, x: &Tensor<f32, N, I>) -> Tensor<f32, N, O> {
        self.l.forward(x)
    }
}

#[netcl::model]
pub struct Both {
    blocks: (Fits<4, 8>, Fits<9, 3>),
}

#[netcl::model]
impl Both {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 3> {
        let mut h = x;
        for block in &self.blocks {
            h = block.forward(h);
        }
        h
    }
}

#[netcl::function]
fn turned(x: &Tensor<f32, T>) -> Tensor<f32, T> {
    x + !T as f32 + (!(T % 7) & 15) as f32
}

fn main() {}
