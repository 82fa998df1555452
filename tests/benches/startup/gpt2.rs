//! GPT-2, whose layers are all alike.

use netcl::prelude::*;

/// Attention and two layers, each with a norm before and a sum around it.
#[netcl::model]
pub struct Layer {
    #[layer(features = 768)]
    norm1: LayerNorm,
    #[layer(features = 768, heads = 12, causal = true)]
    attention: SelfAttention,
    #[layer(features = 768)]
    norm2: LayerNorm,
    #[layer(inputs = 768, outputs = 3072)]
    up: Linear,
    #[layer(inputs = 3072, outputs = 768)]
    down: Linear,
}

#[netcl::model]
impl Layer {
    pub fn forward(&self, x: &Tensor<f32, N, T, 768>) -> Tensor<f32, N, T, 768> {
        let x = x + self.attention.forward(&self.norm1.forward(x));
        x + self.down.forward(&self.up.forward(&self.norm2.forward(&x)).gelu())
    }
}

/// GPT-2, the small one, for sequences of 64.
#[netcl::model]
pub struct Gpt {
    #[layer(entries = 50257, features = 768)]
    words: Embedding,
    #[parameter(init = normal(0.02))]
    places: Tensor<f32, 64, 768>,
    layers: [Layer; 12],
    #[layer(features = 768)]
    norm: LayerNorm,
}

#[netcl::model]
impl Gpt {
    pub fn forward(&self, x: &Tensor<u32, N, 64>) -> Tensor<f32, N, 64, 50257> {
        let mut h = self.words.forward(x) + &self.places;
        for layer in &self.layers {
            h = layer.forward(&h);
        }
        self.norm.forward(&h).matmul(self.words.weight.t())
    }

    pub fn loss(&self, x: &Tensor<u32, N, 64>, y: &Tensor<u32, N, 64>) -> Tensor<f32> {
        self.forward(x).cross_entropy(y)
    }
}
