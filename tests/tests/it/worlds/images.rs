//! Texts of networks of images.

/// ResNet-18, and its block.
macro_rules! residual {
    ($($dynamic:tt)*) => {
        use netcl::prelude::*;

        /// Two convolutions, and a way around them, which is a convolution where `AROUND` is 1 and nothing where it is 0.
        #[netcl::model]
        pub struct Residual<const I: usize, const O: usize, const STRIDE: usize, const AROUND: usize> {
            #[layer(inputs = I, outputs = O, kernel = 3, padding = 1, stride = STRIDE, bias = false)]
            a: Conv2d,
            #[layer(features = O)]
            a_norm: BatchNorm,
            #[layer(inputs = O, outputs = O, kernel = 3, padding = 1, bias = false)]
            b: Conv2d,
            #[layer(features = O)]
            b_norm: BatchNorm,
            #[layer(inputs = I, outputs = O, kernel = 1, stride = STRIDE, bias = false)]
            pub around: [Conv2d; AROUND],
        }

        #[netcl::model]
        impl<const I: usize, const O: usize, const STRIDE: usize, const AROUND: usize> Residual<I, O, STRIDE, AROUND> {
            $($dynamic)*
            pub fn forward(
                &self,
                x: &Tensor<f32, N, I, H, W>,
            ) -> Tensor<f32, N, O, { (H - 1) / STRIDE + 1 }, { (W - 1) / STRIDE + 1 }> {
                let mut skip = x;
                for around in &self.around {
                    skip = around.forward(x);
                }
                let h = self.a_norm.forward(&self.a.forward(x)).relu();
                (self.b_norm.forward(&self.b.forward(&h)) + skip).relu()
            }
        }

        /// ResNet-18 (He et al. 2015) for small images, its channels an eighth.
        #[netcl::model]
        pub struct ResNet18 {
            #[layer(inputs = 3, outputs = 8, kernel = 3, padding = 1, bias = false)]
            stem: Conv2d,
            #[layer(features = 8)]
            norm: BatchNorm,
            first: [Residual<8, 8, 1, 0>; 2],
            second_down: Residual<8, 16, 2, 1>,
            second: Residual<16, 16, 1, 0>,
            third_down: Residual<16, 32, 2, 1>,
            third: Residual<32, 32, 1, 0>,
            pub fourth_down: Residual<32, 64, 2, 1>,
            pub fourth: Residual<64, 64, 1, 0>,
            #[layer(inputs = 64, outputs = 10)]
            head: Linear,
        }

        #[netcl::model]
        impl ResNet18 {
            $($dynamic)*
            pub fn forward(&self, x: &Tensor<f32, N, 3, H, W>) -> Tensor<f32, N, 10> {
                let mut h = self.norm.forward(&self.stem.forward(x)).relu();
                for block in &self.first {
                    h = block.forward(h);
                }
                let h = self.second.forward(&self.second_down.forward(&h));
                let h = self.third.forward(&self.third_down.forward(&h));
                let h = self.fourth.forward(&self.fourth_down.forward(&h));
                self.head.forward(h.mean([2, 3]))
            }

            #[mode(training)]
            $($dynamic)*
            pub fn loss(&self, x: &Tensor<f32, N, 3, H, W>, labels: &Tensor<u32, N>) -> Tensor<f32> {
                self.forward(x).cross_entropy(labels)
            }
        }
    };
}

/// A U-Net, and its block.
macro_rules! unet {
    ($($dynamic:tt)*) => {
        use netcl::prelude::*;

        /// Two convolutions that keep the size.
        #[netcl::model]
        pub struct Double<const I: usize, const O: usize> {
            #[layer(inputs = I, outputs = O, kernel = 3, padding = 1)]
            pub a: Conv2d,
            #[layer(inputs = O, outputs = O, kernel = 3, padding = 1)]
            b: Conv2d,
        }

        #[netcl::model]
        impl<const I: usize, const O: usize> Double<I, O> {
            $($dynamic)*
            pub fn forward(&self, x: &Tensor<f32, N, I, H, W>) -> Tensor<f32, N, O, H, W> {
                self.b.forward(&self.a.forward(x).relu()).relu()
            }
        }

        /// A U-Net (Ronneberger et al. 2015) of two levels.
        #[netcl::model]
        pub struct UNet {
            top: Double<1, 4>,
            middle: Double<4, 8>,
            bottom: Double<8, 8>,
            pub middle_up: Double<16, 4>,
            top_up: Double<8, 4>,
            #[layer(kernel = 2)]
            half: MaxPool2d,
            #[layer(scale = 2)]
            double: Upsample,
            #[layer(inputs = 4, outputs = 1, kernel = 1)]
            output: Conv2d,
        }

        #[netcl::model]
        impl UNet {
            $($dynamic)*
            pub fn forward(&self, x: &Tensor<f32, N, 1, H, W>) -> Tensor<f32, N, 1, H, W> {
                let top = self.top.forward(x);
                let middle = self.middle.forward(self.half.forward(&top));
                let bottom = self.bottom.forward(self.half.forward(&middle));
                let middle = self.middle_up.forward(self.double.forward(&bottom).concat([middle], 1));
                let top = self.top_up.forward(self.double.forward(&middle).concat([top], 1));
                self.output.forward(&top)
            }

            #[mode(training)]
            $($dynamic)*
            pub fn loss(&self, x: &Tensor<f32, N, 1, H, W>, y: &Tensor<f32, N, 1, H, W>) -> Tensor<f32> {
                (self.forward(x) - y).square().mean_all()
            }
        }
    };
}

/// A vision transformer, and its block.
macro_rules! vit {
    ($($dynamic:tt)*) => {
        use netcl::prelude::*;

        /// Attention and two layers, each with a norm before and a sum around it.
        #[netcl::model]
        pub struct Encoder<const F: usize, const HEADS: usize> {
            #[layer(features = F)]
            norm1: LayerNorm,
            #[layer(features = F, heads = HEADS)]
            attention: SelfAttention,
            #[layer(features = F)]
            norm2: LayerNorm,
            #[layer(inputs = F, outputs = { 2 * F })]
            up: Linear,
            #[layer(inputs = { 2 * F }, outputs = F)]
            down: Linear,
            #[layer(rate = 0.1)]
            drop: Dropout,
        }

        #[netcl::model]
        impl<const F: usize, const HEADS: usize> Encoder<F, HEADS> {
            $($dynamic)*
            pub fn forward(&self, x: &Tensor<f32, N, T, F>) -> Tensor<f32, N, T, F> {
                let x = x + self.attention.forward(&self.norm1.forward(x));
                let h = self.up.forward(&self.norm2.forward(&x)).gelu();
                x + self.drop.forward(self.down.forward(h))
            }
        }

        /// A vision transformer (Dosovitskiy et al. 2021): patches by a convolution, a class token, blocks.
        #[netcl::model]
        pub struct Vit {
            #[layer(inputs = 3, outputs = 12, kernel = 4, stride = 4)]
            patch: Conv2d,
            #[parameter(init = 0.0)]
            class: Tensor<f32, 1, 1, 12>,
            #[parameter(init = normal(0.02))]
            position: Tensor<f32, 10, 12>,
            blocks: [Encoder<12, 3>; 3],
            #[layer(features = 12)]
            norm: LayerNorm,
            #[layer(inputs = 12, outputs = 10)]
            head: Linear,
        }

        #[netcl::model]
        impl Vit {
            $($dynamic)*
            pub fn forward(&self, x: &Tensor<f32, N, 3, 12, 12>) -> Tensor<f32, N, 10> {
                let patches = self.patch.forward(x).reshape([N, 12, 9]).transpose(1, 2);
                let mut h = self.class.broadcast_to([N, 1, 12]).concat([patches], 1) + &self.position;
                for block in &self.blocks {
                    h = block.forward(&h);
                }
                self.head.forward(self.norm.forward(h.get(1, 0)))
            }

            #[mode(training)]
            $($dynamic)*
            pub fn loss(&self, x: &Tensor<f32, N, 3, 12, 12>, labels: &Tensor<u32, N>) -> Tensor<f32> {
                self.forward(x).cross_entropy(labels)
            }
        }
    };
}

pub(crate) use {residual, unet, vit};
