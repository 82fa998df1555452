//! LET_ELSE: what stands behind it goes on.
use netcl::prelude::*;

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 8, present = 1 > 2)]
    hidden: Option<Linear>,
}

#[netcl::model]
impl Mlp {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let Some(hidden) = &self.hidden else { x.relu() };
        hidden.forward(x)
    }
}

fn main() {}
