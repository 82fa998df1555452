//! Models made by the macros on the handwritten digits, on every device found: alike from one seed, and right at every
//! batch size without a new program. The perceptron is the example's.

use crate::common;
use netcl::prelude::*;
use netcl::{DeviceKind, DeviceManager, Target};
use netcl_examples::programs::digits::Mlp;
use netcl_fixtures::devices as found;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[netcl::model]
struct Cnn {
    #[layer(inputs = 1, outputs = 4, kernel = 3, padding = 1)]
    conv: Conv2d,
    #[layer(kernel = 2, stride = 2)]
    pool: MaxPool2d,
    #[layer(inputs = 64, outputs = 10)]
    output: Linear,
}

#[netcl::model]
impl Cnn {
    fn forward(&self, x: &Tensor<f32, N, 1, 8, 8>) -> Tensor<f32, N, 10> {
        let h = self.pool.forward(&self.conv.forward(x).relu());
        self.output.forward(&h.reshape([N, 64]))
    }

    fn loss(&self, x: &Tensor<f32, N, 1, 8, 8>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(labels)
    }
}

/// The example's hidden features.
const HIDDEN: usize = 64;
/// How many images there are, and the batch sizes that are tried.
const IMAGES: usize = 1797;
const BATCHES: [usize; 4] = [32, 1, 7, IMAGES];

/// Devices whose programs no other test uses: they are counted.
fn devices() -> Result<Vec<Device>> {
    let own = |device: Device| match device.profile().kind {
        DeviceKind::Host | DeviceKind::Null => Ok(device),
        _ => Ok(DeviceManager::global().shared_context(&[device])?.remove(0)),
    };
    common::devices().into_iter().map(own).collect()
}

/// Drivers that fail at a kernel's first launches from several queues at once get the tests here one after another.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Pixels from 0 to 1, and labels.
fn images() -> (Vec<f32>, Vec<u32>) {
    let (mut pixels, mut labels) = (Vec::new(), Vec::new());
    for line in include_str!("../../../examples/data/digits.csv").lines() {
        let mut values = line.split(',').map(|value| value.trim().parse::<f32>().expect("a number"));
        pixels.extend(values.by_ref().take(64).map(|pixel| pixel / 16.0));
        labels.push(values.next().expect("a label") as u32);
    }
    assert_eq!(labels.len(), IMAGES);
    (pixels, labels)
}

fn numbers(tensor: &Tensor) -> Vec<f64> {
    tensor.to_vec::<f32>().expect("an f32 tensor").into_iter().map(f64::from).collect()
}

/// Equal within `tolerance` of the larger of the element and the mean magnitude.
fn close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let mean = expected.iter().map(|value| value.abs()).sum::<f64>() / expected.len() as f64;
    for (position, (found, expected)) in found.iter().zip(expected).enumerate() {
        let near = (found - expected).abs() <= tolerance * expected.abs().max(mean);
        assert!(near, "{what}, element {position}: {found}, expected {expected}");
    }
}

fn bits(model: &dyn Model) -> Vec<u32> {
    let values = model.parameters().into_iter().flat_map(|(_, tensor)| tensor.to_vec::<f32>().expect("f32"));
    values.map(f32::to_bits).collect()
}

#[test]
fn one_seed_gives_equal_parameters_and_alike_losses() -> Result<()> {
    let _alone = alone();
    let (pixels, labels) = images();
    let run = |device: &Device| -> Result<(Vec<u32>, Vec<f32>)> {
        let loader = DataLoader::new(device, &pixels, &[64], &labels, &[])?.batch_size(32).shuffle(Seed(42));
        let mut model = Mlp::new(device, Seed(42))?;
        let start = bits(&model);
        let mut optimizer = AdamW::new(3e-3);
        let mut losses = Vec::new();
        for batch in loader.epoch(0).take(20) {
            let (x, labels) = batch?;
            let (loss, gradients) = model.loss_with_gradients(&x, &labels)?;
            optimizer.step(&mut model, &gradients)?;
            losses.push(loss.item::<f32>()?);
        }
        Ok((start, losses))
    };
    let (start, losses) = run(&Device::host())?;
    assert!(losses[19] < 0.95 * losses[0], "it learns: {losses:?}");
    for device in devices()? {
        let (other_start, other_losses) = run(&device)?;
        assert_eq!(other_start, start, "{device}: parameters at the start, bit by bit");
        assert_eq!(other_losses.len(), 20);
        for (step, (a, b)) in losses.iter().zip(&other_losses).enumerate() {
            assert!((a - b).abs() <= 1e-4 * a.abs(), "{device}, step {step}: {b}, on the host {a}");
        }
    }
    Ok(())
}

/// `x [n, inputs] · w [inputs, outputs] + b`.
fn linear(x: &[f64], w: &[f64], b: &[f64]) -> Vec<f64> {
    let (outputs, inputs) = (b.len(), w.len() / b.len());
    let row = |row: &[f64], o: usize| b[o] + (0..inputs).map(|i| row[i] * w[i * outputs + o]).sum::<f64>();
    x.chunks(inputs).flat_map(|values| (0..outputs).map(move |o| row(values, o))).collect()
}

/// Mean cross-entropy and its gradient in the logits.
fn cross_entropy(logits: &[f64], labels: &[u32]) -> (f64, Vec<f64>) {
    let (mut loss, mut gradient) = (0.0, Vec::new());
    for (row, label) in logits.chunks(10).zip(labels) {
        let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = row.iter().map(|value| (value - top).exp()).sum();
        loss += sum.ln() + top - row[*label as usize];
        gradient.extend((0..10).map(|class| {
            let hit = if class == *label as usize { 1.0 } else { 0.0 };
            ((row[class] - top).exp() / sum - hit) / labels.len() as f64
        }));
    }
    (loss / labels.len() as f64, gradient)
}

/// Sums over the batch of `a [n, p]` times `b [n, q]`: `[p, q]`.
fn outer(a: &[f64], p: usize, b: &[f64], q: usize) -> Vec<f64> {
    let mut sums = vec![0.0; p * q];
    for (a, b) in a.chunks(p).zip(b.chunks(q)) {
        for (i, a) in a.iter().enumerate() {
            for (j, b) in b.iter().enumerate() {
                sums[i * q + j] += a * b;
            }
        }
    }
    sums
}

#[test]
fn one_build_serves_every_batch_size() -> Result<()> {
    let _alone = alone();
    let (pixels, labels) = images();
    for device in devices()? {
        let model = Mlp::new(&device, Seed(3))?;
        let of = |path: &str| numbers(&model.tensor(path).expect("a parameter"));
        let [w1, b1, w2, b2] = ["hidden.weight", "hidden.bias", "output.weight", "output.bias"].map(of);
        let mut programs = None;
        for batch in BATCHES {
            let what = format!("{device}, N = {batch}");
            let x: Vec<f64> = pixels[..batch * 64].iter().copied().map(f64::from).collect();
            let before = linear(&x, &w1, &b1);
            let h: Vec<f64> = before.iter().map(|value| value.max(0.0)).collect();
            let logits = linear(&h, &w2, &b2);
            let (loss, d_logits) = cross_entropy(&logits, &labels[..batch]);
            let transposed: Vec<f64> = (0..10 * HIDDEN).map(|at| w2[(at % HIDDEN) * 10 + at / HIDDEN]).collect();
            let d_h = linear(&d_logits, &transposed, &[0.0; HIDDEN]);
            let d_h: Vec<f64> = d_h.iter().zip(&before).map(|(d, h)| if *h > 0.0 { *d } else { 0.0 }).collect();
            let ones = vec![1.0; batch];

            let images = Tensor::from_slice(&device, &pixels[..batch * 64], &[batch, 64])?;
            let classes = Tensor::from_slice(&device, &labels[..batch], &[batch])?;
            let (found, gradients) = model.loss_with_gradients(&images, &classes)?;
            close(&what, &numbers(&model.forward(&images)?), &logits, 1e-4);
            close(&what, &numbers(&found), &[loss], 1e-5);
            for (path, expected) in [
                ("hidden.weight", outer(&x, 64, &d_h, HIDDEN)),
                ("hidden.bias", outer(&ones, 1, &d_h, HIDDEN)),
                ("output.weight", outer(&h, HIDDEN, &d_logits, 10)),
                ("output.bias", outer(&ones, 1, &d_logits, 10)),
            ] {
                close(&format!("{what}, {path}"), &numbers(&gradients.tensor(path)?), &expected, 1e-4);
            }
            check_programs(&device, &mut programs, batch);
        }
    }
    Ok(())
}

/// The convolution, its `relu` and the pooling of one image, by their definitions.
fn features(image: &[f64], w: &[f64], b: &[f64]) -> Vec<f64> {
    let pixel = |row: usize, column: usize| {
        // Padding of 1: row 0 and column 0 lie outside.
        let inside = (1..=8).contains(&row) && (1..=8).contains(&column);
        if inside { image[(row - 1) * 8 + column - 1] } else { 0.0 }
    };
    let at = |channel: usize, row: usize, column: usize| {
        let products = (0..9).map(|k| w[channel * 9 + k] * pixel(row + k / 3, column + k % 3));
        (b[channel] + products.sum::<f64>()).max(0.0)
    };
    let pooled = |channel: usize, row: usize, column: usize| {
        let window = (0..4).map(|k| at(channel, 2 * row + k / 2, 2 * column + k % 2));
        window.fold(0.0, f64::max)
    };
    (0..64).map(|i| pooled(i / 16, i % 16 / 4, i % 4)).collect()
}

#[test]
fn convolutions_serve_every_batch_size() -> Result<()> {
    let _alone = alone();
    let (pixels, labels) = images();
    for device in devices()? {
        let model = Cnn::new(&device, Seed(5))?;
        let of = |path: &str| numbers(&model.tensor(path).expect("a parameter"));
        let [w1, b1, w2, b2] = ["conv.weight", "conv.bias", "output.weight", "output.bias"].map(of);
        let mut programs = None;
        let run = |range: std::ops::Range<usize>| {
            let count = range.len();
            let images = Tensor::from_slice(&device, &pixels[range.start * 64..range.end * 64], &[count, 1, 8, 8])?;
            let classes = Tensor::from_slice(&device, &labels[range], &[count])?;
            let (loss, gradients) = model.loss_with_gradients(&images, &classes)?;
            Ok::<_, Error>((
                numbers(&model.forward(&images)?),
                numbers(&loss),
                numbers(&gradients.tensor("conv.weight")?),
            ))
        };
        // A sum over all pixels of all images has 115,008 terms.
        let ends_loops = device.profile().ends_loops().is_some();
        for batch in BATCHES.into_iter().filter(|&batch| batch < IMAGES || !ends_loops) {
            let what = format!("{device}, N = {batch}");
            let x: Vec<f64> = pixels[..batch * 64].iter().copied().map(f64::from).collect();
            let h: Vec<f64> = x.chunks(64).flat_map(|image| features(image, &w1, &b1)).collect();
            let logits = linear(&h, &w2, &b2);
            let (loss, d_logits) = cross_entropy(&logits, &labels[..batch]);
            let (found_logits, found_loss, found_gradient) = run(0..batch)?;
            close(&what, &found_logits, &logits, 1e-4);
            close(&what, &found_loss, &[loss], 1e-5);
            // The weight's gradient in its first element, by a central difference of the loss.
            let shifted = |step: f64| {
                let mut w = w1.clone();
                w[0] += step;
                let h: Vec<f64> = x.chunks(64).flat_map(|image| features(image, &w, &b1)).collect();
                cross_entropy(&linear(&h, &w2, &b2), &labels[..batch]).0
            };
            let difference = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
            let scale = found_gradient.iter().fold(0.0f64, |most, value| most.max(value.abs()));
            let error = (found_gradient[0] - difference).abs();
            assert!(error <= 1e-4 * scale.max(1e-3), "{what}: {}, by difference {difference}", found_gradient[0]);
            assert_eq!(d_logits.len(), batch * 10);
            check_programs(&device, &mut programs, batch);
        }
    }
    Ok(())
}

/// After the first size, no size asks for a program, but where a rule of the selector wants another variant for larger sizes: on
/// GPUs, of which this is one more.
fn check_programs(device: &Device, before: &mut Option<netcl::ProgramStats>, batch: usize) {
    let now = device.program_stats();
    match before {
        None => {
            let compiles = !matches!(device.profile().kind, DeviceKind::Host | DeviceKind::Null);
            assert_eq!(now.built + now.loaded > 0, compiles, "{device}: {now:?}");
            *before = Some(now);
        }
        Some(_) if found::measured_before(device) => {}
        Some(before) => {
            let more = (now.built + now.loaded) - (before.built + before.loaded);
            let allowed = usize::from(device.profile().kind == DeviceKind::Gpu && batch == IMAGES);
            assert!(more as usize <= allowed, "{device}: N = {batch} asks for {more} programs");
        }
    }
}

#[test]
fn errors_say_what_was_wrong_and_lose_nothing() -> Result<()> {
    let _alone = alone();
    for device in devices()? {
        let mut model = Mlp::new(&device, Seed(1))?;
        let of = |shape: &[usize], dtype| Tensor::zeros(&device, shape, dtype);
        let (x, labels) = (of(&[4, 64], DType::F32)?, of(&[4], DType::U32)?);
        let kept = model.forward(&x)?;
        let (start, numbers_before) = (bits(&model), numbers(&kept));
        let text = |result: Result<Tensor>| result.map(|_| ()).expect_err("a misuse").to_string();
        let cases = [
            (
                text(model.forward(&of(&[4, 63], DType::F32)?)),
                "`Mlp::forward`: argument `x` expects f32 [N, 64], found f32 [4, 63]",
            ),
            (
                text(model.forward(&of(&[64], DType::F32)?)),
                "`Mlp::forward`: argument `x` expects f32 [N, 64], found f32 [64]",
            ),
            (
                text(model.forward(&of(&[4, 64], DType::I32)?)),
                "`Mlp::forward`: argument `x` expects f32 [N, 64], found i32 [4, 64]",
            ),
            (
                text(model.loss(&x, &of(&[3], DType::U32)?)),
                "`Mlp::loss`: argument `labels` expects u32 [N] with N = 4 (from `x`), found u32 [3]",
            ),
            (
                text(model.loss(&x, &of(&[4], DType::F32)?)),
                "`Mlp::loss`: argument `labels` expects u32 [N], found f32 [4]",
            ),
            (
                text(model.forward(&of(&[0, 64], DType::F32)?)),
                "`Mlp::forward`: argument `x` of shape [0, 64] makes `N` 0; pass at least one element along that axis \
                 (skip empty batches)",
            ),
        ];
        for (found, expected) in cases {
            assert_eq!(found, expected);
        }
        let elsewhere = Device::null(Target::Cpu, 1 << 20);
        let foreign = text(model.forward(&Tensor::zeros(&elsewhere, &[4, 64], DType::F32)?));
        assert!(
            foreign.starts_with("`Mlp::forward`: argument `x` is on null") && foreign.contains("`to_device`"),
            "{foreign}"
        );
        let unknown = text(model.tensor("hidden.wieght"));
        assert!(unknown.contains("no tensor `hidden.wieght`; it has: hidden.weight"), "{unknown}");
        let wrong = model.set_tensor("hidden.bias", &x).expect_err("another shape").to_string();
        assert!(wrong.contains("`hidden.bias` expects f32 [64], found f32 [4, 64]"), "{wrong}");

        // Nothing is lost: what was computed can be read, and the model goes on.
        assert_eq!(numbers(&kept), numbers_before, "{device}");
        assert_eq!(bits(&model), start, "{device}");
        assert_eq!(numbers(&model.forward(&x)?), numbers_before, "{device}");
        let (_, gradients) = model.loss_with_gradients(&x, &labels)?;
        AdamW::new(1e-3).step(&mut model, &gradients)?;
        assert_ne!(bits(&model), start, "{device}");
        let mut other = Mlp::new(&elsewhere, Seed(1))?;
        let apart = AdamW::new(1e-3).step(&mut other, &gradients).expect_err("another device").to_string();
        assert!(apart.starts_with("`adamw`: the gradients were computed on "), "{apart}");
    }
    Ok(())
}

#[test]
fn a_device_that_is_not_there_is_an_error() {
    for selector in ["no such device", "opencl:99", "opencl:0:99", "opencl:x", "opencl:0:0:0", "opencl:-1", ""] {
        let error = Device::select(selector).map(|device| device.to_string()).expect_err(selector);
        let text = error.to_string();
        assert!(text.contains(&format!("`{selector}`")) || selector.is_empty(), "{text}");
        assert!(text.contains("host"), "it says what there is: {text}");
    }
}
