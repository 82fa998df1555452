//! Layers against PyTorch, and their gradients against PyTorch and against differences.

use crate::reference::{LayerCase, Setting, compare, references};
use netcl_kernels::autodiff::check::finite_difference_check;
use netcl_kernels::autodiff::{Arguments, append_vjp};
use netcl_kernels::dim::{Dim, Shape, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::interp::{HostTensor, Precision, evaluate};
use netcl_kernels::graph::verify::verify;
use netcl_kernels::graph::{Graph, InputKind, NodeId, OutputKind};
use netcl_kernels::layers::{self, Config, ConfigValue, Context, Mode};
use netcl_kernels::span::Span;
use std::collections::BTreeSet;

const SEED: u32 = 7;

fn config(case: &LayerCase) -> Result<Config, String> {
    let layer = layers::find(&case.layer).ok_or("no such layer")?;
    let setting = |setting: &Setting| match *setting {
        Setting::Bool(value) => ConfigValue::Bool(value),
        Setting::Size(value) => ConfigValue::Size(value),
        Setting::Number(value) => ConfigValue::Number(value),
        Setting::Pair(value) => ConfigValue::Pair(value),
    };
    let pairs: Vec<_> = case.config.iter().map(|(key, value)| (key.as_str(), setting(value), Span::NONE)).collect();
    Config::from_pairs(layer, &pairs).map_err(|errors| format!("{errors:?}"))
}

/// The case as a function of `x` and the layer's tensors; with `symbolic` the batch is `N`.
fn graph(case: &LayerCase, mode: Mode, symbolic: bool) -> Result<Graph, String> {
    let layer = layers::find(&case.layer).ok_or("no such layer")?;
    let config = config(case)?;
    let mut builder = Builder::new(&case.layer);
    let mut shape = Shape::of(&case.input.shape);
    if symbolic {
        shape.0[0] = Dim::symbol("N");
    }
    let x = builder.input(InputKind::Argument(0), "x", shape, case.input.dtype());
    let seed = builder.input(InputKind::Scalar(0), "seed", Shape::scalar(), DType::U32);
    let specs = (layer.tensors)(&config);
    let declared: BTreeSet<&str> = specs.iter().map(|spec| spec.name).collect();
    let given: BTreeSet<&str> = case.tensors.keys().map(String::as_str).collect();
    if declared != given {
        return Err(format!("the layer has {declared:?}, the case {given:?}"));
    }
    let mut tensors = Vec::new();
    for spec in &specs {
        if case.tensors[spec.name].shape != spec.shape {
            return Err(format!("`{}` has shape {:?}", spec.name, spec.shape));
        }
        let kind = if spec.trainable { InputKind::Parameter } else { InputKind::State };
        tensors.push(builder.input(kind, spec.name, Shape::of(&spec.shape), spec.dtype));
    }
    let mut updates: Vec<(usize, NodeId)> = Vec::new();
    let mut context = Context {
        builder: &mut builder,
        config: &config,
        name: "layer",
        tensors: &tensors,
        mode,
        seed,
        updates: &mut updates,
    };
    let result = layers::forward(layer, &mut context, &[x]).map_err(|error| error.to_string())?;
    builder.output(OutputKind::Result(0), result);
    for (position, node) in updates {
        builder.output(OutputKind::State(specs[position].name.into()), node);
    }
    let graph = builder.finish();
    verify(&graph).map_err(|errors| format!("{errors:?}"))?;
    Ok(graph)
}

fn mode(case: &LayerCase) -> Mode {
    if case.mode == "training" { Mode::Training } else { Mode::Inference }
}

fn give(case: &LayerCase, kind: &InputKind, name: &str) -> Option<HostTensor> {
    match kind {
        InputKind::Argument(0) => Some(case.input.tensor()),
        InputKind::Argument(_) => case.cotangent.as_ref().map(|data| data.tensor()),
        InputKind::Parameter | InputKind::State => case.tensors.get(name).map(|data| data.tensor()),
        InputKind::Scalar(_) => HostTensor::from_f64(DType::U32, &[], &[f64::from(SEED)]).ok(),
    }
}

fn check(case: &LayerCase, precision: Precision, symbolic: bool) -> Result<(), String> {
    let mut graph = graph(case, mode(case), symbolic)?;
    if case.cotangent.is_some() {
        graph = append_vjp(graph, Arguments::Floats).map_err(|error| error.to_string())?;
    }
    let bindings = [(Symbol::new("N"), case.input.shape[0] as u64)];
    let outputs = evaluate(&graph, &bindings, &|kind, name| give(case, kind, name), precision)
        .map_err(|error| error.to_string())?;
    let find = |kind: OutputKind| {
        let found = outputs.iter().find(|(known, _)| *known == kind).map(|(_, tensor)| tensor);
        found.ok_or_else(|| format!("no output {kind:?}"))
    };
    compare(find(OutputKind::Result(0))?, &case.result, precision)?;
    for (name, expected) in &case.updates {
        compare(find(OutputKind::State(name.clone()))?, expected, precision)
            .map_err(|error| format!("new `{name}`: {error}"))?;
    }
    if let Some(expected) = &case.input_gradient {
        compare(find(OutputKind::ArgumentGradient(0))?, expected, precision)
            .map_err(|error| format!("gradient in the input: {error}"))?;
    }
    for (name, expected) in &case.gradients {
        if let Some(expected) = expected {
            compare(find(OutputKind::Gradient(name.clone()))?, expected, precision)
                .map_err(|error| format!("gradient in `{name}`: {error}"))?;
        }
    }
    Ok(())
}

fn check_all(precision: Precision, symbolic: bool, fits: impl Fn(&LayerCase) -> bool) {
    let failures: Vec<String> = references()
        .layers
        .iter()
        .filter(|case| fits(case))
        .filter_map(|case| check(case, precision, symbolic).err().map(|error| format!("{}: {error}", case.case)))
        .collect();
    assert!(failures.is_empty(), "{} cases fail:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_layer_and_its_gradients_are_pytorchs() {
    check_all(Precision::F64, false, |_| true);
}

#[test]
fn every_layer_and_its_gradients_are_stable_in_their_own_type() {
    // Of numbers around 10000 that differ by 1, f32 keeps 4 digits after the mean is subtracted.
    check_all(Precision::Typed, false, |case| !case.case.contains("a large mean"));
}

#[test]
fn one_graph_serves_every_batch_size() {
    check_all(Precision::F64, true, |case| case.input.shape.len() > 1);
}

#[test]
fn every_layer_has_a_case_and_its_gradients_are_those_of_differences() {
    let (mut failures, mut checked) = (Vec::new(), BTreeSet::new());
    for case in references().layers.iter().filter(|case| case.smooth) {
        // Layers that differ between the modes are checked in both.
        for mode in [Mode::Training, Mode::Inference] {
            let result = graph(case, mode, false).and_then(|graph| {
                finite_difference_check(&graph, &[], &|kind, name| give(case, kind, name))
                    .map_err(|error| error.to_string())
            });
            match result {
                Ok(found) if found.error > 1e-6 => failures.push(format!("{} ({mode:?}): {found}", case.case)),
                Ok(found) if found.compared > 0 => {
                    checked.insert(case.layer.as_str());
                }
                Ok(_) => failures.push(format!("{}: nothing compared", case.case)),
                Err(error) => failures.push(format!("{} ({mode:?}): {error}", case.case)),
            }
        }
    }
    assert!(failures.is_empty(), "{} cases fail:\n{}", failures.len(), failures.join("\n"));
    let names: BTreeSet<&str> = layers::all().iter().map(|layer| layer.name).collect();
    assert_eq!(checked, names, "layers with a case and a checked derivative, and all layers");
}

#[test]
fn parameters_are_trainable_and_states_are_not() {
    for case in &references().layers {
        let layer = layers::find(&case.layer).expect("a layer");
        for spec in (layer.tensors)(&config(case).expect("a configuration")) {
            let state = spec.name.starts_with("running_");
            assert_eq!(spec.trainable, !state, "`{}` of `{}`", spec.name, layer.name);
        }
    }
}
