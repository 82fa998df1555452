//! Models of vectors: few programs, which every device builds.

use crate::common::{device, everywhere};
use crate::{Twin, agrees, floats, numbers};
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
    pub fn embed(&self, x: &Tensor<f32, N, 6>) -> Tensor<f32, N, 4> {
        let h = self.b.forward(&self.a.forward(x).tanh());
        &h / (h.square().sum_keepdim([1]) + 1e-12).sqrt()
    }

    pub fn similarity(&self, x: &Tensor<f32, N, 6>, y: &Tensor<f32, M, 6>) -> Tensor<f32, N, M> {
        self.embed(x).matmul(self.embed(y).t()) * self.scale.exp()
    }

    pub fn loss(&self, x: &Tensor<f32, N, 6>, y: &Tensor<f32, N, 6>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        let s = self.similarity(x, y);
        let both = 0.5 * (s.cross_entropy(labels) + s.t().cross_entropy(labels));
        let d = (self.embed(x) - self.embed(y)).square().sum([1]);
        let margin = (1.0 - (&d + 1e-9).sqrt()).relu().square();
        both + margin.mean_all()
    }
}

#[test]
fn siamese() -> Result<()> {
    let device = Device::host();
    let twin = Twin::<Siamese> {
        name: "siamese",
        inputs: |device| {
            let rows = |name| floats(device, name, &[5, 6]);
            Ok(vec![rows("siamese/x")?, rows("siamese/y")?, numbers(device, "siamese/labels", &[5], 5)?])
        },
        results: |m, x| Ok(vec![("s", m.similarity(&x[0], &x[1])?), ("e", m.embed(&x[0])?)]),
        loss: |m, x| m.loss(&x[0], &x[1], &x[2]),
        gradients: |m, x| m.loss_with_gradients(&x[0], &x[1], &x[2]).map(|(l, g)| (l, (*g).clone())),
    };
    agrees(&device, Siamese::new(&device, Seed(1))?, &twin)
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
    pub fn forward(&self, x: &Tensor<f32, N, 1>) -> (Tensor<f32, N, 3>, Tensor<f32, N, 3>, Tensor<f32, N, 3>) {
        let o = self.out.forward(&self.hidden.forward(x).tanh());
        (o.narrow(1, 0, 3).log_softmax(1), o.narrow(1, 3, 3), o.narrow(1, 6, 3).clamp(-3.0, 3.0))
    }

    pub fn loss(&self, x: &Tensor<f32, N, 1>, y: &Tensor<f32, N, 1>) -> Tensor<f32> {
        let (shares, mean, log_sigma) = self.forward(x);
        let z = (y - mean) / log_sigma.exp();
        let density = -0.5 * z.square() - log_sigma;
        -(shares + density).logsumexp([1]).mean_all()
    }
}

#[test]
fn mixture() -> Result<()> {
    let twin = Twin::<Mixture> {
        name: "mixture",
        inputs: |device| Ok(vec![floats(device, "mixture/x", &[17, 1])?, floats(device, "mixture/y", &[17, 1])?]),
        results: |m, x| m.forward(&x[0]).map(|(p, mean, sigma)| vec![("p", p), ("mean", mean), ("sigma", sigma)]),
        loss: |m, x| m.loss(&x[0], &x[1]),
        gradients: |m, x| m.loss_with_gradients(&x[0], &x[1]).map(|(l, g)| (l, (*g).clone())),
    };
    everywhere(|| agrees(&device(), Mixture::new(&device(), Seed(1))?, &twin))
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

    pub fn loss(&self, x: &Tensor<f32, N, 10>, noise: &Tensor<f32, N, 3>, beta: f32) -> Tensor<f32> {
        let (y, mean, logvar) = self.forward(x, noise);
        let nll = (y.softplus() - y * x).sum([1]).mean_all();
        let kl = -0.5 * (1.0 + &logvar - mean.square() - logvar.exp()).sum([1]).mean_all();
        nll + beta * kl
    }
}

#[test]
fn vae() -> Result<()> {
    let device = Device::host();
    let twin = Twin::<Vae> {
        name: "vae",
        inputs: |device| Ok(vec![floats(device, "vae/x", &[7, 10])?, floats(device, "vae/noise", &[7, 3])?]),
        results: |m, x| {
            m.forward(&x[0], &x[1]).map(|(y, mean, logvar)| vec![("y", y), ("mean", mean), ("logvar", logvar)])
        },
        loss: |m, x| m.loss(&x[0], &x[1], 0.5),
        gradients: |m, x| m.loss_with_gradients(&x[0], &x[1], 0.5).map(|(l, g)| (l, (*g).clone())),
    };
    agrees(&device, Vae::new(&device, Seed(1))?, &twin)
}
