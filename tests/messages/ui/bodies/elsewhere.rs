//! What other frameworks and Rust call it, and methods on the wrong thing.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
    #[layer(inputs = 8, outputs = 8)]
    layers: [Linear; 3],
}

#[netcl::model]
impl Net {
    pub fn called(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.a(x)
    }

    pub fn unwrapped(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.a.forward(x).expect("forward")
    }

    pub fn joined(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 16> {
        Tensor::cat(&[x, x], 1)
    }

    pub fn viewed(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 2, 4> {
        x.view(N, 2, 4)
    }

    pub fn filled(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x + Tensor::empty([8])
    }

    pub fn sized(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x / x.size(0)
    }

    pub fn counted(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N> {
        x.sum([1]) / x.shape[1] + x.sum([1]) / x.size()[-1] + x.sum([1]) / x.shape(1)
    }

    pub fn softened(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        candle_nn::ops::softmax(&self.a.forward(x), D::Minus1)
    }

    pub fn folded(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.layers.iter().fold(x, |h, layer| layer.forward(&h))
    }

    pub fn all(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32> {
        x.sum()
    }

    pub fn larger(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x.max(0.0)
    }

    pub fn named(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x.softmax("N")
    }

    pub fn dropped(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.a.forward(x);
    }

    pub fn either(&self, x: &Tensor<f32, N, 8>, deep: bool) -> Tensor<f32, N, 8> {
        if deep { x.narrow(1, 0, 4) } else { x }
    }

    pub fn half(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x * (1 / 2)
    }

    pub fn behind(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let mut h = self.a.forward(x);
        *h = h.relu();
        h
    }

    pub fn optional(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        if let Some(y) = x { y } else { x }
    }

    pub fn listed(&self, xs: &[Tensor<f32, N, 8>; 2]) -> Tensor<f32, N, 8> {
        xs[0] + xs[1]
    }

    pub fn past(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let mut h = x;
        for i in 0..4 {
            h = self.layers[i].forward(&h);
        }
        h
    }

    pub fn later(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        todo!()
    }
}

fn main() {
    let _ = Net::called;
}
