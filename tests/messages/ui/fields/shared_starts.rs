//! SHARED_START
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(entries = 9, features = 4)]
    words: Embedding,
    #[layer(inputs = 4, outputs = 9, shared = words, init = 0.0, bias_init = 0.5)]
    out: Linear,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<u32, N>) -> Tensor<f32, N, 9> {
        self.out.forward(self.words.forward(x))
    }
}

fn main() {}
