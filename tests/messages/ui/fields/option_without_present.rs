//! MISSING_PRESENT
//! An `Option` of a layer, a model or a type parameter of which nothing says whether it is there.
use netcl::prelude::*;

#[netcl::model]
pub struct Block<const C: usize, L> {
    #[layer(inputs = C, outputs = C)]
    line: Option<Linear>,
    #[layer(features = C)]
    norm: Option<L>,
}

#[netcl::model]
impl<const C: usize, L> Block<C, L> {
    pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        let mut h = x;
        if let Some(line) = &self.line {
            h = line.forward(h);
        }
        if let Some(norm) = &self.norm {
            h = norm.forward(h);
        }
        h
    }
}

#[netcl::model]
pub struct Net {
    block: Option<Block<8, LayerNorm>>,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        match &self.block {
            Some(block) => block.forward(x),
            None => x,
        }
    }
}

fn main() {}
