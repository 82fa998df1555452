//! GROUP_SHARED, GROUP_EMPTY, GROUP_FROZEN: a group is of what optimizers step.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(entries = 7, features = 4)]
    words: Embedding,
    #[group(slow)]
    #[layer(inputs = 4, outputs = 7, shared = words, bias = false)]
    output: Linear,
    #[group(slow)] // its bias
    #[layer(inputs = 4, outputs = 7, shared = words)]
    biased: Linear,
    #[group(slow)]
    flat: Flatten,
    #[group(slow)]
    #[layer(rate = 0.5)]
    drops: [Dropout; 2],
    #[group(slow)]
    #[layer(features = 4, affine = false)]
    norm: BatchNorm,
    #[frozen]
    #[group(slow)]
    #[layer(inputs = 4, outputs = 4)]
    ice: Linear,
    #[group(slow)]
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Net {
    pub fn loss(&self, word: &Tensor<u32, N>, next: &Tensor<u32, N>) -> Tensor<f32> {
        let h = self.ice.forward(self.line.forward(self.words.forward(word)));
        let h = self.norm.forward(self.drops[1].forward(self.drops[0].forward(self.flat.forward(h))));
        (self.output.forward(&h) + self.biased.forward(h)).cross_entropy(next)
    }
}

#[netcl::model]
pub enum Act {
    #[group(slow)]
    Flat(Flatten),
    #[default]
    #[group(slow)]
    #[layer(inputs = 4, outputs = 4)]
    Gated(Linear),
}

#[netcl::model]
impl Act {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        match self {
            Act::Flat(flat) => flat.forward(x),
            Act::Gated(line) => line.forward(x),
        }
    }
}

fn main() -> Result<()> {
    Ok(())
}
