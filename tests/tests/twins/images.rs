//! Models of images.

use crate::{Twin, agrees, floats, numbers};
use netcl::prelude::*;

/// Residual blocks with batch norm in all its settings, and both kinds of pools.
#[netcl::model]
pub struct Residual {
    #[layer(inputs = 3, outputs = 5, kernel = 3, stride = 2, padding = 1, bias = false)]
    conv1: Conv2d,
    #[layer(features = 5)]
    norm1: BatchNorm,
    #[layer(inputs = 5, outputs = 5, kernel = 3, padding = 1)]
    conv2: Conv2d,
    #[layer(features = 5, momentum = 0.3, epsilon = 1e-3)]
    norm2: BatchNorm,
    #[layer(inputs = 3, outputs = 5, kernel = 1, stride = 2, bias = false)]
    skip: Conv2d,
    #[layer(features = 5, affine = false)]
    skip_norm: BatchNorm,
    #[layer(kernel = 3, stride = 2, padding = 1)]
    pool: MaxPool2d,
    #[layer(kernel = 2)]
    average: AvgPool2d,
    #[layer(inputs = 10, outputs = 3)]
    head: Linear,
}

#[netcl::model]
impl Residual {
    pub fn forward(&self, x: &Tensor<f32, N, 3, 17, 13>) -> Tensor<f32, N, 3> {
        let h = self.norm1.forward(&self.conv1.forward(x)).relu();
        let h = (self.norm2.forward(&self.conv2.forward(&h)) + self.skip_norm.forward(&self.skip.forward(x))).relu();
        let h = self.average.forward(&self.pool.forward(&h));
        self.head.forward(&h.mean([2]).flatten(1))
    }

    pub fn loss(&self, x: &Tensor<f32, N, 3, 17, 13>, y: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(y)
    }
}

#[test]
fn residual() -> Result<()> {
    let device = Device::host();
    let twin = Twin::<Residual> {
        name: "residual",
        inputs: |device| {
            Ok(vec![floats(device, "residual/x", &[4, 3, 17, 13])?, numbers(device, "residual/y", &[4], 3)?])
        },
        results: |m, x| Ok(vec![("y", m.forward(&x[0])?)]),
        loss: |m, x| m.loss(&x[0], &x[1]),
        gradients: |m, x| m.loss_with_gradients(&x[0], &x[1]).map(|(l, g)| (l, (*g).clone())),
    };
    agrees(&device, Residual::new(&device, Seed(1))?, &twin)
}

#[netcl::model]
pub struct Encoder {
    #[layer(features = 12)]
    norm1: LayerNorm,
    #[layer(features = 12, heads = 3)]
    attention: SelfAttention,
    #[layer(features = 12)]
    norm2: LayerNorm,
    #[layer(inputs = 12, outputs = 19)]
    up: Linear,
    #[layer(inputs = 19, outputs = 12)]
    down: Linear,
}

#[netcl::model]
impl Encoder {
    pub fn forward(&self, x: &Tensor<f32, N, 10, 12>) -> Tensor<f32, N, 10, 12> {
        let x = x + self.attention.forward(&self.norm1.forward(x));
        x + self.down.forward(&self.up.forward(&self.norm2.forward(&x)).gelu())
    }
}

/// Patches by a convolution, a class token, two blocks.
#[netcl::model]
pub struct Vit {
    #[layer(inputs = 2, outputs = 12, kernel = 4, stride = 4)]
    patch: Conv2d,
    #[parameter(init = 0.0)]
    class: Tensor<f32, 1, 1, 12>,
    #[parameter(init = 0.0)]
    position: Tensor<f32, 10, 12>,
    blocks: [Encoder; 2],
    #[layer(features = 12)]
    norm: LayerNorm,
    #[layer(inputs = 12, outputs = 4)]
    head: Linear,
}

#[netcl::model]
impl Vit {
    pub fn forward(&self, x: &Tensor<f32, N, 2, 12, 12>) -> Tensor<f32, N, 4> {
        let patches = self.patch.forward(x).reshape([N, 12, 9]).transpose(1, 2);
        let class = self.class.broadcast_to([N, 1, 12]);
        let mut h = class.concat([patches], 1) + &self.position;
        for block in &self.blocks {
            h = block.forward(&h);
        }
        self.head.forward(&self.norm.forward(&h.get(1, 0)))
    }

    pub fn loss(&self, x: &Tensor<f32, N, 2, 12, 12>, y: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(y)
    }
}

#[test]
fn vit() -> Result<()> {
    let device = Device::host();
    let twin = Twin::<Vit> {
        name: "vit",
        inputs: |device| Ok(vec![floats(device, "vit/x", &[3, 2, 12, 12])?, numbers(device, "vit/y", &[3], 4)?]),
        results: |m, x| Ok(vec![("y", m.forward(&x[0])?)]),
        loss: |m, x| m.loss(&x[0], &x[1]),
        gradients: |m, x| m.loss_with_gradients(&x[0], &x[1]).map(|(l, g)| (l, (*g).clone())),
    };
    agrees(&device, Vit::new(&device, Seed(1))?, &twin)
}

/// A depthwise convolution, channels last by permutation, layer scale, squeeze and excitation.
#[netcl::model]
pub struct ConvNext {
    #[layer(inputs = 3, outputs = 6, kernel = 4, stride = 4)]
    stem: Conv2d,
    #[layer(inputs = 6, outputs = 6, kernel = 7, padding = 3, groups = 6)]
    depth: Conv2d,
    #[layer(features = 6)]
    norm: LayerNorm,
    #[layer(inputs = 6, outputs = 14)]
    up: Linear,
    #[layer(inputs = 14, outputs = 6)]
    down: Linear,
    #[parameter(init = 0.0)]
    scale: Tensor<f32, 6>,
    #[layer(inputs = 6, outputs = 3)]
    squeeze: Linear,
    #[layer(inputs = 3, outputs = 6)]
    excite: Linear,
    #[layer(inputs = 6, outputs = 7, kernel = 3, stride = 2, padding = 1)]
    conv: Conv2d,
    #[layer(inputs = 7, outputs = 5)]
    head: Linear,
}

#[netcl::model]
impl ConvNext {
    pub fn forward(&self, x: &Tensor<f32, N, 3, 20, 28>) -> Tensor<f32, N, 5> {
        let x = self.stem.forward(x);
        let h = self.norm.forward(&self.depth.forward(&x).permute([0, 2, 3, 1]));
        let h = &self.scale * self.down.forward(&self.up.forward(&h).gelu());
        let x = x + h.permute([0, 3, 1, 2]);
        let gate = self.excite.forward(&self.squeeze.forward(&x.mean([2, 3])).relu()).hard_sigmoid();
        let x = x * gate.reshape([N, 6, 1, 1]);
        self.head.forward(&self.conv.forward(&x).silu().mean([-2, -1]))
    }

    pub fn loss(&self, x: &Tensor<f32, N, 3, 20, 28>, y: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).log_softmax(-1).nll_loss(y)
    }
}

#[test]
fn convnext() -> Result<()> {
    let device = Device::host();
    let twin = Twin::<ConvNext> {
        name: "convnext",
        inputs: |device| {
            Ok(vec![floats(device, "convnext/x", &[2, 3, 20, 28])?, numbers(device, "convnext/y", &[2], 5)?])
        },
        results: |m, x| Ok(vec![("y", m.forward(&x[0])?)]),
        loss: |m, x| m.loss(&x[0], &x[1]),
        gradients: |m, x| m.loss_with_gradients(&x[0], &x[1]).map(|(l, g)| (l, (*g).clone())),
    };
    agrees(&device, ConvNext::new(&device, Seed(1))?, &twin)
}
