//! Whole models against their twins in PyTorch, made in double precision by `tests/references/twins.py`: results, losses,
//! gradients, running statistics, the losses of a few steps, and of some ten steps with momentum or with each optimizer. The
//! models are the library's.
//!
//! Parameters and inputs are the same numbers on both sides, made from names. Of each tensor three numbers are stored: its norm
//! and its products with two fixed vectors, which one element that is wrong, or two that are swapped, change.
//!
//! All models run on the host, some on every device: to build the programs of all takes PoCL minutes.

mod images;
mod sequences;
mod steps;
mod tables;
mod vectors;

use netcl::optim::{Adam, AdamW, Optimizer, Sgd};
use netcl::{DType, Device, Gradients, Model, Result, Seed, Tensor};
use netcl_tests::models::Input;
use netcl_tests::models::inputs::unit;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The largest error, relative to the norm of what is compared, or to a hundredth of the largest of its kind: a bias before a
/// normalisation has a gradient of 0.
const TOLERANCE: f64 = 2e-5;

/// The rate of the steps of gradient descent.
const RATE: f64 = 0.125;

/// Norm, and products with two vectors.
pub(crate) type Digest = [f64; 3];

#[derive(Deserialize)]
struct Reference {
    inference: f64,
    results: BTreeMap<String, Digest>,
    gradients: BTreeMap<String, Digest>,
    states: BTreeMap<String, Digest>,
    losses: Vec<f64>,
    #[serde(default)]
    optimizers: BTreeMap<String, Trained>,
}

/// What an optimizer's steps lead to.
#[derive(Deserialize)]
struct Trained {
    losses: Vec<f64>,
    parameters: BTreeMap<String, Digest>,
    states: BTreeMap<String, Digest>,
}

/// What a model computes from its inputs, by name.
type Results<M> = fn(&M, &[Tensor]) -> Result<Vec<(&'static str, Tensor)>>;

/// A model's loss with its gradients.
type LossWithGradients<M> = fn(&M, &[Tensor]) -> Result<(Tensor, Gradients)>;

/// What is done with a model of one type. Inputs come in the order of the functions' arguments.
struct Twin<M> {
    name: &'static str,
    new: fn(&Device, Seed) -> Result<M>,
    inputs: &'static [(&'static str, Input)],
    results: Results<M>,
    loss: fn(&M, &[Tensor]) -> Result<Tensor>,
    gradients: LossWithGradients<M>,
    /// On other devices than the host it is trained and nothing else: each function has programs of its own.
    trained_elsewhere: bool,
}

/// The host alone: where a model's programs take PoCL too long to build.
fn host() -> Vec<Device> {
    vec![Device::host()]
}

/// Every device where `NETCL_TEST_MODELS` is `all`, else the host: a model's programs take PoCL ten seconds to build.
fn when_asked() -> Vec<Device> {
    let all = std::env::var("NETCL_TEST_MODELS").is_ok_and(|value| value == "all");
    if all { crate::common::devices() } else { host() }
}

/// A test of one model on the devices that a function lists, from what it is given, what it computes and the arguments of its loss.
macro_rules! twin {
    ($name:ident: $model:ty, trained on $($rest:tt)*) => { twin! { @one true, $name: $model, $($rest)* } };
    (@one $trained:literal, $name:ident: $model:ty, $devices:path, inputs { $($input:ident = $make:expr),* $(,)? },
     results |$m:ident| $results:expr, loss($($argument:expr),*)) => {
        #[test]
        fn $name() -> netcl::Result<()> {
            let twin = $crate::twins::Twin::<$model> {
                name: stringify!($name),
                new: <$model>::new,
                inputs: &[$((stringify!($input), $make)),*],
                results: twin!(@closure $m, [$($input),*], Ok($results.into())),
                loss: twin!(@closure $m, [$($input),*], $m.loss($($argument),*)),
                gradients: twin!(@closure $m, [$($input),*], $m.loss_with_gradients($($argument),*).map(|(loss, g)| (loss, (*g).clone()))),
                trained_elsewhere: $trained,
            };
            for device in $devices() {
                $crate::twins::agrees(&device, &twin)?;
            }
            Ok(())
        }
    };
    // A function of the model and its inputs, by their names.
    (@closure $m:ident, [$($input:ident),*], $call:expr) => {
        |$m, inputs| {
            #[allow(unused_variables, reason = "not every function takes all")]
            let [$($input),*] = inputs else { unreachable!("as many as are made") };
            $call
        }
    };
    ($($whole:tt)*) => { twin! { @one false, $($whole)* } };
}
pub(crate) use twin;

pub(crate) fn digest(tensor: &Tensor) -> Result<Digest> {
    let values = match tensor.dtype() {
        DType::I32 => tensor.to_vec::<i32>()?.into_iter().map(|x| x as f32).collect(),
        _ => tensor.to_vec::<f32>()?,
    };
    let along = |name: &str| values.iter().enumerate().map(|(i, x)| f64::from(*x) * f64::from(unit(name, i))).sum();
    let norm = values.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    Ok([norm, along("first"), along("second")])
}

pub(crate) fn compare(what: &str, found: Vec<(String, Tensor)>, expected: &BTreeMap<String, Digest>) -> Result<()> {
    let names: Vec<&String> = found.iter().map(|(name, _)| name).collect();
    assert_eq!(found.len(), expected.len(), "{what}: {names:?}");
    let largest = expected.values().fold(0.0f64, |largest, digest| largest.max(digest[0]));
    for (name, tensor) in &found {
        let expected = expected.get(name).unwrap_or_else(|| panic!("{what}: PyTorch has no `{name}`"));
        let found = digest(tensor)?;
        let scale = expected[0].max(0.01 * largest);
        for (found, wanted) in found.iter().zip(expected) {
            let error = (found - wanted).abs() / scale;
            assert!(error <= TOLERANCE, "{what} `{name}`: {found}, expected {wanted}, {error:.1e} of the norm {scale}");
        }
    }
    Ok(())
}

/// The numbers that training begins with.
pub(crate) fn reset(device: &Device, model: &mut impl Model, name: &str) -> Result<()> {
    for (path, tensor) in model.parameters().into_iter().chain(model.states()) {
        let shape = tensor.shape().to_vec();
        // Gains and variances around 1, all else around 0.
        let last = path.rsplit('.').next().unwrap_or(&path);
        let centre = if shape.len() < 2 && ["weight", "running_var"].contains(&last) { 1.0 } else { 0.0 };
        let key = format!("{name}/{path}");
        let values: Vec<f32> = (0..tensor.elements()).map(|i| centre + 0.25 * unit(&key, i)).collect();
        model.set_tensor(&path, &Tensor::from_slice(device, &values, &shape)?)?;
    }
    Ok(())
}

/// As the script makes the optimizer of that name.
fn optimizer(name: &str) -> Box<dyn Optimizer> {
    match name {
        "momentum" => Box::new(Sgd::new(0.05).momentum(0.9).weight_decay(1e-3)),
        "nesterov" => Box::new(Sgd::new(0.05).momentum(0.8).nesterov(true).weight_decay(1e-2)),
        "adam" => Box::new(Adam::new(5e-3).weight_decay(1e-3)),
        "adamw" => Box::new(AdamW::new(5e-3).betas(0.8, 0.95).weight_decay(0.05).epsilon(1e-6)),
        _ => panic!("the script knows an optimizer `{name}` that the test does not"),
    }
}

/// Compares a new model with its twin.
fn agrees<M: Model>(device: &Device, twin: &Twin<M>) -> Result<()> {
    let name = twin.name;
    let all: BTreeMap<String, Reference> =
        serde_json::from_str(include_str!("../../../references/twins.json")).expect("what the script has written");
    let reference = &all[name];
    let mut model = (twin.new)(device, Seed(1))?;
    reset(device, &mut model, name)?;
    let made = twin.inputs.iter().map(|(input, make)| make.on(device, &format!("{name}/{input}")));
    let inputs = made.collect::<Result<Vec<_>>>()?;
    let near = |what: &str, found: f64, expected: f64| {
        let right = (found - expected).abs() <= TOLERANCE * expected.abs().max(1.0);
        assert!(right, "{name} on {device}: the loss {what} is {found}, expected {expected}");
    };
    if *device == Device::host() || !twin.trained_elsewhere {
        near("of inference", f64::from((twin.loss)(&model, &inputs)?.item::<f32>()?), reference.inference);
        let results = (twin.results)(&model, &inputs)?.into_iter().map(|(name, tensor)| (name.to_owned(), tensor));
        compare(&format!("{name} on {device}: result"), results.collect(), &reference.results)?;
    }
    let mut descent = Sgd::new(RATE);
    for (step, expected) in reference.losses.iter().enumerate() {
        let (loss, gradients) = (twin.gradients)(&model, &inputs)?;
        near(&format!("of step {step}"), f64::from(loss.item::<f32>()?), *expected);
        if step == 0 {
            compare(&format!("{name} on {device}: gradient in"), gradients.tensors(), &reference.gradients)?;
            compare(&format!("{name} on {device}: state"), model.states(), &reference.states)?;
        }
        descent.step(&mut model, &gradients)?;
    }
    for (chosen, trained) in &reference.optimizers {
        let mut optimizer = optimizer(chosen);
        reset(device, &mut model, name)?;
        for (step, expected) in trained.losses.iter().enumerate() {
            let (loss, gradients) = (twin.gradients)(&model, &inputs)?;
            near(&format!("of step {step} with {chosen}"), f64::from(loss.item::<f32>()?), *expected);
            optimizer.step(&mut model, &gradients)?;
        }
        let after = format!("{name} on {device}: after {chosen},");
        compare(&format!("{after} parameter"), model.parameters(), &trained.parameters)?;
        compare(&format!("{after} state"), model.states(), &trained.states)?;
    }
    Ok(())
}
