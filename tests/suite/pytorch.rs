//! Every operation and layer with its gradients, as the device's own pipeline compiles it in f32, against PyTorch's
//! numbers (`tests/references/references.json`).
//!
//! An element of a float result may differ by [`TOLERANCE`] times its own magnitude or the mean magnitude of its tensor,
//! whichever is larger: sums lose digits to cancellation by the size of their terms, not of their result. Truth values
//! and integers must be equal, infinities and NaN as well.

use crate::Case;
use crate::graphs::{Example, download};
use libtest_mimic::{Completion, Failed};
use netcl::{Device, Tensor};
use netcl_fixtures::reference_graphs::{layer_graph, layer_input, layer_mode, operation_graph};
use netcl_fixtures::references::{Data, LayerCase, OperationCase, references};
use netcl_kernels::autodiff::{Arguments, append_vjp};
use netcl_kernels::dim::Symbol;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::interp::HostTensor;
use netcl_kernels::graph::{Graph, InputKind, Op, OutputKind};

/// What a float may differ by, relative.
pub(crate) const TOLERANCE: f64 = 1e-4;

/// Cases that may differ by more, the tolerance, and why.
const LOOSER: &[(&str, f64, &str)] = &[];

pub(crate) fn all() -> Vec<Case> {
    let operations = references().operations.iter().map(|case| Case {
        name: format!("pytorch::operation {}", case.case),
        run: Box::new(|device| check_operation(case, device)),
    });
    let layers = references()
        .layers
        .iter()
        .map(|case| Case::new(format!("pytorch::layer {}", case.case), |device| check_layer(case, device)));
    operations.chain(layers).collect()
}

fn tolerance(case: &str) -> f64 {
    LOOSER.iter().find(|(name, ..)| *name == case).map_or(TOLERANCE, |(_, tolerance, _)| *tolerance)
}

fn check_operation(case: &OperationCase, device: &Device) -> Result<Completion, Failed> {
    let mut given: Vec<HostTensor> = case.tensors.iter().map(Data::tensor).collect();
    let mut graph = operation_graph(case)?;
    if graph.nodes.iter().any(|node| node.dtype == DType::F64) && !device.profile().fp64 {
        return Ok(Completion::ignored_with("the device has no fp64"));
    }
    if let Some(cotangent) = &case.cotangent {
        // The file has floats of one kind; the result of a cast has its own.
        let dtype = graph[graph.outputs[0].1].dtype;
        let cotangent = HostTensor::from_f64(dtype, &cotangent.shape, &cotangent.values());
        given.push(cotangent.map_err(|error| error.to_string())?);
        graph = append_vjp(graph, Arguments::Floats).map_err(|error| error.to_string())?;
    }
    let give = |kind: &InputKind, _: &str| match kind {
        InputKind::Argument(position) => given.get(*position).cloned(),
        _ => None,
    };
    let outputs = run(graph, Vec::new(), &give, device)?;
    let tolerance = tolerance(&case.case);
    compare(&outputs, &OutputKind::Result(0), &case.result, tolerance)?;
    for (position, expected) in case.gradients.iter().enumerate() {
        if let Some(expected) = expected {
            compare(&outputs, &OutputKind::ArgumentGradient(position), expected, tolerance)?;
        }
    }
    Ok(Completion::Completed)
}

fn check_layer(case: &LayerCase, device: &Device) -> Result<(), Failed> {
    // The batch is a symbol, as in annotated models.
    let symbolic = case.input.shape.len() > 1;
    let mut graph = layer_graph(case, layer_mode(case), symbolic)?;
    if case.cotangent.is_some() {
        graph = append_vjp(graph, Arguments::Floats).map_err(|error| error.to_string())?;
    }
    let bindings = if symbolic { vec![(Symbol::new("N"), case.input.shape[0] as u64)] } else { Vec::new() };
    let outputs = run(graph, bindings, &|kind, name| layer_input(case, kind, name), device)?;
    let tolerance = tolerance(&case.case);
    compare(&outputs, &OutputKind::Result(0), &case.result, tolerance)?;
    for (name, expected) in &case.updates {
        compare(&outputs, &OutputKind::State(name.clone()), expected, tolerance)?;
    }
    if let Some(expected) = &case.input_gradient {
        compare(&outputs, &OutputKind::ArgumentGradient(0), expected, tolerance)?;
    }
    for (name, expected) in &case.gradients {
        if let Some(expected) = expected {
            compare(&outputs, &OutputKind::Gradient(name.clone()), expected, tolerance)?;
        }
    }
    Ok(())
}

type Give<'a> = &'a dyn Fn(&InputKind, &str) -> Option<HostTensor>;

/// Every output of the graph, as the device computes it.
fn run(
    graph: Graph,
    bindings: Vec<(Symbol, u64)>,
    give: Give<'_>,
    device: &Device,
) -> Result<Vec<(OutputKind, Tensor)>, Failed> {
    let mut inputs = Vec::new();
    for node in &graph.nodes {
        if let Op::Input(kind) = &node.op {
            let value = give(kind, &node.name).ok_or_else(|| format!("no value for `{}`", node.name))?;
            inputs.push((kind.clone(), node.name.clone(), value));
        }
    }
    let kinds: Vec<OutputKind> = graph.outputs.iter().map(|(kind, _)| kind.clone()).collect();
    let results = Example { graph, bindings, inputs }.run(device)?;
    Ok(kinds.into_iter().zip(results).collect())
}

fn compare(outputs: &[(OutputKind, Tensor)], kind: &OutputKind, expected: &Data, tolerance: f64) -> Result<(), Failed> {
    let (_, found) = outputs.iter().find(|(known, _)| known == kind).ok_or_else(|| format!("no output {kind:?}"))?;
    close(&format!("{kind:?}"), found, &expected.tensor(), tolerance)
}

/// An error, which begins with `what`, where an element is not the expected one within `tolerance`, as the head of this
/// file has it.
pub(crate) fn close(what: &str, found: &Tensor, expected: &HostTensor, tolerance: f64) -> Result<(), Failed> {
    let (dtype, shape) = (expected.dtype(), expected.shape());
    let both_float = found.dtype().is_float() && dtype.is_float();
    if found.shape() != shape || (found.dtype() != dtype && !both_float) {
        return Err(format!("{what}: {} {:?}, expected {dtype} {shape:?}", found.dtype(), found.shape()).into());
    }
    let tolerance = if both_float { tolerance } else { 0.0 };
    let wanted = expected.to_f64();
    let finite = || wanted.iter().filter(|value| value.is_finite());
    let mean = finite().map(|value| value.abs()).sum::<f64>() / finite().count().max(1) as f64;
    for (element, (found, wanted)) in download(found)?.into_iter().zip(&wanted).enumerate() {
        let close = if wanted.is_finite() {
            (found - wanted).abs() <= tolerance * wanted.abs().max(mean)
        } else {
            found == *wanted || found.is_nan() && wanted.is_nan()
        };
        if !close {
            return Err(format!("{what}, element {element}: {found}, expected {wanted}").into());
        }
    }
    Ok(())
}
