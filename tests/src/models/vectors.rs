//! Models of vectors: few programs each.

use netcl::prelude::*;

/// Two towers: cosines, cross-entropy both ways, a margin.
#[netcl::model]
pub struct Siamese {
    #[layer(inputs = 6, outputs = 9)]
    a: Linear,
    #[layer(inputs = 9, outputs = 4)]
    b: Linear,
    #[parameter(init = 0.0)]
    scale: Tensor<f32>,
}

#[netcl::model]
impl Siamese {
    /// Vectors of length one.
    pub fn embed(&self, x: &Tensor<f32, N, 6>) -> Tensor<f32, N, 4> {
        let h = self.b.forward(&self.a.forward(x).tanh());
        &h / (h.square().sum_keepdim([1]) + 1e-12).sqrt()
    }

    /// Scaled cosines of all pairs.
    pub fn similarity(&self, x: &Tensor<f32, N, 6>, y: &Tensor<f32, M, 6>) -> Tensor<f32, N, M> {
        self.embed(x).matmul(self.embed(y).t()) * self.scale.exp()
    }

    /// Cross-entropy both ways, and a margin between pairs.
    pub fn loss(&self, x: &Tensor<f32, N, 6>, y: &Tensor<f32, N, 6>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        let s = self.similarity(x, y);
        let both = 0.5 * (s.cross_entropy(labels) + s.t().cross_entropy(labels));
        let d = (self.embed(x) - self.embed(y)).square().sum([1]);
        let margin = (1.0 - (&d + 1e-9).sqrt()).relu().square();
        both + margin.mean_all()
    }
}

/// A mixture of Gaussians, whose likelihood is a sum of exponentials.
#[netcl::model]
pub struct Mixture {
    #[layer(inputs = 1, outputs = 8)]
    hidden: Linear,
    #[layer(inputs = 8, outputs = 9)]
    out: Linear,
}

#[netcl::model]
impl Mixture {
    /// Logarithms of the shares, means, and logarithms of the deviations.
    pub fn forward(&self, x: &Tensor<f32, N, 1>) -> (Tensor<f32, N, 3>, Tensor<f32, N, 3>, Tensor<f32, N, 3>) {
        let o = self.out.forward(&self.hidden.forward(x).tanh());
        (o.narrow(1, 0, 3).log_softmax(1), o.narrow(1, 3, 3), o.narrow(1, 6, 3).clamp(-3.0, 3.0))
    }

    /// The mean negative log-likelihood.
    pub fn loss(&self, x: &Tensor<f32, N, 1>, y: &Tensor<f32, N, 1>) -> Tensor<f32> {
        let (shares, mean, log_sigma) = self.forward(x);
        let z = (y - mean) / log_sigma.exp();
        let density = -0.5 * z.square() - log_sigma;
        -(shares + density).logsumexp([1]).mean_all()
    }
}

/// A variational autoencoder whose noise is an argument.
#[netcl::model]
pub struct Vae {
    #[layer(inputs = 10, outputs = 8)]
    enc: Linear,
    #[layer(inputs = 8, outputs = 3)]
    mean: Linear,
    #[layer(inputs = 8, outputs = 3)]
    logvar: Linear,
    #[layer(inputs = 3, outputs = 8)]
    dec: Linear,
    #[layer(inputs = 8, outputs = 10)]
    out: Linear,
}

#[netcl::model]
impl Vae {
    /// Scores of the inputs, and means and logarithms of the code's variances.
    pub fn forward(
        &self,
        x: &Tensor<f32, N, 10>,
        noise: &Tensor<f32, N, 3>,
    ) -> (Tensor<f32, N, 10>, Tensor<f32, N, 3>, Tensor<f32, N, 3>) {
        let h = self.enc.forward(x).elu(1.0);
        let (mean, logvar) = (self.mean.forward(&h), self.logvar.forward(&h));
        let z = &mean + (0.5 * &logvar).exp() * noise;
        (self.out.forward(&self.dec.forward(&z).softplus()), mean, logvar)
    }

    /// The negative evidence lower bound, whose divergence counts `beta` times.
    pub fn loss(&self, x: &Tensor<f32, N, 10>, noise: &Tensor<f32, N, 3>, beta: f32) -> Tensor<f32> {
        let (y, mean, logvar) = self.forward(x, noise);
        let nll = (y.softplus() - y * x).sum([1]).mean_all();
        let kl = -0.5 * (1.0 + &logvar - mean.square() - logvar.exp()).sum([1]).mean_all();
        nll + beta * kl
    }
}

/// A flow's residual: derivatives by the inputs, carried forward by hand.
#[netcl::model]
pub struct Pinn {
    #[layer(inputs = 2, outputs = 9)]
    a: Linear,
    #[layer(inputs = 9, outputs = 7)]
    b: Linear,
    #[layer(inputs = 7, outputs = 1)]
    c: Linear,
}

#[netcl::model]
impl Pinn {
    /// u, its derivatives by both inputs, and its second by the first.
    pub fn forward(
        &self,
        x: &Tensor<f32, N, 2>,
    ) -> (Tensor<f32, N, 1>, Tensor<f32, N, 1>, Tensor<f32, N, 1>, Tensor<f32, N, 1>) {
        let h = self.a.forward(x).tanh();
        let slope = 1.0 - h.square();
        let hx = &slope * self.a.weight.get(0, 0);
        let ht = &slope * self.a.weight.get(0, 1);
        let hxx = -2.0 * &h * &hx * self.a.weight.get(0, 0);
        let g = self.b.forward(&h).tanh();
        let slope = 1.0 - g.square();
        let zx = hx.matmul(&self.b.weight);
        let gx = &slope * &zx;
        let gt = &slope * ht.matmul(&self.b.weight);
        let gxx = &slope * hxx.matmul(&self.b.weight) - 2.0 * &g * &gx * &zx;
        (self.c.forward(&g), gx.matmul(&self.c.weight), gt.matmul(&self.c.weight), gxx.matmul(&self.c.weight))
    }

    /// The mean square of Burgers' residual inside, and of the error at the start.
    pub fn loss(&self, x: &Tensor<f32, N, 2>, x0: &Tensor<f32, M, 2>, u0: &Tensor<f32, M, 1>) -> Tensor<f32> {
        let (u, ux, ut, uxx) = self.forward(x);
        let residual = ut + u * ux - 0.01 * uxx;
        let (found, _, _, _) = self.forward(x0);
        residual.square().mean_all() + found.mse_loss(u0)
    }
}

#[netcl::function]
fn focal(logit: f32, target: f32, gamma: f32) -> f32 {
    let p = 1.0 / (1.0 + (-logit).exp());
    let right = if target > 0.5 { p } else { 1.0 - p };
    let weight = if target > 0.5 { 0.25 } else { 0.75 };
    -weight * (1.0 - right).powf(gamma) * (right + 1e-7).ln()
}

/// A small net under every loss that there is, and some by hand.
#[netcl::model]
pub struct Losses {
    #[layer(inputs = 7, outputs = 8)]
    a: Linear,
    #[layer(inputs = 8, outputs = 6)]
    b: Linear,
}

#[netcl::model]
impl Losses {
    /// What the losses compare.
    pub fn forward(&self, x: &Tensor<f32, N, 7>) -> Tensor<f32, N, 6> {
        self.b.forward(&self.a.forward(x).selu())
    }

    /// Each loss.
    pub fn parts(
        &self,
        x: &Tensor<f32, { N * 3 }, 7>,
        y: &Tensor<f32, { N * 3 }, 6>,
        t: &Tensor<f32, { N * 3 }, 6>,
        c: &Tensor<u32, { N * 3 }>,
    ) -> Tensor<f32, 14> {
        let z = self.forward(x);
        let log_p = z.log_softmax(1);
        let smooth = -(&log_p * (c.one_hot(6) * 0.85 + 0.15 / 6.0)).sum([1]).mean_all();
        let p = z.sigmoid();
        let dice = 1.0 - (2.0 * (&p * t).sum_all() + 1.0) / (p.sum_all() + t.sum_all() + 1.0);
        let three = z.reshape([3, -1, 6]);
        let (anchor, near, far) = (three.get(0, 0), three.get(0, 1), three.get(0, 2));
        let near = (&anchor - near).square().sum([1]).sqrt();
        let far = (&anchor - far).square().sum([1]).sqrt();
        let triplet = (near - far + 0.3).relu().mean_all();
        let lengths = z.square().sum([1]).sqrt() * y.square().sum([1]).sqrt();
        let cosine = 1.0 - ((&z * y).sum([1]) / lengths.maximum(1e-8)).mean_all();
        let poisson = (z.exp() - y.abs() * &z).mean_all();
        let q = y.softmax(1);
        let kl = (&q * (q.log() - &log_p)).sum([1]).mean_all();
        let hot = c.one_hot(6);
        let right = (&z * &hot).sum_keepdim([1]);
        let hinge = ((1.0 + &z - right).relu() * (1.0 - hot)).sum([1]).mean_all();
        let quantile = ((y - &z).maximum(0.0) * 0.9 + (&z - y).maximum(0.0) * 0.1).mean_all();
        let log_cosh = ((&z - y).abs() + (-2.0 * (&z - y).abs()).exp().log1p() - 2f32.ln()).mean_all();
        let built_in = z.huber_loss(y, 0.7).stack([z.smooth_l1_loss(y, 0.4), z.l1_loss(y), z.mse_loss(y)], 0);
        let by_hand = focal(&z, t, 2.0).mean_all().stack([smooth, dice, triplet, cosine, poisson, kl, hinge], 0);
        built_in.concat([by_hand, quantile.stack([log_cosh], 0)], 0)
    }

    /// The mean of all losses.
    pub fn loss(
        &self,
        x: &Tensor<f32, { N * 3 }, 7>,
        y: &Tensor<f32, { N * 3 }, 6>,
        t: &Tensor<f32, { N * 3 }, 6>,
        c: &Tensor<u32, { N * 3 }>,
    ) -> Tensor<f32> {
        self.parts(x, y, t, c).mean_all()
    }
}

/// Sizes of one more than tiles have, features first, the batch on a middle axis.
#[netcl::model]
pub struct BigMlp {
    #[layer(inputs = 129, outputs = 65)]
    a: Linear,
    #[parameter(init = 0.0)]
    mix: Tensor<f32, 33, 31>,
    #[layer(inputs = 65, outputs = 17)]
    b: Linear,
    #[layer(features = 17)]
    norm: LayerNorm,
    #[layer(inputs = 17, outputs = 3)]
    c: Linear,
}

#[netcl::model]
impl BigMlp {
    /// Scores of the classes.
    pub fn forward(&self, x: &Tensor<f32, 129, N, 31>) -> Tensor<f32, N, 33, 3> {
        let h = self.mix.matmul(self.a.forward(&x.permute([1, 2, 0])).gelu_tanh());
        let h = (&h + 0.5 * h.flip([1])).transpose(0, 1);
        let h = self.norm.forward(&self.b.forward(&h).silu());
        self.c.forward(&h.transpose(0, 1))
    }

    /// The mean cross-entropy against classes.
    pub fn loss(&self, x: &Tensor<f32, 129, N, 31>, y: &Tensor<u32, N, 33>) -> Tensor<f32> {
        self.forward(x).cross_entropy(y)
    }
}

/// The worth of each action: of the state, and of the action in it.
#[netcl::model]
pub struct Dueling {
    #[layer(inputs = 6, outputs = 9)]
    a: Linear,
    #[layer(inputs = 9, outputs = 1)]
    value: Linear,
    #[layer(inputs = 9, outputs = 4)]
    advantage: Linear,
}

#[netcl::model]
impl Dueling {
    /// The worth of each action.
    pub fn forward(&self, state: &Tensor<f32, N, 6>) -> Tensor<f32, N, 4> {
        let h = self.a.forward(state).celu(0.7);
        let advantage = self.advantage.forward(&h);
        self.value.forward(&h) + &advantage - advantage.mean_keepdim([1])
    }
}

/// Two networks, one of which only sets goals.
#[netcl::model]
pub struct Dqn {
    online: Dueling,
    target: Dueling,
}

#[netcl::model]
impl Dqn {
    /// The worth of each action, and the best one.
    pub fn forward(&self, state: &Tensor<f32, N, 6>) -> (Tensor<f32, N, 4>, Tensor<i32, N>) {
        let q = self.online.forward(state);
        (&q, q.argmax(1))
    }

    /// The Huber loss against the reward and the next state's worth as the other network sees it.
    pub fn loss(
        &self,
        state: &Tensor<f32, N, 6>,
        action: &Tensor<u32, N>,
        reward: &Tensor<f32, N>,
        next: &Tensor<f32, N, 6>,
        done: &Tensor<f32, N>,
    ) -> Tensor<f32> {
        let q = (self.online.forward(state) * action.one_hot(4)).sum([1]);
        let best = self.online.forward(next).argmax(1).one_hot(4);
        let next = (self.target.forward(next) * best).sum([1]).detach();
        q.huber_loss(reward + 0.97 * next * (1.0 - done), 1.0)
    }
}
