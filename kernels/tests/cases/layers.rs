//! Layers against PyTorch, and their gradients against PyTorch and against differences.

use crate::compare::compare;
use crate::test;
use libtest_mimic::Trial;
use netcl_fixtures::reference_graphs::{layer_config, layer_graph, layer_input, layer_mode};
use netcl_fixtures::references::{LayerCase, references};
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

/// In a mode: layers that differ between the modes are checked in both.
fn differences(case: &LayerCase, mode: Mode) -> Result<(), String> {
    let graph = layer_graph(case, mode, false)?;
    let found = finite_difference_check(&graph, &[], &|kind, name| layer_input(case, kind, name))
        .map_err(|error| error.to_string())?;
    match found {
        found if found.error > 1e-6 => Err(found.to_string()),
        found if found.compared == 0 => Err("nothing compared".into()),
        _ => Ok(()),
    }
}

fn every_layer_has_a_case_with_derivatives() {
    let smooth = references().layers.iter().filter(|case| case.smooth);
    let checked: BTreeSet<&str> = smooth.map(|case| case.layer.as_str()).collect();
    let names: BTreeSet<&str> = layers::all().iter().map(|layer| layer.name).collect();
    assert_eq!(checked, names, "layers with a case and a checked derivative, and all layers");
}

fn parameters_are_trainable_and_states_are_not(case: &LayerCase) -> Result<(), String> {
    let layer = layers::find(&case.layer).ok_or("no such layer")?;
    for spec in (layer.tensors)(&layer_config(case)?) {
        let state = spec.name.starts_with("running_");
        assert_eq!(spec.trainable, !state, "`{}` of `{}`", spec.name, layer.name);
    }
    Ok(())
}

pub(crate) fn trials() -> Vec<Trial> {
    let every = every_layer_has_a_case_with_derivatives;
    let mut trials = vec![test("layers::every_layer_has_a_case_with_derivatives", every)];
    for case in &references().layers {
        let mut add = |what: &str, check: fn(&LayerCase) -> Result<(), String>| {
            trials.push(Trial::test(format!("layers::{}::{what}", case.case), move || Ok(check(case)?)));
        };
        add("f64", |case| check(case, Precision::F64, false));
        // Of numbers around 10000 that differ by 1, f32 keeps 4 digits after the mean is subtracted.
        if !case.case.contains("a large mean") {
            add("own_type", |case| check(case, Precision::Typed, false));
        }
        if case.input.shape.len() > 1 {
            add("any_batch", |case| check(case, Precision::F64, true));
        }
        if case.smooth {
            add("differences in training", |case| differences(case, Mode::Training));
            add("differences in inference", |case| differences(case, Mode::Inference));
        }
        add("parameters_are_trainable_and_states_are_not", parameters_are_trainable_and_states_are_not);
    }
    trials
}
