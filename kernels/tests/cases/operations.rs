//! Operations against PyTorch, and their gradients against PyTorch and against differences.

use crate::compare::compare;
use crate::test;
use libtest_mimic::Trial;
use netcl_fixtures::reference_graphs::operation_graph;
use netcl_fixtures::references::{OperationCase, references};
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
    "argsort",
    "bincount",
    "bucketize",
    "det_sign",
    "detach",
    "eq",
    "ge",
    "gt",
    "histogram",
    "is_finite",
    "is_infinite",
    "is_nan",
    "is_sign_negative",
    "is_sign_positive",
    "le",
    "lt",
    "ne",
    "not",
    "one_hot",
    "or",
    "searchsorted",
    "shl",
    "shr",
    "topk_indices",
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

/// Whether an operation with a derivative has a case that compares it.
fn is_compared(case: &OperationCase) -> bool {
    case.smooth && case.cotangent.is_some()
}

/// The largest error of the gradients in all inputs, and whether there is any.
fn differences(case: &OperationCase) -> Result<(), String> {
    let given: Vec<HostTensor> = case.tensors.iter().map(|data| data.tensor()).collect();
    let inputs = |kind: &InputKind, _: &str| match kind {
        InputKind::Argument(position) => given.get(*position).cloned(),
        _ => None,
    };
    let graph = operation_graph(case)?;
    let found = finite_difference_check(&graph, &[], &inputs).map_err(|error| error.to_string())?;
    if found.error > 1e-6 {
        return Err(found.to_string());
    }
    let expected = !WITHOUT_DERIVATIVE.contains(&case.operation.as_str());
    if is_compared(case) && (found.compared > 0) != expected {
        return Err(format!(
            "{} derivatives compared of an operation that has {}",
            found.compared,
            if expected { "some" } else { "none" }
        ));
    }
    Ok(())
}

fn every_operation_has_a_case() {
    let cases = || references().operations.iter();
    let tested: BTreeSet<&str> = cases().map(|case| case.operation.as_str()).collect();
    let missing: Vec<&str> = ops::all().map(|operation| operation.name).filter(|name| !tested.contains(name)).collect();
    assert!(missing.is_empty(), "add cases to tests/references/cases.py for {missing:?}");
    let compared: BTreeSet<&str> =
        cases().filter(|case| is_compared(case)).map(|case| case.operation.as_str()).collect();
    let has_derivative = |name: &&str| !WITHOUT_DERIVATIVE.contains(name);
    let missing: Vec<&str> =
        ops::all().map(|op| op.name).filter(has_derivative).filter(|name| !compared.contains(name)).collect();
    assert!(missing.is_empty(), "no case compares the derivatives of {missing:?} with differences");
    let unknown = WITHOUT_DERIVATIVE.iter().filter(|name| ops::find(name).is_none());
    assert_eq!(unknown.count(), 0, "operations without a derivative that there are not");
}

fn names_are_distinct_and_findable() {
    let mut names = BTreeSet::new();
    for operation in ops::all() {
        assert!(names.insert(operation.name), "`{}` is there twice", operation.name);
        assert!(!operation.args.is_empty(), "`{}` has no receiver", operation.name);
        assert_eq!(ops::find(operation.name).map(|found| found.name), Some(operation.name));
    }
    assert!(ops::find("no_such_operation").is_none());
}

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![
        test("operations::every_operation_has_a_case", every_operation_has_a_case),
        test("operations::names_are_distinct_and_findable", names_are_distinct_and_findable),
    ];
    for case in &references().operations {
        let mut add = |what: &str, check: fn(&OperationCase) -> Result<(), String>| {
            trials.push(Trial::test(format!("operations::{}::{what}", case.case), move || Ok(check(case)?)));
        };
        add("f64", |case| check(case, Precision::F64));
        add("own_type", |case| check(case, Precision::Typed));
        if case.smooth {
            add("differences", differences);
        }
    }
    trials
}
