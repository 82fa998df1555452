//! Models of sequences.

use crate::{Twin, agrees, floats, numbers};
use netcl::prelude::*;

/// A cell in PyTorch's form: gates i, f, g and o.
#[netcl::model]
pub struct Cell {
    #[layer(inputs = 5, outputs = 24)]
    input: Linear,
    #[layer(inputs = 6, outputs = 24)]
    hidden: Linear,
}

#[netcl::model]
impl Cell {
    pub fn step(
        &self,
        x: &Tensor<f32, N, 5>,
        h: &Tensor<f32, N, 6>,
        c: &Tensor<f32, N, 6>,
    ) -> (Tensor<f32, N, 6>, Tensor<f32, N, 6>) {
        let gates = self.input.forward(x) + self.hidden.forward(h);
        let i = gates.narrow(1, 0, 6).sigmoid();
        let f = gates.narrow(1, 6, 6).sigmoid();
        let g = gates.narrow(1, 12, 6).tanh();
        let o = gates.narrow(1, 18, 6).sigmoid();
        let c = f * c + i * g;
        let h = o * c.tanh();
        (h, c)
    }
}

#[netcl::model]
pub struct Lstm {
    cell: Cell,
    #[layer(inputs = 6, outputs = 2)]
    head: Linear,
}

#[netcl::model]
impl Lstm {
    pub fn forward(
        &self,
        x: &Tensor<f32, N, 4, 5>,
        h0: &Tensor<f32, N, 6>,
        c0: &Tensor<f32, N, 6>,
    ) -> (Tensor<f32, N, 2>, Tensor<f32, N, 6>) {
        let (mut h, mut c) = (h0, c0);
        for t in 0..4 {
            let (a, b) = self.cell.step(&x.get(1, t), &h, &c);
            h = a;
            c = b;
        }
        (self.head.forward(&h), c)
    }

    pub fn loss(
        &self,
        x: &Tensor<f32, N, 4, 5>,
        h0: &Tensor<f32, N, 6>,
        c0: &Tensor<f32, N, 6>,
        y: &Tensor<f32, N, 2>,
    ) -> Tensor<f32> {
        let (found, _) = self.forward(x, h0, c0);
        found.mse_loss(y)
    }
}

#[test]
fn lstm() -> Result<()> {
    let device = Device::host();
    let twin = Twin::<Lstm> {
        name: "lstm",
        inputs: |device| {
            let shapes = [("x", &[3, 4, 5][..]), ("h0", &[3, 6]), ("c0", &[3, 6]), ("y", &[3, 2])];
            shapes.iter().map(|(name, shape)| floats(device, &format!("lstm/{name}"), shape)).collect()
        },
        results: |m, x| m.forward(&x[0], &x[1], &x[2]).map(|(y, c)| vec![("y", y), ("c", c)]),
        loss: |m, x| m.loss(&x[0], &x[1], &x[2], &x[3]),
        gradients: |m, x| m.loss_with_gradients(&x[0], &x[1], &x[2], &x[3]).map(|(l, g)| (l, (*g).clone())),
    };
    agrees(&device, Lstm::new(&device, Seed(1))?, &twin)
}

/// Root-mean-square norm, rotary positions, heads that share keys and values, a causal mask, a gated unit.
#[netcl::model]
pub struct Block {
    #[layer(features = 16)]
    norm1: RmsNorm,
    #[layer(inputs = 16, outputs = 16, bias = false)]
    wq: Linear,
    #[layer(inputs = 16, outputs = 8, bias = false)]
    wk: Linear,
    #[layer(inputs = 16, outputs = 8, bias = false)]
    wv: Linear,
    #[layer(inputs = 16, outputs = 16, bias = false)]
    wo: Linear,
    #[layer(features = 16, epsilon = 1e-5)]
    norm2: RmsNorm,
    #[layer(inputs = 16, outputs = 21, bias = false)]
    gate: Linear,
    #[layer(inputs = 16, outputs = 21, bias = false)]
    up: Linear,
    #[layer(inputs = 21, outputs = 16, bias = false)]
    down: Linear,
}

#[netcl::model]
impl Block {
    /// The first half of the features with the second.
    fn rope(x: &Tensor<f32, N, H, T, 4>, cos: &Tensor<f32, T, 2>, sin: &Tensor<f32, T, 2>) -> Tensor<f32, N, H, T, 4> {
        let a = x.narrow(-1, 0, 2);
        let b = x.narrow(-1, 2, 2);
        (&a * cos - &b * sin).concat([&a * sin + &b * cos], -1)
    }

    pub fn forward(
        &self,
        x: &Tensor<f32, N, T, 16>,
        cos: &Tensor<f32, T, 2>,
        sin: &Tensor<f32, T, 2>,
    ) -> Tensor<f32, N, T, 16> {
        let h = self.norm1.forward(x);
        let q = self.wq.forward(&h).reshape([N, T, 4, 4]).transpose(1, 2);
        let key = self.wk.forward(&h).reshape([N, T, 2, 4]).transpose(1, 2);
        let v = self.wv.forward(&h).reshape([N, T, 2, 4]).transpose(1, 2);
        let q = Self::rope(&q, cos, sin).reshape([N, 2, 2, T, 4]);
        let key = Self::rope(&key, cos, sin).unsqueeze(2);
        let s = q.matmul(key.t()) / 2.0;
        let ones = s.detach() * 0.0 + 1.0;
        let s = s.masked_fill(ones.tril(0).eq(0.0), f32::NEG_INFINITY);
        let o = s.softmax(-1).matmul(v.unsqueeze(2)).reshape([N, 4, T, 4]).transpose(1, 2).reshape([N, T, 16]);
        let x = x + self.wo.forward(&o);
        let h = self.norm2.forward(&x);
        x + self.down.forward(&(self.gate.forward(&h).silu() * self.up.forward(&h)))
    }
}

#[netcl::model]
pub struct Llama {
    #[layer(entries = 11, features = 16)]
    words: Embedding,
    blocks: [Block; 2],
    #[layer(features = 16)]
    norm: RmsNorm,
    #[layer(inputs = 16, outputs = 11, bias = false)]
    head: Linear,
}

#[netcl::model]
impl Llama {
    pub fn forward(
        &self,
        x: &Tensor<u32, N, T>,
        cos: &Tensor<f32, T, 2>,
        sin: &Tensor<f32, T, 2>,
    ) -> Tensor<f32, N, T, 11> {
        let mut h = self.words.forward(x);
        for block in &self.blocks {
            h = block.forward(&h, cos, sin);
        }
        self.head.forward(&self.norm.forward(&h))
    }

    pub fn loss(
        &self,
        x: &Tensor<u32, N, T>,
        y: &Tensor<u32, N, T>,
        cos: &Tensor<f32, T, 2>,
        sin: &Tensor<f32, T, 2>,
    ) -> Tensor<f32> {
        self.forward(x, cos, sin).cross_entropy(y)
    }
}

#[test]
fn llama() -> Result<()> {
    let device = Device::host();
    let twin = Twin::<Llama> {
        name: "llama",
        inputs: |device| {
            let words = |name| numbers(device, name, &[3, 5], 11);
            let angles = |name| floats(device, name, &[5, 2]);
            Ok(vec![words("llama/x")?, words("llama/y")?, angles("llama/cos")?, angles("llama/sin")?])
        },
        results: |m, x| Ok(vec![("y", m.forward(&x[0], &x[2], &x[3])?)]),
        loss: |m, x| m.loss(&x[0], &x[1], &x[2], &x[3]),
        gradients: |m, x| m.loss_with_gradients(&x[0], &x[1], &x[2], &x[3]).map(|(l, g)| (l, (*g).clone())),
    };
    agrees(&device, Llama::new(&device, Seed(1))?, &twin)
}
