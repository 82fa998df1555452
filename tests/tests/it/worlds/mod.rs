//! One text of each network, compiled while the crate is built and, with `#[netcl::dynamic]`, where it runs: trained on equal data, the
//! losses are equal. Each has a block that is generic over sizes.

mod images;
mod sequences;

use crate::common::devices;
use netcl::optim::{AdamW, Optimizer, Sgd};
use netcl::{Device, Result, Seed, Tensor};
use netcl_tests::models::inputs::{below, unit};

/// What a text says in both worlds, in modules of its name.
macro_rules! in_both_worlds {
    ($($name:ident: $text:path),* $(,)?) => {
        $(pub(crate) mod $name {
            pub(crate) mod fixed {
                $text! {}
            }
            pub(crate) mod dynamic {
                $text! { #[netcl::dynamic] }
            }
        })*
    };
}

in_both_worlds! {
    residual: super::super::images::residual,
    unet: super::super::images::unet,
    vit: super::super::images::vit,
    transformer: super::super::sequences::transformer,
    lstm: super::super::sequences::lstm,
    vae: super::super::sequences::vae,
}

/// How many steps are trained.
const STEPS: usize = 20;

/// Trains both, the one by the gradients that were compiled with it, the other by `backward`, with optimizers that are made so, on
/// batches by their number: equal losses, which fall.
macro_rules! train_alike {
    ($device:expr, $name:ident::$model:ident, $optimizer:expr, $batch:expr) => {{
        let device: &Device = $device;
        let batches = (0..STEPS).map(|step| $batch(device, step)).collect::<Result<Vec<[Tensor; 2]>>>()?;
        let [mut expected, mut found] = [Vec::new(), Vec::new()];
        let mut fixed = $name::fixed::$model::new(device, Seed(3))?;
        let mut optimizer = $optimizer;
        for [x, y] in &batches {
            let (loss, gradients) = fixed.loss_with_gradients(x, y)?;
            optimizer.step(&mut fixed, &gradients)?;
            expected.push(loss.item::<f32>()?);
        }
        let mut dynamic = $name::dynamic::$model::new(device, Seed(3))?;
        let mut optimizer = $optimizer;
        for [x, y] in &batches {
            let loss = dynamic.loss(x, y)?;
            let gradients = loss.backward()?.of(&dynamic)?;
            optimizer.step(&mut dynamic, &gradients)?;
            found.push(loss.item::<f32>()?);
        }
        alike(&format!("{} on {device}", stringify!($name)), &found, &expected);
    }};
}

/// Fails unless the losses are equal within 1e-4, and fall.
fn alike(what: &str, found: &[f32], expected: &[f32]) {
    let worst = found.iter().zip(expected).map(|(a, b)| (a - b).abs() / b.abs().max(1.0)).fold(0.0, f32::max);
    eprintln!("{what}: from {} to {}, at most {worst:e} apart", expected[0], expected[STEPS - 1]);
    assert!(worst <= 1e-4, "{what}: {worst:e} apart: {found:?}, expected {expected:?}");
    let of = |losses: &[f32]| losses.iter().sum::<f32>();
    assert!(of(&expected[STEPS - 5..]) < of(&expected[..5]), "{what}: {expected:?}");
}

/// The host, and where `NETCL_TEST_MODELS` is `all` every device: the programs of some networks take PoCL minutes to build.
fn when_asked() -> Vec<Device> {
    let all = std::env::var("NETCL_TEST_MODELS").is_ok_and(|value| value == "all");
    if all { devices() } else { vec![Device::host()] }
}

/// Numbers from -1 to 1, other ones for each step of four.
fn floats(device: &Device, step: usize, shape: &[usize]) -> Result<Tensor> {
    let name = format!("worlds/x{}", step % 4);
    let values: Vec<f32> = (0..shape.iter().product()).map(|i| unit(&name, i)).collect();
    Tensor::from_slice(device, &values, shape)
}

/// Whole numbers below `end`, likewise.
fn numbers(device: &Device, (step, end): (usize, u32), shape: &[usize]) -> Result<Tensor> {
    let name = format!("worlds/y{}", step % 4);
    let values: Vec<u32> = (0..shape.iter().product::<usize>()).map(|i| below(&name, i as u32, end)).collect();
    Tensor::from_slice(device, &values, shape)
}

/// Batches of two sizes, by turns.
fn count(step: usize) -> usize {
    [4, 3][step % 2]
}

#[test]
fn a_residual_network_of_eighteen_layers() -> Result<()> {
    for device in when_asked() {
        train_alike!(&device, residual::ResNet18, Sgd::new(0.02), |device, step| {
            Ok([floats(device, step, &[count(step), 3, 16, 16])?, numbers(device, (step, 10), &[count(step)])?])
        });
    }
    Ok(())
}

#[test]
fn a_vision_transformer() -> Result<()> {
    for device in when_asked() {
        train_alike!(&device, vit::Vit, AdamW::new(2e-3), |device, step| {
            Ok([floats(device, step, &[count(step), 3, 12, 12])?, numbers(device, (step, 10), &[count(step)])?])
        });
    }
    Ok(())
}

#[test]
fn a_transformer_of_twelve_layers() -> Result<()> {
    for device in when_asked() {
        train_alike!(&device, transformer::Transformer, AdamW::new(2e-3), |device, step: usize| {
            let shape = [count(step), [16, 11][step % 2]];
            Ok([numbers(device, (step, 23), &shape)?, numbers(device, (step + 1, 23), &shape)?])
        });
    }
    Ok(())
}

#[test]
fn an_lstm_over_time() -> Result<()> {
    for device in devices() {
        train_alike!(&device, lstm::Lstm, AdamW::new(1e-2), |device, step: usize| {
            let shape = [count(step), [7, 4, 7, 9][step % 4], 5];
            Ok([floats(device, step, &shape)?, numbers(device, (step, 3), &[count(step)])?])
        });
    }
    Ok(())
}

#[test]
fn a_variational_autoencoder() -> Result<()> {
    for device in devices() {
        train_alike!(&device, vae::Vae, AdamW::new(1e-2), |device, step| {
            let x = floats(device, step, &[count(step), 20])?.abs();
            Ok([x, floats(device, step + 1, &[count(step), 3])?])
        });
    }
    Ok(())
}

#[test]
fn a_unet_of_images_of_any_size() -> Result<()> {
    for device in when_asked() {
        train_alike!(&device, unet::UNet, AdamW::new(5e-3), |device, step: usize| {
            let [height, width] = [[8, 8], [16, 12]][step % 2];
            let x = floats(device, step, &[count(step), 1, height, width])?;
            let y = (&x * 0.5).tanh();
            Ok([x, y])
        });
    }
    Ok(())
}
