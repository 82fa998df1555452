//! Networks of images of any size, each of one generic block: a residual network of eighteen layers and a U-Net.

use crate::common::{devices, wave};
use netcl::optim::{Adam, Optimizer};
use netcl::{Device, Model, Result, Seed, Tensor};

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
    around: [Conv2d; AROUND],
}

#[netcl::model]
impl<const I: usize, const O: usize, const STRIDE: usize, const AROUND: usize> Residual<I, O, STRIDE, AROUND> {
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
    fourth_down: Residual<32, 64, 2, 1>,
    fourth: Residual<64, 64, 1, 0>,
    #[layer(inputs = 64, outputs = 10)]
    head: Linear,
}

#[netcl::model]
impl ResNet18 {
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

    pub fn loss(&self, x: &Tensor<f32, N, 3, H, W>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(labels)
    }
}

/// Two convolutions that keep the size.
#[netcl::model]
pub struct Double<const I: usize, const O: usize> {
    #[layer(inputs = I, outputs = O, kernel = 3, padding = 1)]
    a: Conv2d,
    #[layer(inputs = O, outputs = O, kernel = 3, padding = 1)]
    b: Conv2d,
}

#[netcl::model]
impl<const I: usize, const O: usize> Double<I, O> {
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
    middle_up: Double<16, 4>,
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
    pub fn forward(&self, x: &Tensor<f32, N, 1, H, W>) -> Tensor<f32, N, 1, H, W> {
        let top = self.top.forward(x);
        let middle = self.middle.forward(self.half.forward(&top));
        let bottom = self.bottom.forward(self.half.forward(&middle));
        let middle = self.middle_up.forward(self.double.forward(&bottom).concat([middle], 1));
        let top = self.top_up.forward(self.double.forward(&middle).concat([top], 1));
        self.output.forward(&top)
    }

    pub fn loss(&self, x: &Tensor<f32, N, 1, H, W>, y: &Tensor<f32, N, 1, H, W>) -> Tensor<f32> {
        (self.forward(x) - y).square().mean_all()
    }
}

fn close(a: &Tensor, b: &Tensor) {
    assert_eq!(a.shape(), b.shape());
    for (a, b) in a.to_vec::<f32>().unwrap().into_iter().zip(b.to_vec::<f32>().unwrap()) {
        assert!((a - b).abs() <= 2e-4 * a.abs().max(1.0), "{a} {b}");
    }
}

#[test]
fn a_residual_network_of_one_block_takes_images_of_any_size() -> Result<()> {
    let reference = ResNet18::new(&Device::host(), Seed(3))?;
    assert_eq!(reference.parameters().len(), 3 + 8 * 6 + 3 + 2);
    for device in devices() {
        let mut model = ResNet18::new(&device, Seed(3))?;
        for (height, width) in [(8, 8), (9, 12), (16, 7)] {
            let x = [2, 3, height, width];
            close(&model.forward(&wave(&device, &x))?, &reference.forward(&wave(&Device::host(), &x))?);
        }
        let mut optimizer = Adam::new(1e-3);
        let mut losses = Vec::new();
        for step in 0..4 {
            let side = [8, 10][step % 2];
            let x = wave(&device, &[4, 3, side, side]);
            let labels = Tensor::from_slice(&device, &[0u32, 3, 5, 9], &[4])?;
            let (loss, gradients) = model.loss_with_gradients(&x, &labels)?;
            assert_eq!(gradients.fourth_down()?.around()?[0].weight.shape(), [64, 32, 1, 1]);
            assert!(gradients.fourth()?.around()?.is_empty());
            optimizer.step(&mut model, &gradients)?;
            losses.push(loss.item::<f32>()?);
        }
        assert!(losses[2] < losses[0] && losses[3] < losses[1], "{device}: {losses:?}");
    }
    Ok(())
}

#[test]
fn a_unet_of_one_block_takes_images_of_any_size() -> Result<()> {
    let reference = UNet::new(&Device::host(), Seed(3))?;
    for device in devices() {
        let mut model = UNet::new(&device, Seed(3))?;
        let mut optimizer = Adam::new(1e-2);
        let mut losses = Vec::new();
        for step in 0..10 {
            let shape = [[2, 1, 8, 8], [1, 1, 16, 12]][step % 2];
            let (x, y) = (wave(&device, &shape), wave(&device, &shape));
            if step == 0 {
                let host = Device::host();
                close(&model.forward(&x)?, &reference.forward(&wave(&host, &shape))?);
            }
            let (loss, gradients) = model.loss_with_gradients(&x, &y)?;
            assert_eq!(gradients.middle_up()?.a()?.weight.shape(), [4, 16, 3, 3]);
            optimizer.step(&mut model, &gradients)?;
            losses.push(loss.item::<f32>()?);
        }
        assert!(losses[8] < losses[0] && losses[9] < losses[1], "{device}: {losses:?}");
    }
    Ok(())
}
