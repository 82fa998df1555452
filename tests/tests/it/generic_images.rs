//! Networks of images of any size, each of one generic block: a residual network of eighteen layers and a U-Net.

use crate::common::{devices_alone, wave};
use crate::twins::{Digest, compare, reset};
use crate::worlds::{residual, unet};
use netcl::optim::{Adam, Optimizer};
use netcl::{Device, Gradients, Model, Result, Seed, Tensor};
use netcl_fixtures::devices::measured_before;
use netcl_tests::models::inputs::{below, unit};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What PyTorch computes for images of one size.
#[derive(Deserialize)]
struct Reference {
    size: [usize; 2],
    result: Digest,
    loss: f64,
    /// Of the first sizes.
    gradients: BTreeMap<String, Digest>,
}

/// A batch of one size: images, and what is to come of them.
type Batch = fn(&Device, [usize; 2]) -> Result<[Tensor; 2]>;

/// A model's loss with its gradients.
type LossWithGradients<M> = fn(&M, &[Tensor; 2]) -> Result<(Tensor, Gradients)>;

/// Compares a network with PyTorch's at ten sizes, for all of which it has the programs of the first.
fn ten_sizes<M: Model>(
    (name, model): (&str, &mut M),
    batch: Batch,
    forward: fn(&M, &Tensor) -> Result<Tensor>,
    loss: LossWithGradients<M>,
) -> Result<()> {
    let device = model.device();
    let all: BTreeMap<String, Vec<Reference>> =
        serde_json::from_str(include_str!("../../references/blocks.json")).expect("what the script has written");
    assert_eq!(all[name].len(), 10);
    let (mut first, asked) = (None, || device.program_stats().built + device.program_stats().loaded);
    for reference in &all[name] {
        let what = format!("{name} of {:?} on {device}", reference.size);
        reset(&device, model, name)?;
        let inputs = batch(&device, reference.size)?;
        let expected = BTreeMap::from([("result".to_owned(), reference.result)]);
        compare(&what, vec![("result".to_owned(), forward(model, &inputs[0])?)], &expected)?;
        let (value, gradients) = loss(model, &inputs)?;
        let (found, scale) = (f64::from(value.item::<f32>()?), reference.loss.abs().max(1.0));
        assert!((found - reference.loss).abs() <= 2e-5 * scale, "{what}: {found}, expected {}", reference.loss);
        if !reference.gradients.is_empty() {
            compare(&what, gradients.tensors(), &reference.gradients)?;
        }
        let programs = *first.get_or_insert_with(asked);
        assert!(measured_before(&device) || asked() == programs, "{what}: other programs than for the first size");
    }
    Ok(())
}

/// Numbers of that name and shape.
fn numbers(device: &Device, name: &str, shape: &[usize]) -> Result<Tensor> {
    let values: Vec<f32> = (0..shape.iter().product()).map(|i| unit(name, i)).collect();
    Tensor::from_slice(device, &values, shape)
}

#[test]
fn a_residual_network_of_one_block_takes_images_of_any_size() -> Result<()> {
    for device in devices_alone()? {
        let mut model = residual::fixed::ResNet18::new(&device, Seed(3))?;
        assert_eq!(model.parameters().len(), 3 + 8 * 6 + 3 + 2);
        let batch: Batch = |device, [h, w]| {
            let labels = [0, 1].map(|at| below("resnet18/y", at, 10));
            Ok([numbers(device, "resnet18/x", &[2, 3, h, w])?, Tensor::from_slice(device, &labels, &[2])?])
        };
        ten_sizes(
            ("resnet18", &mut model),
            batch,
            |m, x| m.forward(x),
            |m, [x, y]| m.loss_with_gradients(x, y).map(|(loss, gradients)| (loss, (*gradients).clone())),
        )?;
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
    for device in devices_alone()? {
        let mut model = unet::fixed::UNet::new(&device, Seed(3))?;
        let batch: Batch =
            |device, [h, w]| Ok([numbers(device, "unet/x", &[1, 1, h, w])?, numbers(device, "unet/y", &[1, 1, h, w])?]);
        ten_sizes(
            ("unet", &mut model),
            batch,
            |m, x| m.forward(x),
            |m, [x, y]| m.loss_with_gradients(x, y).map(|(loss, gradients)| (loss, (*gradients).clone())),
        )?;
        let mut optimizer = Adam::new(1e-2);
        let mut losses = Vec::new();
        for step in 0..10 {
            let shape = [[2, 1, 8, 8], [1, 1, 16, 12]][step % 2];
            let (x, y) = (wave(&device, &shape), wave(&device, &shape));
            let (loss, gradients) = model.loss_with_gradients(&x, &y)?;
            assert_eq!(gradients.middle_up()?.a()?.weight.shape(), [4, 16, 3, 3]);
            optimizer.step(&mut model, &gradients)?;
            losses.push(loss.item::<f32>()?);
        }
        assert!(losses[8] < losses[0] && losses[9] < losses[1], "{device}: {losses:?}");
    }
    Ok(())
}

/// Behind a pooling, down and up again, and cut to what it is added to, which the sizes alone do not tell to be as large.
#[netcl::model]
pub struct Cropped {
    #[layer(kernel = 2)]
    half: MaxPool2d,
    #[layer(inputs = 1, outputs = 1, kernel = 3, padding = 1, stride = 2)]
    down: Conv2d,
    #[layer(inputs = 1, outputs = 1, kernel = 2, stride = 2)]
    up: ConvTranspose2d,
}

#[netcl::model]
impl Cropped {
    pub fn forward(&self, x: &Tensor<f32, N, 1, H, W>) -> Tensor<f32, N, 1, { H / 2 }, { W / 2 }> {
        let h = self.half.forward(x);
        h + self.up.forward(self.down.forward(h)).narrow(2, 0, h.dim(2)).narrow(3, 0, h.dim(3))
    }

    /// One row more than there are, where the height is a multiple of 4.
    pub fn further(&self, x: &Tensor<f32, N, 1, H, W>) -> Tensor<f32, N, 1, { H / 2 + 1 }, { (W + 2) / 4 * 2 }> {
        self.up.forward(self.down.forward(self.half.forward(x))).narrow(2, 0, x.dim(2) / 2 + 1)
    }
}

#[test]
fn what_windows_have_left_is_cut_where_each_call_tells_that_it_is_there() -> Result<()> {
    for device in devices_alone().into_iter().flatten() {
        let model = Cropped::new(&device, Seed(2))?;
        for [h, w] in [[4, 5], [6, 7], [9, 10], [11, 8]] {
            let x = wave(&device, &[1, 1, h, w]);
            assert_eq!(model.forward(&x)?.shape(), [1, 1, h / 2, w / 2]);
            let further = model.further(&x);
            if (h + 2) / 4 * 2 > h / 2 {
                assert_eq!(further?.shape(), [1, 1, h / 2 + 1, (w + 2) / 4 * 2]);
            } else {
                let problem = further.map(|_| ()).expect_err("beyond").to_string();
                assert!(problem.contains("`narrow`") && problem.contains(&format!("{}", h / 2 + 1)), "{problem}");
            }
        }
    }
    Ok(())
}
