//! A list that is pushed into without `mut`: one error.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    line: Linear,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, T, 8> {
        let all = Vec::new();
        for t in 0..T {
            all.push(self.line.forward(x.get(0, t).unsqueeze(0)).squeeze(0));
        }
        all.stack(0)
    }
}

fn main() {}
