//! ResNet-18 (He et al. 2015) of one block type, for ten classes.

use netcl::prelude::*;

#[netcl::model]
pub struct Shortcut<const I: usize, const O: usize, const STRIDE: usize> {
    #[layer(inputs = I, outputs = O, kernel = 1, stride = STRIDE, bias = false)]
    conv: Conv2d,
    #[layer(features = O)]
    norm: BatchNorm,
}

#[netcl::model]
impl<const I: usize, const O: usize, const STRIDE: usize> Shortcut<I, O, STRIDE> {
    pub fn forward(
        &self,
        x: &Tensor<f32, N, I, H, W>,
    ) -> Tensor<f32, N, O, { (H - 1) / STRIDE + 1 }, { (W - 1) / STRIDE + 1 }> {
        self.norm.forward(&self.conv.forward(x))
    }
}

#[netcl::model]
pub struct Residual<const I: usize, const O: usize, const STRIDE: usize, const AROUND: usize> {
    #[layer(inputs = I, outputs = O, kernel = 3, padding = 1, stride = STRIDE, bias = false)]
    conv1: Conv2d,
    #[layer(features = O)]
    norm1: BatchNorm,
    #[layer(inputs = O, outputs = O, kernel = 3, padding = 1, bias = false)]
    conv2: Conv2d,
    #[layer(features = O)]
    norm2: BatchNorm,
    shortcut: [Shortcut<I, O, STRIDE>; AROUND],
}

#[netcl::model]
impl<const I: usize, const O: usize, const STRIDE: usize, const AROUND: usize> Residual<I, O, STRIDE, AROUND> {
    pub fn forward(
        &self,
        x: &Tensor<f32, N, I, H, W>,
    ) -> Tensor<f32, N, O, { (H - 1) / STRIDE + 1 }, { (W - 1) / STRIDE + 1 }> {
        let mut skip = x;
        for shortcut in &self.shortcut {
            skip = shortcut.forward(x);
        }
        let h = self.norm1.forward(&self.conv1.forward(x)).relu();
        (self.norm2.forward(&self.conv2.forward(&h)) + skip).relu()
    }
}

#[netcl::model]
pub struct ResNet18 {
    #[layer(inputs = 3, outputs = 64, kernel = 7, stride = 2, padding = 3, bias = false)]
    stem: Conv2d,
    #[layer(features = 64)]
    norm: BatchNorm,
    #[layer(kernel = 3, stride = 2, padding = 1)]
    pool: MaxPool2d,
    first: [Residual<64, 64, 1, 0>; 2],
    second_down: Residual<64, 128, 2, 1>,
    second: Residual<128, 128, 1, 0>,
    third_down: Residual<128, 256, 2, 1>,
    third: Residual<256, 256, 1, 0>,
    fourth_down: Residual<256, 512, 2, 1>,
    fourth: Residual<512, 512, 1, 0>,
    #[layer(inputs = 512, outputs = 10)]
    head: Linear,
}

#[netcl::model]
impl ResNet18 {
    fn forward(&self, x: &Tensor<f32, N, 3, H, W>) -> Tensor<f32, N, 10> {
        let mut h = self.pool.forward(&self.norm.forward(&self.stem.forward(x)).relu());
        for block in &self.first {
            h = block.forward(h);
        }
        let h = self.second.forward(&self.second_down.forward(&h));
        let h = self.third.forward(&self.third_down.forward(&h));
        let h = self.fourth.forward(&self.fourth_down.forward(&h));
        self.head.forward(h.mean([2, 3]))
    }

    /// Mean cross entropy, images of any size.
    pub fn loss(&self, x: &Tensor<f32, N, 3, H, W>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(labels)
    }

    /// The same for images of 64 by 64, in two halves of bf16.
    #[matmul_precision(high)]
    pub fn high(&self, x: &Tensor<f32, N, 3, 64, 64>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(labels)
    }

    /// The same for images of 64 by 64, in bf16.
    #[matmul_precision(medium)]
    pub fn medium(&self, x: &Tensor<f32, N, 3, 64, 64>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(labels)
    }

    /// The same for images of 64 by 64, with activations in bf16.
    #[precision(bf16)]
    pub fn bf16(&self, x: &Tensor<f32, N, 3, 64, 64>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(labels)
    }

    /// The same for images of 64 by 64.
    pub fn loss_64(&self, x: &Tensor<f32, N, 3, 64, 64>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(labels)
    }
}
