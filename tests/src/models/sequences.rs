//! Models of sequences.

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
    /// The next hidden state and the next cell state.
    pub fn step(
        &self,
        x: &Tensor<f32, N, 5>,
        h: &Tensor<f32, N, 6>,
        c: &Tensor<f32, N, 6>,
    ) -> (Tensor<f32, N, 6>, Tensor<f32, N, 6>) {
        let gates = self.input.forward(x) + self.hidden.forward(h);
        let (i, f) = (gates.narrow(1, 0, 6).sigmoid(), gates.narrow(1, 6, 6).sigmoid());
        let (g, o) = (gates.narrow(1, 12, 6).tanh(), gates.narrow(1, 18, 6).sigmoid());
        let c = f * c + i * g;
        (o * c.tanh(), c)
    }
}

/// The cell over four steps, and a layer on the last state.
#[netcl::model]
pub struct Lstm {
    cell: Cell,
    #[layer(inputs = 6, outputs = 2)]
    head: Linear,
}

#[netcl::model]
impl Lstm {
    /// The result, and the last cell state.
    pub fn forward(
        &self,
        x: &Tensor<f32, N, 4, 5>,
        h0: &Tensor<f32, N, 6>,
        c0: &Tensor<f32, N, 6>,
    ) -> (Tensor<f32, N, 2>, Tensor<f32, N, 6>) {
        let (mut h, mut c) = (h0, c0);
        for t in 0..4 {
            (h, c) = self.cell.step(x.get(1, t), h, c);
        }
        (self.head.forward(&h), c)
    }

    /// The mean squared error of the result.
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

/// Root-mean-square norm, rotary positions, heads that share keys and values, a causal mask, a gated unit.
#[netcl::model]
pub struct LlamaBlock {
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
impl LlamaBlock {
    /// The first half of the features with the second.
    fn rope(x: &Tensor<f32, N, H, T, 4>, cos: &Tensor<f32, T, 2>, sin: &Tensor<f32, T, 2>) -> Tensor<f32, N, H, T, 4> {
        let a = x.narrow(-1, 0, 2);
        let b = x.narrow(-1, 2, 2);
        (&a * cos - &b * sin).concat([&a * sin + &b * cos], -1)
    }

    /// What the block computes, with the positions' cosines and sines.
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

/// Words, two blocks, and scores of the next words.
#[netcl::model]
pub struct Llama {
    #[layer(entries = 11, features = 16)]
    words: Embedding,
    blocks: [LlamaBlock; 2],
    #[layer(features = 16)]
    norm: RmsNorm,
    #[layer(inputs = 16, outputs = 11, bias = false)]
    head: Linear,
}

#[netcl::model]
impl Llama {
    /// Scores of the words at each place.
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

    /// The mean cross-entropy against words.
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

/// Words through gated units, a loss at every step, padding that counts for nothing.
#[netcl::model]
pub struct Gru {
    #[layer(entries = 13, features = 5)]
    words: Embedding,
    #[layer(inputs = 5, outputs = 18)]
    input: Linear,
    #[layer(inputs = 6, outputs = 18)]
    hidden: Linear,
    #[layer(inputs = 6, outputs = 13)]
    head: Linear,
    #[parameter(init = 0.0)]
    start: Tensor<f32, 6>,
}

#[netcl::model]
impl Gru {
    fn step(&self, x: &Tensor<f32, N, 5>, h: &Tensor<f32, N, 6>) -> Tensor<f32, N, 6> {
        let a = self.input.forward(x).reshape([N, 3, 6]);
        let b = self.hidden.forward(h).reshape([N, 3, 6]);
        let r = (a.get(1, 0) + b.get(1, 0)).sigmoid();
        let z = (a.get(1, 1) + b.get(1, 1)).sigmoid();
        let new = (a.get(1, 2) + r * b.get(1, 2)).tanh();
        new.lerp(h, z)
    }

    /// Scores of the words at each step.
    pub fn forward(&self, x: &Tensor<u32, N, 4>) -> Tensor<f32, N, 4, 13> {
        let words = self.words.forward(x);
        let h0 = self.start.broadcast_to([N, 6]);
        let h1 = self.step(&words.get(1, 0), &h0);
        let h2 = self.step(&words.get(1, 1), &h1);
        let h3 = self.step(&words.get(1, 2), &h2);
        let h4 = self.step(&words.get(1, 3), &h3);
        self.head.forward(&h1.stack([h2, h3, h4], 1))
    }

    /// The mean cross-entropy against words other than word 0.
    pub fn loss(&self, x: &Tensor<u32, N, 4>, y: &Tensor<u32, N, 4>) -> Tensor<f32> {
        self.forward(x).cross_entropy_ignoring(y, 0)
    }
}

/// Attention that a mask and distances weaken, then attention to a memory.
#[netcl::model]
pub struct Alibi {
    #[layer(inputs = 12, outputs = 36)]
    qkv: Linear,
    #[parameter(init = 0.0)]
    slopes: Tensor<f32, 3, 1, 1>,
    #[layer(inputs = 12, outputs = 12)]
    mix: Linear,
    #[layer(features = 12)]
    norm: LayerNorm,
    #[layer(inputs = 12, outputs = 12)]
    query: Linear,
    #[layer(inputs = 7, outputs = 24)]
    memory: Linear,
    #[layer(inputs = 12, outputs = 1)]
    head: Linear,
}

#[netcl::model]
impl Alibi {
    /// A number for each sequence.
    pub fn forward(
        &self,
        x: &Tensor<f32, N, T, 12>,
        pad: &Tensor<bool, N, T>,
        distance: &Tensor<f32, T, T>,
        memory: &Tensor<f32, N, S, 7>,
    ) -> Tensor<f32, N> {
        let qkv = self.qkv.forward(x).reshape([N, T, 3, 3, 4]).permute([2, 0, 3, 1, 4]);
        let (q, key, v) = (qkv.get(0, 0), qkv.get(0, 1), qkv.get(0, 2));
        let s = q.matmul(key.t()) * 4f32.rsqrt() - self.slopes.softplus() * distance;
        let s = s.masked_fill(pad.unsqueeze(1).unsqueeze(1), -1e30);
        let o = s.softmax(-1).matmul(v).transpose(1, 2).reshape([N, T, 12]);
        let h = self.norm.forward(&(x + self.mix.forward(&o)));
        let (q, memory) = (self.query.forward(&h), self.memory.forward(memory));
        let h = h + q.scaled_dot_product_attention(memory.narrow(-1, 0, 12), memory.narrow(-1, 12, 12), false);
        let keep = pad.not().cast(f32);
        let pooled = (h * keep.unsqueeze(2)).sum([1]) / keep.sum([1]).unsqueeze(1);
        self.head.forward(&pooled).squeeze(1)
    }

    /// The Huber loss of these numbers.
    pub fn loss(
        &self,
        x: &Tensor<f32, N, T, 12>,
        pad: &Tensor<bool, N, T>,
        distance: &Tensor<f32, T, T>,
        memory: &Tensor<f32, N, S, 7>,
        y: &Tensor<f32, N>,
    ) -> Tensor<f32> {
        self.forward(x, pad, distance, memory).huber_loss(y, 0.5)
    }
}

/// Causal convolutions with holes, weights and groups normalised by hand.
#[netcl::model]
pub struct Tcn {
    #[parameter(init = 0.5)]
    direction: Tensor<f32, 6, 5, 1, 3>,
    #[parameter(init = 0.0)]
    length: Tensor<f32, 6, 1, 1, 1>,
    #[parameter(init = 0.0)]
    gain: Tensor<f32, 6, 1, 1>,
    #[parameter(init = 0.0)]
    bias: Tensor<f32, 6, 1, 1>,
    #[layer(inputs = 6, outputs = 6, kernel = (1, 3), dilation = (1, 4), groups = 3)]
    conv: Conv2d,
    #[layer(inputs = 6, outputs = 2, kernel = (1, 1))]
    out: Conv2d,
}

#[netcl::model]
impl Tcn {
    /// Two features for each step.
    pub fn forward(&self, x: &Tensor<f32, N, 5, 17>) -> Tensor<f32, N, 2, 17> {
        let x = x.unsqueeze(2);
        let weight = &self.length * &self.direction / self.direction.square().sum_keepdim([1, 2, 3]).sqrt();
        let h = x.pad(3, 4, 0, 0.0).conv2d(weight, [1, 1], [0, 0], [1, 2], 1);
        let groups = h.reshape([N, 3, 2, 1, 17]);
        let mean = groups.mean_keepdim([2, 3, 4]);
        let var = groups.var([2, 3, 4], 0).unsqueeze(2).unsqueeze(2).unsqueeze(2);
        let h = ((groups - mean) / (var + 1e-5).sqrt()).reshape([N, 6, 1, 17]) * (1.0 + &self.gain) + &self.bias;
        let h = h.relu();
        let h = &h + self.conv.forward(&h.pad(3, 8, 0, 0.0)).tanh();
        self.out.forward(&h).squeeze(2)
    }

    /// The smooth L1 loss of all features.
    pub fn loss(&self, x: &Tensor<f32, N, 5, 17>, y: &Tensor<f32, N, 2, 17>) -> Tensor<f32> {
        self.forward(x).smooth_l1_loss(y, 1.0)
    }
}

/// A chain of labels: the sum over all chains beside the right one.
#[netcl::model]
pub struct Crf {
    #[layer(inputs = 5, outputs = 4)]
    emit: Linear,
    #[parameter(init = 0.0)]
    transition: Tensor<f32, 4, 4>,
    #[parameter(init = 0.0)]
    start: Tensor<f32, 4>,
}

#[netcl::model]
impl Crf {
    /// The logarithm of the sum over all chains.
    pub fn forward(&self, x: &Tensor<f32, N, 6, 5>) -> Tensor<f32, N> {
        let emitted = self.emit.forward(x);
        let mut alpha = &self.start + emitted.get(1, 0);
        for t in 1..6 {
            alpha = (alpha.unsqueeze(2) + &self.transition).logsumexp([1]) + emitted.get(1, t);
        }
        alpha.logsumexp([1])
    }

    /// The mean negative log-likelihood of the right chains.
    pub fn loss(&self, x: &Tensor<f32, N, 6, 5>, y: &Tensor<u32, N, 6>) -> Tensor<f32> {
        let hot = y.one_hot(4);
        let emitted = (self.emit.forward(x) * &hot).sum([1, 2]);
        let moved = (hot.narrow(1, 0, 5).matmul(&self.transition) * hot.narrow(1, 1, 5)).sum([1, 2]);
        let begun = (hot.get(1, 0) * &self.start).sum([1]);
        (self.forward(x) - emitted - moved - begun).mean_all()
    }
}
