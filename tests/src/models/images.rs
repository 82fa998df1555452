//! Models of images.

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
    /// Scores of the classes.
    pub fn forward(&self, x: &Tensor<f32, N, 3, 17, 13>) -> Tensor<f32, N, 3> {
        let h = self.norm1.forward(&self.conv1.forward(x)).relu();
        let h = (self.norm2.forward(&self.conv2.forward(&h)) + self.skip_norm.forward(&self.skip.forward(x))).relu();
        let h = self.average.forward(&self.pool.forward(&h));
        self.head.forward(&h.mean([2]).flatten(1))
    }

    /// The mean cross-entropy against classes.
    pub fn loss(&self, x: &Tensor<f32, N, 3, 17, 13>, y: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(y)
    }
}

/// Attention and two layers, each with a norm before and a sum around it.
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
    /// What the block computes.
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
    /// Scores of the classes, from the class token.
    pub fn forward(&self, x: &Tensor<f32, N, 2, 12, 12>) -> Tensor<f32, N, 4> {
        let patches = self.patch.forward(x).reshape([N, 12, 9]).transpose(1, 2);
        let class = self.class.broadcast_to([N, 1, 12]);
        let mut h = class.concat([patches], 1) + &self.position;
        for block in &self.blocks {
            h = block.forward(&h);
        }
        self.head.forward(&self.norm.forward(&h.get(1, 0)))
    }

    /// The mean cross-entropy against classes.
    pub fn loss(&self, x: &Tensor<f32, N, 2, 12, 12>, y: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(y)
    }
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
    /// Scores of the classes.
    pub fn forward(&self, x: &Tensor<f32, N, 3, 20, 28>) -> Tensor<f32, N, 5> {
        let x = self.stem.forward(x);
        let h = self.norm.forward(&self.depth.forward(&x).permute([0, 2, 3, 1]));
        let h = &self.scale * self.down.forward(&self.up.forward(&h).gelu());
        let x = x + h.permute([0, 3, 1, 2]);
        let gate = self.excite.forward(&self.squeeze.forward(&x.mean([2, 3])).relu()).hard_sigmoid();
        let x = x * gate.reshape([N, 6, 1, 1]);
        self.head.forward(&self.conv.forward(&x).silu().mean([-2, -1]))
    }

    /// The mean negative log-likelihood of classes.
    pub fn loss(&self, x: &Tensor<f32, N, 3, 20, 28>, y: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).log_softmax(-1).nll_loss(y)
    }
}

/// Depthwise-separable convolutions and an inverted residual, with smoothed labels.
#[netcl::model]
pub struct Mobile {
    #[layer(inputs = 3, outputs = 4, kernel = 3, stride = 2, padding = 1, bias = false)]
    stem: Conv2d,
    #[layer(features = 4)]
    norm0: BatchNorm,
    #[layer(inputs = 4, outputs = 12, kernel = 1, bias = false)]
    expand: Conv2d,
    #[layer(features = 12)]
    norm1: BatchNorm,
    #[layer(inputs = 12, outputs = 12, kernel = 3, padding = 1, groups = 12, bias = false)]
    depth1: Conv2d,
    #[layer(features = 12)]
    norm2: BatchNorm,
    #[layer(inputs = 12, outputs = 4, kernel = 1, bias = false)]
    project: Conv2d,
    #[layer(features = 4)]
    norm3: BatchNorm,
    #[layer(inputs = 4, outputs = 8, kernel = (5, 3), padding = (2, 1), stride = (2, 1), groups = 4)]
    depth2: Conv2d,
    #[layer(inputs = 8, outputs = 9, kernel = 1)]
    point2: Conv2d,
    #[layer(rate = 0.0)]
    drop: Dropout,
    #[layer(inputs = 9, outputs = 5)]
    head: Linear,
}

#[netcl::model]
impl Mobile {
    /// Scores of the classes.
    pub fn forward(&self, x: &Tensor<f32, N, 3, 13, 11>) -> Tensor<f32, N, 5> {
        let h = self.norm0.forward(&self.stem.forward(x)).relu6();
        let wide = self.norm1.forward(&self.expand.forward(&h)).relu6();
        let wide = self.norm2.forward(&self.depth1.forward(&wide)).relu6();
        let h = h + self.norm3.forward(&self.project.forward(&wide));
        let h = self.point2.forward(&self.depth2.forward(&h).hard_swish()).relu6();
        self.head.forward(&self.drop.forward(&h.mean([2, 3])))
    }

    /// The mean cross-entropy against classes of which a tenth is spread over all.
    pub fn loss(&self, x: &Tensor<f32, N, 3, 13, 11>, y: &Tensor<u32, N>) -> Tensor<f32> {
        let smooth = y.one_hot(5) * 0.9 + 0.1 / 5.0;
        -(self.forward(x).log_softmax(-1) * smooth).sum([1]).mean_all()
    }
}

/// Down and up again, with nearest neighbours in two spellings, and two losses of masks.
#[netcl::model]
pub struct Unet {
    #[layer(inputs = 2, outputs = 4, kernel = 3, padding = 1)]
    down1: Conv2d,
    #[layer(kernel = 2)]
    pool: MaxPool2d,
    #[layer(inputs = 4, outputs = 5, kernel = 3, padding = 1)]
    down2: Conv2d,
    #[layer(inputs = 5, outputs = 6, kernel = 3, padding = 2, dilation = 2)]
    middle: Conv2d,
    #[layer(inputs = 11, outputs = 5, kernel = 3, padding = 1)]
    up2: Conv2d,
    #[layer(inputs = 9, outputs = 3, kernel = 3, padding = 1)]
    up1: Conv2d,
    #[layer(inputs = 3, outputs = 1, kernel = 1)]
    out: Conv2d,
}

#[netcl::model]
impl Unet {
    /// A score for each pixel.
    pub fn forward(&self, x: &Tensor<f32, N, 2, 12, 20>) -> Tensor<f32, N, 1, 12, 20> {
        let a = self.down1.forward(x).relu();
        let b = self.down2.forward(&self.pool.forward(&a)).relu();
        let c = self.middle.forward(&self.pool.forward(&b)).relu();
        let c = c.unsqueeze(3).unsqueeze(5).broadcast_to([N, 6, 3, 2, 5, 2]).reshape([N, 6, 6, 10]);
        let d = self.up2.forward(&c.concat([b], 1)).relu();
        let d = d.unsqueeze(3).repeat(3, 2).reshape([N, 5, 12, 10]).unsqueeze(4).repeat(4, 2).reshape([N, 5, 12, 20]);
        self.out.forward(&self.up1.forward(&d.concat([a], 1)).relu())
    }

    /// One minus the masks' overlap, and the cross-entropy of pixels.
    pub fn loss(&self, x: &Tensor<f32, N, 2, 12, 20>, y: &Tensor<f32, N, 1, 12, 20>) -> Tensor<f32> {
        let logits = self.forward(x);
        let p = logits.sigmoid();
        let overlap = (&p * y).sum([1, 2, 3]);
        let total = p.sum([1, 2, 3]) + y.sum([1, 2, 3]);
        let dice = (1.0 - (2.0 * overlap + 1.0) / (total + 1.0)).mean_all();
        dice + logits.bce_with_logits(y)
    }
}

/// Patches by reshaping and permuting, layers along either axis, the largest of each feature. A batch of one.
#[netcl::model]
pub struct Mixer {
    #[layer(inputs = 45, outputs = 9)]
    embed: Linear,
    #[layer(features = 9)]
    norm1: LayerNorm,
    #[layer(inputs = 4, outputs = 7)]
    token1: Linear,
    #[layer(inputs = 7, outputs = 4)]
    token2: Linear,
    #[layer(features = 9)]
    norm2: LayerNorm,
    #[layer(inputs = 9, outputs = 13)]
    channel1: Linear,
    #[layer(inputs = 13, outputs = 9)]
    channel2: Linear,
    #[layer(inputs = 9, outputs = 5)]
    head: Linear,
}

#[netcl::model]
impl Mixer {
    /// Scores of the classes.
    pub fn forward(&self, x: &Tensor<f32, N, 3, 6, 10>) -> Tensor<f32, N, 5> {
        let patches = x.reshape([N, 3, 2, 3, 2, 5]).permute([0, 2, 4, 1, 3, 5]).reshape([N, 4, 45]);
        let h = self.embed.forward(&patches);
        let tokens = self.norm1.forward(&h).t();
        let h = h + self.token2.forward(&self.token1.forward(&tokens).gelu()).t();
        let h = &h + self.channel2.forward(&self.channel1.forward(&self.norm2.forward(&h)).gelu());
        self.head.forward(&h.max([1]))
    }

    /// The mean cross-entropy against classes.
    pub fn loss(&self, x: &Tensor<f32, N, 3, 6, 10>, y: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(y)
    }
}
