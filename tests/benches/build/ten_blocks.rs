//! Fifty layers in ten generic blocks that have nothing in common: each has kernels of its own.

use netcl::prelude::*;

#[netcl::model]
pub struct Residual<const C: usize> {
    #[layer(inputs = C, outputs = C, kernel = 3, padding = 1)]
    a: Conv2d,
    #[layer(features = C)]
    n: BatchNorm,
}

#[netcl::model]
impl<const C: usize> Residual<C> {
    pub fn forward(&self, x: &Tensor<f32, N, C, H, W>) -> Tensor<f32, N, C, H, W> {
        x + self.n.forward(self.a.forward(x)).relu()
    }
}

#[netcl::model]
pub struct Depthwise<const C: usize> {
    #[layer(inputs = C, outputs = C, kernel = 3, padding = 1, groups = C)]
    d: Conv2d,
    #[layer(inputs = C, outputs = C, kernel = 1)]
    p: Conv2d,
}

#[netcl::model]
impl<const C: usize> Depthwise<C> {
    pub fn forward(&self, x: &Tensor<f32, N, C, H, W>) -> Tensor<f32, N, C, H, W> {
        x + self.p.forward(self.d.forward(x).silu())
    }
}

#[netcl::model]
pub struct Squeeze<const C: usize> {
    #[layer(inputs = C, outputs = { C / 2 })]
    down: Linear,
    #[layer(inputs = { C / 2 }, outputs = C)]
    up: Linear,
}

#[netcl::model]
impl<const C: usize> Squeeze<C> {
    pub fn forward(&self, x: &Tensor<f32, N, C, H, W>) -> Tensor<f32, N, C, H, W> {
        let s = self.up.forward(self.down.forward(x.mean([2, 3])).relu()).sigmoid();
        x * s.unsqueeze(2).unsqueeze(3)
    }
}

#[netcl::model]
pub struct Dilated<const C: usize> {
    #[layer(inputs = C, outputs = C, kernel = 3, padding = 2, dilation = 2)]
    a: Conv2d,
}

#[netcl::model]
impl<const C: usize> Dilated<C> {
    pub fn forward(&self, x: &Tensor<f32, N, C, H, W>) -> Tensor<f32, N, C, H, W> {
        x + self.a.forward(x).gelu()
    }
}

#[netcl::model]
pub struct Attention<const D: usize> {
    #[layer(features = D)]
    n: LayerNorm,
    #[layer(inputs = D, outputs = { D * 3 })]
    qkv: Linear,
    #[layer(inputs = D, outputs = D)]
    o: Linear,
}

#[netcl::model]
impl<const D: usize> Attention<D> {
    pub fn forward(&self, x: &Tensor<f32, N, T, D>) -> Tensor<f32, N, T, D> {
        let h = self.qkv.forward(self.n.forward(x));
        let q = h.narrow(2, 0, D);
        let k = h.narrow(2, D, D);
        let v = h.narrow(2, D * 2, D);
        x + self.o.forward((q.matmul(k.transpose(-1, -2)) * 0.17).softmax(-1).matmul(v))
    }
}

#[netcl::model]
pub struct SwiGlu<const D: usize> {
    #[layer(features = D)]
    n: RmsNorm,
    #[layer(inputs = D, outputs = { D * 2 })]
    g: Linear,
    #[layer(inputs = D, outputs = { D * 2 })]
    u: Linear,
    #[layer(inputs = { D * 2 }, outputs = D)]
    d: Linear,
}

#[netcl::model]
impl<const D: usize> SwiGlu<D> {
    pub fn forward(&self, x: &Tensor<f32, N, T, D>) -> Tensor<f32, N, T, D> {
        let h = self.n.forward(x);
        x + self.d.forward(self.g.forward(&h).silu() * self.u.forward(&h))
    }
}

#[netcl::model]
pub struct Mixer<const T: usize, const D: usize> {
    #[layer(inputs = T, outputs = T)]
    a: Linear,
}

#[netcl::model]
impl<const T: usize, const D: usize> Mixer<T, D> {
    pub fn forward(&self, x: &Tensor<f32, N, T, D>) -> Tensor<f32, N, T, D> {
        x + self.a.forward(x.transpose(1, 2)).gelu().transpose(1, 2)
    }
}

#[netcl::model]
pub struct LinearAttention<const D: usize> {
    #[layer(inputs = D, outputs = D)]
    q: Linear,
    #[layer(inputs = D, outputs = D)]
    k: Linear,
    #[layer(inputs = D, outputs = D)]
    v: Linear,
}

#[netcl::model]
impl<const D: usize> LinearAttention<D> {
    pub fn forward(&self, x: &Tensor<f32, N, T, D>) -> Tensor<f32, N, T, D> {
        let kv = self.k.forward(x).softmax(1).transpose(1, 2).matmul(self.v.forward(x));
        x + self.q.forward(x).softmax(-1).matmul(kv)
    }
}

#[netcl::model]
pub struct Highway<const D: usize> {
    #[layer(inputs = D, outputs = D)]
    t: Linear,
    #[layer(inputs = D, outputs = D)]
    h: Linear,
}

#[netcl::model]
impl<const D: usize> Highway<D> {
    pub fn forward(&self, x: &Tensor<f32, N, T, D>) -> Tensor<f32, N, T, D> {
        let t = self.t.forward(x).sigmoid();
        &t * self.h.forward(x).tanh() + (1.0 - &t) * x
    }
}

#[netcl::model]
pub struct Normed<const D: usize> {
    #[layer(features = D)]
    n: LayerNorm,
    #[layer(inputs = D, outputs = D)]
    a: Linear,
}

#[netcl::model]
impl<const D: usize> Normed<D> {
    pub fn forward(&self, x: &Tensor<f32, N, T, D>) -> Tensor<f32, N, T, D> {
        x + self.a.forward(self.n.forward(x).mish())
    }
}

#[netcl::model]
pub struct TenBlocks {
    r: [Residual<16>; 5],
    d: [Depthwise<16>; 5],
    s: [Squeeze<16>; 5],
    l: [Dilated<16>; 5],
    a: [Attention<16>; 5],
    g: [SwiGlu<16>; 5],
    m: [Mixer<64, 16>; 5],
    la: [LinearAttention<16>; 5],
    h: [Highway<16>; 5],
    n: [Normed<16>; 5],
}

#[netcl::model]
impl TenBlocks {
    pub fn loss(&self, x: &Tensor<f32, N, 16, 8, 8>, y: &Tensor<f32, N, 16>) -> Tensor<f32> {
        let mut x = x + 0.0;
        for b in &self.r {
            x = b.forward(x);
        }
        for b in &self.d {
            x = b.forward(x);
        }
        for b in &self.s {
            x = b.forward(x);
        }
        for b in &self.l {
            x = b.forward(x);
        }
        let mut z = x.reshape([N, 16, 64]).transpose(1, 2);
        for b in &self.a {
            z = b.forward(z);
        }
        for b in &self.g {
            z = b.forward(z);
        }
        for b in &self.m {
            z = b.forward(z);
        }
        for b in &self.la {
            z = b.forward(z);
        }
        for b in &self.h {
            z = b.forward(z);
        }
        for b in &self.n {
            z = b.forward(z);
        }
        z.mean([1]).mse_loss(y)
    }
}
