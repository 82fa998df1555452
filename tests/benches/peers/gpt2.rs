//! GPT-2 of 124 million parameters, as the peers train it: 1,024 positions, 50,304 words.

use netcl::prelude::*;

#[netcl::model]
pub struct Block {
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
impl Block {
    pub fn forward(&self, x: &Tensor<f32, N, T, 768>) -> Tensor<f32, N, T, 768> {
        let x = x + self.attention.forward(&self.norm1.forward(x));
        x + self.down.forward(&self.up.forward(&self.norm2.forward(&x)).gelu_tanh())
    }
}

#[netcl::model]
pub struct Gpt2 {
    #[layer(entries = 50304, features = 768)]
    words: Embedding,
    #[parameter(init = normal(0.02))]
    positions: Tensor<f32, 1024, 768>,
    blocks: [Block; 12],
    #[layer(features = 768)]
    norm: LayerNorm,
}

#[netcl::model]
impl Gpt2 {
    /// Mean cross entropy of the next words `y`, in bf16 products.
    #[matmul_precision(medium)]
    pub fn loss(&self, x: &Tensor<u32, N, 1024>, y: &Tensor<u32, N, 1024>) -> Tensor<f32> {
        let mut h = self.words.forward(x) + &self.positions;
        for block in &self.blocks {
            h = block.forward(&h);
        }
        self.norm.forward(&h).matmul(self.words.weight.t()).cross_entropy(y)
    }

    /// The same with activations in bf16.
    #[precision(bf16)]
    pub fn bf16(&self, x: &Tensor<u32, N, 1024>, y: &Tensor<u32, N, 1024>) -> Tensor<f32> {
        self.loss(x, y)
    }
}
