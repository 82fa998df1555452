//! Layers against PyTorch, and their gradients against PyTorch and against differences.

use crate::compare::compare;
use crate::reference_graphs::{layer_config, layer_graph, layer_input, layer_mode};
use crate::references::{LayerCase, references};
use netcl_kernels::autodiff::check::finite_difference_check;
use netcl_kernels::autodiff::{Arguments, append_vjp};
use netcl_kernels::dim::Symbol;
use netcl_kernels::graph::OutputKind;
use netcl_kernels::graph::interp::{Precision, evaluate};
use netcl_kernels::layers::{self, Mode};
use std::collections::BTreeSet;

fn check(case: &LayerCase, precision: Precision, symbolic: bool) -> Result<(), String> {
    let mut graph = layer_graph(case, layer_mode(case), symbolic)?;
    if case.cotangent.is_some() {
        graph = append_vjp(graph, Arguments::Floats).map_err(|error| error.to_string())?;
    }
    let bindings = [(Symbol::new("N"), case.input.shape[0] as u64)];
    let outputs = evaluate(&graph, &bindings, &|kind, name| layer_input(case, kind, name), precision)
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
            let result = layer_graph(case, mode, false).and_then(|graph| {
                finite_difference_check(&graph, &[], &|kind, name| layer_input(case, kind, name))
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
        for spec in (layer.tensors)(&layer_config(case).expect("a configuration")) {
            let state = spec.name.starts_with("running_");
            assert_eq!(spec.trainable, !state, "`{}` of `{}`", spec.name, layer.name);
        }
    }
}
