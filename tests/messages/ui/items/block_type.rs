//! BLOCK_TYPE
use netcl::prelude::*;

#[netcl::model]
pub struct Block<const C: usize, L> {
    #[layer(features = C)]
    norm: L,
}

#[netcl::model]
impl<const C: usize> Block<C, LayerNorm> {
    pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        self.norm.forward(x)
    }
}

fn main() {}
