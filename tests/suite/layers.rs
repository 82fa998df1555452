//! `netcl::nn::Layer` with every configuration that PyTorch ran, in both modes: its results and what becomes of its
//! states. In the mode that PyTorch ran, against PyTorch's numbers; in the other against the reference interpreter's in
//! f64, and where elements are dropped, against what dropping is.

use crate::Case;
use crate::graphs::{download, upload};
use crate::pytorch::{TOLERANCE, close};
use libtest_mimic::Failed;
use netcl::nn::{ConfigValue, Layer, Mode};
use netcl::{Device, Seed, Tensor};
use netcl_fixtures::reference_graphs::{layer_graph, layer_input, layer_mode};
use netcl_fixtures::references::{LayerCase, Setting, references};
use netcl_kernels::graph::OutputKind;
use netcl_kernels::graph::interp::{HostTensor, Precision, evaluate};

pub(crate) fn all() -> Vec<Case> {
    let case = |case: &'static LayerCase| Case::new(format!("layers::{}", case.case), |device| check(case, device));
    references().layers.iter().map(case).collect()
}

fn check(case: &LayerCase, device: &Device) -> Result<(), Failed> {
    let x = upload(device, &case.input.tensor())?;
    for mode in [Mode::Training, Mode::Inference] {
        let layer = layer(case, device, Seed(1))?;
        let found = layer.forward(&[&x], mode).check().map_err(text)?;
        let dropped = match case.config.get("rate") {
            Some(Setting::Number(rate)) if mode == Mode::Training && *rate > 0.0 => Some(*rate),
            _ => None,
        };
        if let Some(rate) = dropped {
            check_dropped(&found, &case.input.tensor(), rate)?;
            // The seed says what is dropped, whatever the device and its launches.
            let elsewhere = upload(&Device::host(), &case.input.tensor())?;
            let host =
                self::layer(case, &Device::host(), Seed(1))?.forward(&[&elsewhere], mode).check().map_err(text)?;
            if download(&found)? != download(&host)? {
                return Err(format!("{mode:?}: another choice than the host's for the same seed").into());
            }
            continue;
        }
        let expected = expected(case, mode)?;
        let find = |kind: &OutputKind| expected.iter().find(|(known, _)| known == kind).map(|(_, value)| value);
        let wanted = find(&OutputKind::Result(0)).ok_or("no result")?;
        close(&format!("{mode:?}: the result"), &found, wanted, TOLERANCE)?;
        for (name, state) in layer.core().states() {
            // A state that is no output is as it was.
            let before = case.tensors[&name].tensor();
            let wanted = find(&OutputKind::State(name.clone())).unwrap_or(&before);
            close(&format!("{mode:?}: `{name}` afterwards"), &state, wanted, TOLERANCE)?;
        }
    }
    Ok(())
}

/// The layer with the case's tensors in its memory.
pub(crate) fn layer(case: &LayerCase, device: &Device, seed: Seed) -> Result<Layer, Failed> {
    let value = |setting: &Setting| match *setting {
        Setting::Bool(value) => ConfigValue::Bool(value),
        Setting::Size(value) => ConfigValue::Size(value),
        Setting::Number(value) => ConfigValue::Number(value),
        Setting::Pair(value) => ConfigValue::Pair(value),
    };
    let settings: Vec<_> = case.config.iter().map(|(key, setting)| (key.as_str(), value(setting))).collect();
    let layer = Layer::new(device, seed, &case.layer, &settings).map_err(text)?;
    for (name, data) in &case.tensors {
        layer.core().set_tensor(name, &upload(device, &data.tensor())?).map_err(text)?;
    }
    Ok(layer)
}

/// The result and the new states: PyTorch's, or in the mode that it did not run, the reference interpreter's.
fn expected(case: &LayerCase, mode: Mode) -> Result<Vec<(OutputKind, HostTensor)>, Failed> {
    if mode == layer_mode(case) {
        let states = case.updates.iter().map(|(name, data)| (OutputKind::State(name.clone()), data.tensor()));
        return Ok([(OutputKind::Result(0), case.result.tensor())].into_iter().chain(states).collect());
    }
    let graph = layer_graph(case, mode, false)?;
    let outputs = evaluate(&graph, &[], &|kind, name| layer_input(case, kind, name), Precision::F64);
    Ok(outputs.map_err(|error| error.to_string())?)
}

/// Each element is 0, or what makes up for those that are.
fn check_dropped(found: &Tensor, input: &HostTensor, rate: f64) -> Result<(), Failed> {
    let found = download(found)?;
    let zeros = found.iter().filter(|value| **value == 0.0).count();
    let kept = |(value, input): (&f64, f64)| *value == 0.0 || (value - input / (1.0 - rate)).abs() < 1e-6;
    if zeros == 0 || zeros == found.len() || !found.iter().zip(input.to_f64()).all(kept) {
        return Err(format!("{found:?} is not {:?} with a share of {rate} dropped", input.to_f64()).into());
    }
    Ok(())
}

fn text(error: netcl::Error) -> Failed {
    error.to_string().into()
}
