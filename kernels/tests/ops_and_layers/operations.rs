//! Operations against PyTorch, and their gradients against PyTorch and against differences.

use crate::compare::compare;
use crate::reference_graphs::operation_graph;
use crate::references::{OperationCase, references};
use netcl_kernels::autodiff::check::finite_difference_check;
use netcl_kernels::autodiff::{Arguments, append_vjp};
use netcl_kernels::graph::interp::{HostTensor, Precision, evaluate};
use netcl_kernels::graph::{InputKind, OutputKind};
use netcl_kernels::ops;
use std::collections::BTreeSet;

/// Operations without any derivative: their results are truth values or positions, or gradients end there on purpose.
const WITHOUT_DERIVATIVE: &[&str] = &[
    "all",
    "and",
    "any",
    "argmax",
    "argmin",
    "detach",
    "eq",
    "ge",
    "gt",
    "is_finite",
    "is_nan",
    "le",
    "lt",
    "ne",
    "not",
    "one_hot",
    "or",
    "xor",
];

fn check(case: &OperationCase, precision: Precision) -> Result<(), String> {
    let mut given: Vec<HostTensor> = case.tensors.iter().map(|data| data.tensor()).collect();
    let mut graph = operation_graph(case)?;
    if let Some(cotangent) = &case.cotangent {
        let dtype = graph[graph.outputs[0].1].dtype;
        graph = append_vjp(graph, Arguments::Floats).map_err(|error| error.to_string())?;
        let seed = HostTensor::from_f64(dtype, &cotangent.shape, &cotangent.values());
        given.push(seed.map_err(|error| error.to_string())?);
    }
    let inputs = |kind: &InputKind, _: &str| match kind {
        InputKind::Argument(position) => given.get(*position).cloned(),
        _ => None,
    };
    let outputs = evaluate(&graph, &[], &inputs, precision).map_err(|error| error.to_string())?;
    let find = |kind: OutputKind| outputs.iter().find(|(known, _)| *known == kind).map(|(_, tensor)| tensor);
    compare(find(OutputKind::Result(0)).ok_or("no result")?, &case.result, precision)?;
    for (position, expected) in case.gradients.iter().enumerate() {
        if let Some(expected) = expected {
            let found = find(OutputKind::ArgumentGradient(position)).ok_or("no gradient")?;
            compare(found, expected, precision).map_err(|error| format!("gradient in tensor {position}: {error}"))?;
        }
    }
    Ok(())
}

fn report(failures: &[String]) {
    assert!(failures.is_empty(), "{} cases fail:\n{}", failures.len(), failures.join("\n"));
}

fn check_all(precision: Precision) {
    let failures: Vec<String> = references()
        .operations
        .iter()
        .filter_map(|case| check(case, precision).err().map(|error| format!("{}: {error}", case.case)))
        .collect();
    report(&failures);
}

#[test]
fn every_operation_and_its_gradient_is_pytorchs() {
    check_all(Precision::F64);
}

#[test]
fn every_operation_and_its_gradient_is_stable_in_its_own_type() {
    check_all(Precision::Typed);
}

#[test]
fn every_operation_has_a_case() {
    let tested: BTreeSet<&str> = references().operations.iter().map(|case| case.operation.as_str()).collect();
    let missing: Vec<&str> = ops::all().map(|operation| operation.name).filter(|name| !tested.contains(name)).collect();
    assert!(missing.is_empty(), "add cases to tests/references/cases.py for {missing:?}");
}

#[test]
fn every_derivative_is_that_of_differences() {
    let (mut failures, mut checked) = (Vec::new(), BTreeSet::new());
    for case in references().operations.iter().filter(|case| case.smooth) {
        let given: Vec<HostTensor> = case.tensors.iter().map(|data| data.tensor()).collect();
        let inputs = |kind: &InputKind, _: &str| match kind {
            InputKind::Argument(position) => given.get(*position).cloned(),
            _ => None,
        };
        let result = operation_graph(case)
            .and_then(|graph| finite_difference_check(&graph, &[], &inputs).map_err(|error| error.to_string()));
        match result {
            Ok(found) if found.error > 1e-6 => failures.push(format!("{}: {found}", case.case)),
            Ok(found) if found.compared > 0 && case.cotangent.is_some() => {
                checked.insert(case.operation.as_str());
            }
            Ok(_) => {}
            Err(error) => failures.push(format!("{}: {error}", case.case)),
        }
    }
    report(&failures);
    let unchecked: Vec<&str> = ops::all().map(|op| op.name).filter(|name| !checked.contains(name)).collect();
    let unchecked: BTreeSet<&str> = unchecked.into_iter().collect();
    assert_eq!(unchecked, WITHOUT_DERIVATIVE.iter().copied().collect(), "operations without a checked derivative");
}

#[test]
fn names_are_distinct_and_findable() {
    let mut names = BTreeSet::new();
    for operation in ops::all() {
        assert!(names.insert(operation.name), "`{}` is there twice", operation.name);
        assert!(!operation.args.is_empty(), "`{}` has no receiver", operation.name);
        assert_eq!(ops::find(operation.name).map(|found| found.name), Some(operation.name));
    }
    assert!(ops::find("no_such_operation").is_none());
}
