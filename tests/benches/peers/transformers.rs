//! Transformers that a processor trains: a vision transformer for images of 32 by 32, and a GPT-2 of four blocks.

use netcl::prelude::*;

#[netcl::model]
pub struct Encoder<const C: usize, const HEADS: usize> {
    #[layer(features = C)]
    norm1: LayerNorm,
    #[layer(features = C, heads = HEADS)]
    attention: SelfAttention,
    #[layer(features = C)]
    norm2: LayerNorm,
    #[layer(inputs = C, outputs = 4 * C)]
    up: Linear,
    #[layer(inputs = 4 * C, outputs = C)]
    down: Linear,
}

#[netcl::model]
impl<const C: usize, const HEADS: usize> Encoder<C, HEADS> {
    pub fn forward(&self, x: &Tensor<f32, N, T, C>) -> Tensor<f32, N, T, C> {
        let x = x + self.attention.forward(&self.norm1.forward(x));
        x + self.down.forward(&self.up.forward(&self.norm2.forward(&x)).gelu())
    }
}

/// A vision transformer (Dosovitskiy et al. 2021) of six blocks over patches of 4 by 4, whose mean is told apart.
#[netcl::model]
pub struct Vit {
    #[layer(inputs = 3, outputs = 192, kernel = 4, stride = 4)]
    patches: Conv2d,
    #[parameter(init = normal(0.02))]
    positions: Tensor<f32, 64, 192>,
    blocks: [Encoder<192, 3>; 6],
    #[layer(features = 192)]
    norm: LayerNorm,
    #[layer(inputs = 192, outputs = 10)]
    head: Linear,
}

#[netcl::model]
impl Vit {
    pub fn loss(&self, x: &Tensor<f32, N, 3, 32, 32>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        let mut h = self.patches.forward(x).flatten(2).permute([0, 2, 1]) + &self.positions;
        for block in &self.blocks {
            h = block.forward(&h);
        }
        self.head.forward(&self.norm.forward(&h).mean([1])).cross_entropy(labels)
    }
}

#[netcl::model]
pub struct Decoder {
    #[layer(features = 256)]
    norm1: LayerNorm,
    #[layer(features = 256, heads = 4, causal = true)]
    attention: SelfAttention,
    #[layer(features = 256)]
    norm2: LayerNorm,
    #[layer(inputs = 256, outputs = 1024)]
    up: Linear,
    #[layer(inputs = 1024, outputs = 256)]
    down: Linear,
}

#[netcl::model]
impl Decoder {
    pub fn forward(&self, x: &Tensor<f32, N, T, 256>) -> Tensor<f32, N, T, 256> {
        let x = x + self.attention.forward(&self.norm1.forward(x));
        x + self.down.forward(&self.up.forward(&self.norm2.forward(&x)).gelu_tanh())
    }
}

/// GPT-2 with four blocks of 256 features, for 256 bytes, 128 of them at a time.
#[netcl::model]
pub struct SmallGpt2 {
    #[layer(entries = 256, features = 256)]
    bytes: Embedding,
    #[parameter(init = normal(0.02))]
    positions: Tensor<f32, 128, 256>,
    blocks: [Decoder; 4],
    #[layer(features = 256)]
    norm: LayerNorm,
}

#[netcl::model]
impl SmallGpt2 {
    pub fn loss(&self, x: &Tensor<u32, N, 128>, y: &Tensor<u32, N, 128>) -> Tensor<f32> {
        let mut h = self.bytes.forward(x) + &self.positions;
        for block in &self.blocks {
            h = block.forward(&h);
        }
        self.norm.forward(&h).matmul(self.bytes.weight.t()).cross_entropy(y)
    }
}
