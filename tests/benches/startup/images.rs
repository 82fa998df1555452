//! Small models of images.

pub mod vit {
    //! Patches by a convolution, a class token, two blocks of attention.

    use netcl::prelude::*;

    #[netcl::model]
    pub struct Encoder {
        #[layer(features = 36)]
        norm1: LayerNorm,
        #[layer(features = 36, heads = 3)]
        attention: SelfAttention,
        #[layer(features = 36)]
        norm2: LayerNorm,
        #[layer(inputs = 36, outputs = 77)]
        up: Linear,
        #[layer(inputs = 77, outputs = 36)]
        down: Linear,
    }
    #[netcl::model]
    impl Encoder {
        pub fn forward(&self, x: &Tensor<f32, N, 10, 36>) -> Tensor<f32, N, 10, 36> {
            let x = x + self.attention.forward(&self.norm1.forward(x));
            x + self.down.forward(&self.up.forward(&self.norm2.forward(&x)).gelu())
        }
    }
    #[netcl::model]
    pub struct Vit {
        #[layer(inputs = 3, outputs = 36, kernel = 11, stride = 11)]
        patch: Conv2d,
        #[parameter(init = normal(0.02))]
        class: Tensor<f32, 1, 1, 36>,
        #[parameter(init = normal(0.02))]
        position: Tensor<f32, 10, 36>,
        blocks: [Encoder; 2],
        #[layer(features = 36)]
        norm: LayerNorm,
        #[layer(inputs = 36, outputs = 7)]
        head: Linear,
    }
    #[netcl::model]
    impl Vit {
        pub fn forward(&self, x: &Tensor<f32, N, 3, 33, 33>) -> Tensor<f32, N, 7> {
            let p = self.patch.forward(x).reshape([N, 36, 9]).transpose(1, 2);
            let class = self.class.broadcast_to([N, 1, 36]);
            let mut h = class.concat([p], 1) + &self.position;
            for block in &self.blocks {
                h = block.forward(&h);
            }
            self.head.forward(&self.norm.forward(&h.get(1, 0)))
        }
        pub fn loss(&self, x: &Tensor<f32, N, 3, 33, 33>, y: &Tensor<u32, N>) -> Tensor<f32> {
            self.forward(x).cross_entropy(y)
        }
    }
}

pub mod unet {
    //! An encoder and a decoder with two ways of upsampling.

    use netcl::prelude::*;

    #[netcl::model]
    pub struct Unet {
        #[layer(inputs = 2, outputs = 6, kernel = 3, padding = 1)]
        enc1: Conv2d,
        #[layer(kernel = 2)]
        pool: MaxPool2d,
        #[layer(inputs = 6, outputs = 11, kernel = 3, padding = 1)]
        enc2: Conv2d,
        #[layer(inputs = 11, outputs = 13, kernel = 3, padding = 2, dilation = 2)]
        mid: Conv2d,
        #[layer(inputs = 24, outputs = 9, kernel = 3, padding = 1)]
        dec2: Conv2d,
        #[layer(inputs = 15, outputs = 5, kernel = 3, padding = 1)]
        dec1: Conv2d,
        #[layer(inputs = 5, outputs = 1, kernel = 1)]
        out: Conv2d,
    }
    #[netcl::model]
    impl Unet {
        pub fn forward(&self, x: &Tensor<f32, N, 2, 20, 28>) -> Tensor<f32, N, 1, 20, 28> {
            let a = self.enc1.forward(x).relu(); // 6 x 20 x 28
            let b = self.enc2.forward(&self.pool.forward(&a)).relu(); // 11 x 10 x 14
            let c = self.mid.forward(&self.pool.forward(&b)).relu(); // 13 x 5 x 7
            // nearest upsampling in two ways
            let up = c.unsqueeze(3).unsqueeze(5).broadcast_to([N, 13, 5, 2, 7, 2]).reshape([N, 13, 10, 14]);
            let d = self.dec2.forward(&up.concat([&b], 1)).relu(); // 9 x 10 x 14
            let up =
                d.unsqueeze(3).repeat(3, 2).reshape([N, 9, 20, 14]).unsqueeze(4).repeat(4, 2).reshape([N, 9, 20, 28]);
            let e = self.dec1.forward(&up.concat([a], 1)).relu();
            self.out.forward(&e)
        }
        pub fn loss(&self, x: &Tensor<f32, N, 2, 20, 28>, y: &Tensor<f32, N, 1, 20, 28>) -> Tensor<f32> {
            let logits = self.forward(x);
            let p = logits.sigmoid();
            let overlap = (&p * y).sum([1, 2, 3]);
            let total = p.sum([1, 2, 3]) + y.sum([1, 2, 3]);
            let dice = (1.0 - (2.0 * overlap + 1.0) / (total + 1.0)).mean_all();
            dice + logits.bce_with_logits(y)
        }
    }
}

pub mod mobile {
    //! Convolutions of groups and of single pixels, batch norm.

    use netcl::prelude::*;

    #[netcl::model]
    pub struct Mobile {
        #[layer(inputs = 3, outputs = 8, kernel = 3, stride = 2, padding = 1, bias = false)]
        stem: Conv2d,
        #[layer(features = 8)]
        bn0: BatchNorm,
        #[layer(inputs = 8, outputs = 24, kernel = 1, bias = false)]
        expand: Conv2d,
        #[layer(features = 24)]
        bn1: BatchNorm,
        #[layer(inputs = 24, outputs = 24, kernel = 3, padding = 1, groups = 24, bias = false)]
        depth: Conv2d,
        #[layer(features = 24)]
        bn2: BatchNorm,
        #[layer(inputs = 24, outputs = 8, kernel = 1, bias = false)]
        project: Conv2d,
        #[layer(features = 8)]
        bn3: BatchNorm,
        #[layer(inputs = 8, outputs = 16, kernel = (5, 3), padding = (2, 1), stride = (2, 1), groups = 8)]
        depth2: Conv2d,
        #[layer(inputs = 16, outputs = 19, kernel = 1)]
        point2: Conv2d,
        #[layer(rate = 0.0)]
        drop: Dropout,
        #[layer(inputs = 19, outputs = 11)]
        head: Linear,
    }
    #[netcl::model]
    impl Mobile {
        pub fn forward(&self, x: &Tensor<f32, N, 3, 27, 31>) -> Tensor<f32, N, 11> {
            let h = self.bn0.forward(&self.stem.forward(x)).relu6(); // 14 x 16
            let e = self.bn1.forward(&self.expand.forward(&h)).relu6();
            let d = self.bn2.forward(&self.depth.forward(&e)).relu6();
            let h = h + self.bn3.forward(&self.project.forward(&d));
            let h = self.point2.forward(&self.depth2.forward(&h).hard_swish()).relu6(); // 7 x 16
            self.head.forward(&self.drop.forward(&h.mean([2, 3])))
        }
        pub fn loss(&self, x: &Tensor<f32, N, 3, 27, 31>, y: &Tensor<u32, N>) -> Tensor<f32> {
            let logp = self.forward(x).log_softmax(-1);
            let target = y.one_hot(11) * 0.9 + 0.1 / 11.0;
            -(logp * target).sum([1]).mean_all()
        }
    }
}

pub mod convnext {
    //! A wide depthwise convolution, channels last, layer scale, squeeze and excitation.

    use netcl::prelude::*;

    #[netcl::model]
    pub struct Next {
        #[layer(inputs = 3, outputs = 18, kernel = 4, stride = 4)]
        stem: Conv2d,
        #[layer(inputs = 18, outputs = 18, kernel = 7, padding = 3, groups = 18)]
        depth: Conv2d,
        #[layer(features = 18)]
        norm: LayerNorm,
        #[layer(inputs = 18, outputs = 72)]
        up: Linear,
        #[layer(inputs = 72, outputs = 18)]
        down: Linear,
        #[parameter(init = 0.1)]
        scale: Tensor<f32, 18>,
        #[layer(inputs = 18, outputs = 6)]
        squeeze: Linear,
        #[layer(inputs = 6, outputs = 18)]
        excite: Linear,
        #[layer(inputs = 18, outputs = 26, kernel = 3, stride = 2, padding = 1)]
        conv: Conv2d,
        #[layer(inputs = 26, outputs = 5)]
        head: Linear,
    }
    #[netcl::model]
    impl Next {
        pub fn forward(&self, x: &Tensor<f32, N, 3, 36, 44>) -> Tensor<f32, N, 5> {
            let x = self.stem.forward(x); // 18 x 9 x 11
            let h = self.norm.forward(&self.depth.forward(&x).permute([0, 2, 3, 1]));
            let h = &self.scale * self.down.forward(&self.up.forward(&h).gelu());
            let x = x + h.permute([0, 3, 1, 2]);
            let gate = self.excite.forward(&self.squeeze.forward(&x.mean([2, 3])).relu()).hard_sigmoid();
            let x = x * gate.reshape([N, 18, 1, 1]);
            self.head.forward(&self.conv.forward(&x).silu().mean([-2, -1]))
        }
        pub fn loss(&self, x: &Tensor<f32, N, 3, 36, 44>, y: &Tensor<u32, N>) -> Tensor<f32> {
            self.forward(x).log_softmax(-1).nll_loss(y)
        }
    }
}

pub mod resblock {
    //! Residual blocks with batch norm, both kinds of pools.

    use netcl::prelude::*;

    #[netcl::model]
    pub struct Res {
        #[layer(inputs = 5, outputs = 7, kernel = 3, stride = 2, padding = 1, bias = false)]
        conv1: Conv2d,
        #[layer(features = 7)]
        norm1: BatchNorm,
        #[layer(inputs = 7, outputs = 7, kernel = 3, padding = 1)]
        conv2: Conv2d,
        #[layer(features = 7, momentum = 0.3, epsilon = 1e-3)]
        norm2: BatchNorm,
        #[layer(inputs = 5, outputs = 7, kernel = 1, stride = 2, bias = false)]
        skip: Conv2d,
        #[layer(features = 7, affine = false)]
        skip_norm: BatchNorm,
        #[layer(inputs = 7, outputs = 7, kernel = 3, padding = 1, bias = false)]
        conv3: Conv2d,
        #[layer(features = 7)]
        norm3: BatchNorm,
        #[layer(kernel = 3, stride = 2, padding = 1)]
        pool: MaxPool2d,
        #[layer(kernel = 2)]
        avg: AvgPool2d,
        #[layer(inputs = 14, outputs = 3)]
        head: Linear,
    }
    #[netcl::model]
    impl Res {
        pub fn forward(&self, x: &Tensor<f32, N, 5, 17, 13>) -> Tensor<f32, N, 3> {
            let h = self.norm1.forward(&self.conv1.forward(x)).relu(); // 9 x 7
            let h =
                (self.norm2.forward(&self.conv2.forward(&h)) + self.skip_norm.forward(&self.skip.forward(x))).relu();
            let h = (self.norm3.forward(&self.conv3.forward(&h)) + &h).leaky_relu(0.1);
            let h = self.pool.forward(&h); // 5 x 4
            let h = self.avg.forward(&h); // 2 x 2
            self.head.forward(&h.mean([2]).flatten(1))
        }
        pub fn loss(&self, x: &Tensor<f32, N, 5, 17, 13>, y: &Tensor<u32, N>) -> Tensor<f32> {
            self.forward(x).cross_entropy(y)
        }
    }
}
