//! Models of steps and sets: sums over sets, an equation that is solved, noise that is taken away, sound sample by sample.

use netcl::prelude::*;

/// A number for each set, whatever the order of what is in it (Zaheer et al. 2017).
#[netcl::model]
pub struct DeepSets {
    #[layer(inputs = 3, outputs = 8)]
    each: Linear,
    #[layer(inputs = 8, outputs = 6)]
    code: Linear,
    #[layer(inputs = 12, outputs = 7)]
    whole: Linear,
    #[layer(inputs = 7, outputs = 1)]
    head: Linear,
}

#[netcl::model]
impl DeepSets {
    /// The mean and the largest of what is there, where `there` is 1, through two layers.
    pub fn forward(&self, x: &Tensor<f32, N, S, 3>, there: &Tensor<f32, N, S>) -> Tensor<f32, N> {
        let there = there.unsqueeze(2);
        let codes = self.code.forward(self.each.forward(x).silu());
        let mean = (&codes * &there).sum([1]) / there.sum([1]).maximum(1.0);
        let largest = codes.masked_fill(there.eq(0.0), -10.0).max([1]);
        self.head.forward(self.whole.forward(mean.concat([largest], 1)).tanh()).squeeze(1)
    }

    /// The mean squared error.
    pub fn loss(&self, x: &Tensor<f32, N, S, 3>, there: &Tensor<f32, N, S>, y: &Tensor<f32, N>) -> Tensor<f32> {
        self.forward(x, there).mse_loss(y)
    }
}

/// An equation whose slope is learned (Chen et al. 2018), by the classical method of Runge and Kutta.
#[netcl::model]
pub struct NeuralOde {
    #[layer(inputs = 3, outputs = 9)]
    up: Linear,
    #[layer(inputs = 9, outputs = 2)]
    down: Linear,
}

#[netcl::model]
impl NeuralOde {
    /// The slope at a time.
    fn slope(&self, y: &Tensor<f32, N, 2>, t: f32) -> Tensor<f32, N, 2> {
        let time = y.narrow(1, 0, 1) * 0.0 + t;
        self.down.forward(self.up.forward(y.concat([time], 1)).tanh())
    }

    /// One step of the length `d`.
    fn step(&self, y: &Tensor<f32, N, 2>, t: f32, d: f32) -> Tensor<f32, N, 2> {
        let a = self.slope(y, t);
        let b = self.slope(y + 0.5 * d * &a, t + 0.5 * d);
        let c = self.slope(y + 0.5 * d * &b, t + 0.5 * d);
        let e = self.slope(y + d * &c, t + d);
        y + d / 6.0 * (a + 2.0 * b + 2.0 * c + e)
    }

    /// Where two steps of the length `d` lead.
    pub fn forward(&self, y: &Tensor<f32, N, 2>, d: f32) -> Tensor<f32, N, 2> {
        let mut y = y;
        for i in 0..2 {
            y = self.step(y, i as f32 * d, d);
        }
        y
    }

    /// The mean squared error of the end.
    pub fn loss(&self, y: &Tensor<f32, N, 2>, end: &Tensor<f32, N, 2>, d: f32) -> Tensor<f32> {
        self.forward(y, d).mse_loss(end)
    }
}

/// Noise that is to be told from pictures (Ho et al. 2020), of ten strengths.
#[netcl::model]
pub struct Diffusion {
    #[layer(entries = 10, features = 6)]
    time: Embedding,
    #[layer(inputs = 1, outputs = 6, kernel = 3, padding = 1)]
    top: Conv2d,
    #[layer(inputs = 6, outputs = 1, kernel = 3, padding = 1)]
    bottom: Conv2d,
}

#[netcl::model]
impl Diffusion {
    /// What is left of the picture and how much noise there is, along a quarter of a circle.
    fn shares(t: &Tensor<u32, N>, more: f32) -> (Tensor<f32, N, 1, 1, 1>, Tensor<f32, N, 1, 1, 1>) {
        let angle = (t.cast(f32).reshape([N, 1, 1, 1]) + more) * std::f32::consts::FRAC_PI_2 / 11.0;
        (angle.cos(), angle.sin())
    }

    /// The noise in pictures.
    pub fn forward(&self, x: &Tensor<f32, N, 1, H, W>, t: &Tensor<u32, N>) -> Tensor<f32, N, 1, H, W> {
        let h = self.top.forward(x) + self.time.forward(t).reshape([N, 6, 1, 1]);
        let groups = h.reshape([N, 2, 3, H, W]);
        let centred = &groups - groups.mean_keepdim([2, 3, 4]);
        let h = &centred * (centred.square().mean_keepdim([2, 3, 4]) + 1e-5).rsqrt();
        self.bottom.forward(h.reshape([N, 6, H, W]).silu())
    }

    /// The pictures with as much noise as before `t`, without chance.
    pub fn step(&self, x: &Tensor<f32, N, 1, H, W>, t: &Tensor<u32, N>) -> Tensor<f32, N, 1, H, W> {
        let (signal, noise) = Self::shares(t, 1.0);
        let found = self.forward(x, t);
        let (next, less) = Self::shares(t, 0.0);
        next * (x - noise * &found) / signal + less * found
    }

    /// The mean squared error of the noise that is found.
    pub fn loss(
        &self,
        x: &Tensor<f32, N, 1, H, W>,
        noise: &Tensor<f32, N, 1, H, W>,
        t: &Tensor<u32, N>,
    ) -> Tensor<f32> {
        let (signal, share) = Self::shares(t, 1.0);
        self.forward(signal * x + share * noise, t).mse_loss(noise)
    }
}

/// A gated convolution over what was before, with holes, and what it adds to the result.
#[netcl::model]
pub struct Gated<const C: usize, const HOLES: usize> {
    #[layer(inputs = C, outputs = { C * 2 }, kernel = (1, 2), dilation = (1, HOLES))]
    gate: Conv2d,
    #[layer(inputs = C, outputs = { C * 2 }, kernel = 1)]
    mix: Conv2d,
}

#[netcl::model]
impl<const C: usize, const HOLES: usize> Gated<C, HOLES> {
    /// What goes on, and what goes to the end.
    pub fn forward(&self, x: &Tensor<f32, N, C, 1, T>) -> (Tensor<f32, N, C, 1, T>, Tensor<f32, N, C, 1, T>) {
        let h = self.gate.forward(x.pad(3, HOLES, 0, 0.0));
        let h = self.mix.forward(h.narrow(1, 0, C).tanh() * h.narrow(1, C, C).sigmoid());
        (x + h.narrow(1, 0, C), h.narrow(1, C, C))
    }
}

/// The next of eight loudnesses, from all before (van den Oord et al. 2016), in sounds of any length.
#[netcl::model]
pub struct WaveNet {
    #[layer(entries = 8, features = 5)]
    sounds: Embedding,
    near: Gated<5, 1>,
    middle: Gated<5, 2>,
    far: Gated<5, 4>,
    #[layer(inputs = 5, outputs = 8)]
    head: Linear,
}

#[netcl::model]
impl WaveNet {
    /// Scores of what comes next.
    pub fn forward(&self, x: &Tensor<u32, N, T>) -> Tensor<f32, N, T, 8> {
        let x = self.sounds.forward(x).transpose(1, 2).unsqueeze(2);
        let (x, a) = self.near.forward(x);
        let (x, b) = self.middle.forward(x);
        let (_, c) = self.far.forward(x);
        self.head.forward((a + b + c).relu().squeeze(2).transpose(1, 2))
    }

    /// The mean cross-entropy against what came.
    pub fn loss(&self, x: &Tensor<u32, N, T>, y: &Tensor<u32, N, T>) -> Tensor<f32> {
        self.forward(x).cross_entropy(y)
    }
}

netcl::kernel! {
    /// The halves of the features turned into each other, further at each place (Su et al. 2021).
    pub fn rotary(x: &Tensor<f32, N, H, T, D>) -> Tensor<f32, N, H, T, D> {
        |n, h, t, d| {
            let angle = t as f32 * (-4.0 * (d % (D / 2)) as f32 / (D / 2) as f32).exp();
            let other = x[n, h, t, (d + D / 2) % D];
            x[n, h, t, d] * angle.cos() + (if d < D / 2 { -other } else { other }) * angle.sin()
        }
    }
}

/// A block of a decoder of words: norms by the root of the mean square, rotary positions, heads that share keys, a gated unit.
#[netcl::model]
pub struct Decoder<const F: usize, const HEADS: usize, const SHARED: usize, const WIDE: usize> {
    #[layer(features = F)]
    norm1: RmsNorm,
    #[layer(inputs = F, outputs = F, bias = false)]
    wq: Linear,
    #[layer(inputs = F, outputs = { F / HEADS * SHARED }, bias = false)]
    wk: Linear,
    #[layer(inputs = F, outputs = { F / HEADS * SHARED }, bias = false)]
    wv: Linear,
    #[layer(inputs = F, outputs = F, bias = false)]
    wo: Linear,
    #[layer(features = F)]
    norm2: RmsNorm,
    #[layer(inputs = F, outputs = WIDE, bias = false)]
    gate: Linear,
    #[layer(inputs = F, outputs = WIDE, bias = false)]
    up: Linear,
    #[layer(inputs = WIDE, outputs = F, bias = false)]
    down: Linear,
}

#[netcl::model]
impl<const F: usize, const HEADS: usize, const SHARED: usize, const WIDE: usize> Decoder<F, HEADS, SHARED, WIDE> {
    /// Each place sees itself and those before it.
    pub fn forward(&self, x: &Tensor<f32, N, T, F>) -> Tensor<f32, N, T, F> {
        let h = self.norm1.forward(x);
        let q = rotary(self.wq.forward(&h).reshape([N, T, HEADS, F / HEADS]).transpose(1, 2));
        let k = rotary(self.wk.forward(&h).reshape([N, T, SHARED, F / HEADS]).transpose(1, 2)).unsqueeze(2);
        let v = self.wv.forward(&h).reshape([N, T, SHARED, F / HEADS]).transpose(1, 2).unsqueeze(2);
        let q = q.reshape([N, SHARED, HEADS / SHARED, T, F / HEADS]);
        let o = q.scaled_dot_product_attention(k, v, true);
        let o = o.reshape([N, HEADS, T, F / HEADS]).transpose(1, 2).reshape([N, T, F]);
        let x = x + self.wo.forward(o);
        let h = self.norm2.forward(&x);
        x + self.down.forward(self.gate.forward(&h).silu() * self.up.forward(&h))
    }

    /// The mean squared error.
    pub fn loss(&self, x: &Tensor<f32, N, T, F>, y: &Tensor<f32, N, T, F>) -> Tensor<f32> {
        self.forward(x).mse_loss(y)
    }
}

/// Four heads, of which two share keys and values.
#[netcl::model]
pub type SmallDecoder = Decoder<16, 4, 2, 21>;
