//! Whole models against their twins in PyTorch, made in double precision by `tests/references/twins.py`: results, losses,
//! gradients, running statistics, and the losses of a few steps.
//!
//! Parameters and inputs are the same numbers on both sides, made from names. Of each tensor three numbers are stored: its norm
//! and its products with two fixed vectors, which one element that is wrong, or two that are swapped, change.
//!
//! All models run on the host, some on every device: to build the programs of one takes PoCL up to a minute.
#![allow(missing_docs, unreachable_pub, reason = "a test")]

#[path = "../common/mod.rs"]
mod common;
mod images;
mod sequences;
mod vectors;

use netcl::optim::{Optimizer, Sgd};
use netcl::{DType, Device, Gradients, Model, Result, Tensor};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The largest error, relative to the norm of what is compared, or to a hundredth of the largest of its kind: a bias before a
/// normalisation has a gradient of 0.
const TOLERANCE: f64 = 2e-5;

/// The rate of the steps: gradient descent, for what PyTorch computes to be one line.
const RATE: f64 = 0.125;

/// Norm, and products with two vectors.
type Digest = [f64; 3];

#[derive(Deserialize)]
struct Reference {
    inference: f64,
    results: BTreeMap<String, Digest>,
    gradients: BTreeMap<String, Digest>,
    states: BTreeMap<String, Digest>,
    losses: Vec<f64>,
}

/// What a model computes from its inputs, by name.
type Results<M> = fn(&M, &[Tensor]) -> Result<Vec<(&'static str, Tensor)>>;

/// A model's loss with its gradients.
type LossWithGradients<M> = fn(&M, &[Tensor]) -> Result<(Tensor, Gradients)>;

/// What is done with a model of one type. Inputs come in the order of the functions' arguments.
struct Twin<M> {
    name: &'static str,
    inputs: fn(&Device) -> Result<Vec<Tensor>>,
    results: Results<M>,
    loss: fn(&M, &[Tensor]) -> Result<Tensor>,
    gradients: LossWithGradients<M>,
}

/// Numbers that look random, from a name and a position: the finalizer of MurmurHash3 over a counter that FNV-1a starts.
fn bits(name: &str, position: u32) -> u32 {
    let start = name.bytes().fold(0x811c_9dc5u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let mut x = start.wrapping_add(position.wrapping_mul(0x9e37_79b9));
    x = (x ^ x >> 16).wrapping_mul(0x85eb_ca6b);
    x = (x ^ x >> 13).wrapping_mul(0xc2b2_ae35);
    x ^ x >> 16
}

/// Multiples of 1/1024 from -1 to 1.
fn unit(name: &str, position: usize) -> f32 {
    ((bits(name, position as u32) % 2049) as f32 - 1024.0) / 1024.0
}

fn floats(device: &Device, name: &str, shape: &[usize]) -> Result<Tensor> {
    let values: Vec<f32> = (0..shape.iter().product()).map(|i| unit(name, i)).collect();
    Tensor::from_slice(device, &values, shape)
}

/// Whole numbers below `below`.
fn numbers(device: &Device, name: &str, shape: &[usize], below: u32) -> Result<Tensor> {
    let values: Vec<u32> = (0..shape.iter().product::<usize>()).map(|i| bits(name, i as u32) % below).collect();
    Tensor::from_slice(device, &values, shape)
}

fn digest(tensor: &Tensor) -> Result<Digest> {
    assert_eq!(tensor.dtype(), DType::F32);
    let values = tensor.to_vec::<f32>()?;
    let along = |name: &str| values.iter().enumerate().map(|(i, x)| f64::from(*x) * f64::from(unit(name, i))).sum();
    let norm = values.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    Ok([norm, along("first"), along("second")])
}

fn compare(what: &str, found: Vec<(String, Tensor)>, expected: &BTreeMap<String, Digest>) -> Result<()> {
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

/// Compares a new model with its twin.
fn agrees<M: Model>(device: &Device, mut model: M, twin: &Twin<M>) -> Result<()> {
    let name = twin.name;
    let all: BTreeMap<String, Reference> =
        serde_json::from_str(include_str!("../../references/twins.json")).expect("what the script has written");
    let reference = &all[name];
    for (path, tensor) in model.parameters().into_iter().chain(model.states()) {
        let shape = tensor.shape().to_vec();
        // Gains and variances around 1, all else around 0.
        let last = path.rsplit('.').next().unwrap_or(&path);
        let centre = if shape.len() < 2 && ["weight", "running_var"].contains(&last) { 1.0 } else { 0.0 };
        let key = format!("{name}/{path}");
        let values: Vec<f32> = (0..tensor.elements()).map(|i| centre + 0.25 * unit(&key, i)).collect();
        model.set_tensor(&path, &Tensor::from_slice(device, &values, &shape)?)?;
    }
    let inputs = (twin.inputs)(device)?;
    let loss = f64::from((twin.loss)(&model, &inputs)?.item::<f32>()?);
    let near = |found: f64, expected: f64| (found - expected).abs() <= TOLERANCE * expected.abs().max(1.0);
    assert!(near(loss, reference.inference), "{name}: the loss is {loss}, expected {}", reference.inference);
    let results = (twin.results)(&model, &inputs)?.into_iter().map(|(name, tensor)| (name.to_owned(), tensor));
    compare(&format!("{name} on {device}: result"), results.collect(), &reference.results)?;
    let mut optimizer = Sgd::new(RATE);
    for (step, expected) in reference.losses.iter().enumerate() {
        let (loss, gradients) = (twin.gradients)(&model, &inputs)?;
        let loss = f64::from(loss.item::<f32>()?);
        assert!(near(loss, *expected), "{name} on {device}: the loss of step {step} is {loss}, expected {expected}");
        if step == 0 {
            compare(&format!("{name} on {device}: gradient in"), gradients.tensors(), &reference.gradients)?;
            compare(&format!("{name} on {device}: state"), model.states(), &reference.states)?;
        }
        optimizer.step(&mut model, &gradients)?;
    }
    Ok(())
}
