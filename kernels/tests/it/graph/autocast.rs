//! Activations in halves: what is converted where, and what numbers that gives.

use netcl_kernels::autodiff::check::finite_difference_check;
use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::compile::compile;
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::interp::{HostTensor, Precision as Rounding, evaluate};
use netcl_kernels::graph::{BinaryOp, CompareOp, Graph, InputKind, NodeId, Op, OutputKind, UnaryOp, verify};
use netcl_kernels::layers;
use netcl_kernels::ops::{self, Value};
use netcl_kernels::plan::Target;
use netcl_kernels::precision::{Policy, Precision};
use std::collections::{BTreeMap, BTreeSet};

fn call(b: &mut Builder, name: &str, args: &[Value]) -> NodeId {
    let operation = ops::find(name).unwrap_or_else(|| panic!("no `{name}`"));
    ops::call(b, operation, args).unwrap_or_else(|error| panic!("{error}"))
}

fn shape(sizes: &[i64]) -> Shape {
    Shape(sizes.iter().copied().map(Dim::constant).collect())
}

/// Two layers, the second with the first one's weight transposed, a norm, and a loss.
fn network(precision: Precision) -> Graph {
    let mut b = Builder::new("network");
    let x = b.input(InputKind::Argument(0), "x", shape(&[6, 8]), DType::F32);
    let weight = b.input(InputKind::Parameter, "weight", shape(&[8, 5]), DType::F32);
    let bias = b.input(InputKind::Parameter, "bias", shape(&[5]), DType::F32);
    b.set_precision(precision);
    let [x, weight, bias] = [x, weight, bias].map(Value::Tensor);
    let h = call(&mut b, "linear", &[x.clone(), weight.clone(), bias]);
    let h = call(&mut b, "tanh", &[Value::Tensor(h)]);
    let back = call(&mut b, "t", &[weight]);
    let y = call(&mut b, "matmul", &[Value::Tensor(h), Value::Tensor(back)]);
    let y = call(&mut b, "softmax", &[Value::Tensor(y), Value::Dim(Dim::constant(1))]);
    let loss = call(&mut b, "mse_loss", &[Value::Tensor(y), x]);
    b.output(OutputKind::Result(0), loss);
    append_gradients(b.finish(), Arguments::At(&[0])).unwrap_or_else(|error| panic!("{error}"))
}

/// Numbers of which each is another.
fn given(graph: &Graph) -> impl Fn(&InputKind, &str) -> Option<HostTensor> + '_ {
    |kind, name| {
        let is = |node: &&netcl_kernels::graph::Node| node.op == Op::Input(kind.clone()) && node.name == name;
        let node = graph.nodes.iter().find(is)?;
        let sizes = node.shape.evaluate(&[])?;
        let count: usize = sizes.iter().product();
        let values: Vec<f64> = (0..count).map(|i| ((i * 37 % 101) as f64 / 50.5 - 1.0) * 0.77).collect();
        HostTensor::from_f64(node.dtype, &sizes, &values).ok()
    }
}

fn outputs(graph: &Graph, rounding: Rounding) -> Vec<(OutputKind, Vec<f64>)> {
    let outputs = evaluate(graph, &[], &given(graph), rounding).unwrap_or_else(|error| panic!("{error}"));
    outputs.into_iter().map(|(kind, tensor)| (kind, tensor.to_f64())).collect()
}

/// The largest error of any output, of the largest number in it.
fn error(found: &[(OutputKind, Vec<f64>)], exact: &[(OutputKind, Vec<f64>)]) -> f64 {
    let mut most = 0.0_f64;
    for ((kind, found), (other, exact)) in found.iter().zip(exact) {
        assert_eq!(kind, other);
        let scale = exact.iter().fold(0.0_f64, |scale, value| scale.max(value.abs()));
        most = found.iter().zip(exact).fold(most, |most, (x, y)| most.max((x - y).abs() / scale));
    }
    most
}

/// An operation that is added to a table is given a row, by somebody who has thought of halves.
#[test]
fn every_entry_of_the_tables_has_one_row() {
    let mut rows: BTreeMap<&str, usize> = BTreeMap::new();
    Policy::ALL.into_iter().flat_map(Policy::names).for_each(|name| *rows.entry(name).or_default() += 1);
    let twice: Vec<_> = rows.iter().filter(|(_, count)| **count > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
    let entries = ops::all().map(|operation| operation.name).chain(layers::all().iter().map(|layer| layer.name));
    let entries: BTreeSet<&str> = entries.collect();
    // What bodies write as operators.
    let own = UnaryOp::ALL.iter().map(|op| op.name()).chain(BinaryOp::ALL.iter().map(|op| op.name()));
    let operators: BTreeSet<&str> = own.chain(CompareOp::ALL.iter().map(|op| op.name())).collect();
    let missing: Vec<_> = entries.union(&operators).filter(|name| !rows.contains_key(**name)).collect();
    let unknown: Vec<_> = rows.keys().filter(|name| !entries.contains(**name)).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "without a row: {missing:?}; no entries: {unknown:?}");
}

#[test]
fn results_and_gradients_are_as_near_as_their_type_allows() {
    let exact = outputs(&network(Precision::F32), Rounding::F64);
    assert_eq!(exact.len(), 4);
    for (precision, least, most) in [(Precision::Bf16, 1e-3, 3e-2), (Precision::F16, 1e-4, 4e-3)] {
        let graph = network(precision);
        let problems = verify::verify(&graph).err();
        assert!(problems.is_none(), "{problems:?}\n{graph}");
        let error = error(&outputs(&graph, Rounding::Typed), &exact);
        assert!(error > least && error < most, "{precision:?}: {error}");
    }
}

#[test]
fn gradients_go_through_conversions() {
    for precision in Precision::ALL {
        let graph = network(precision);
        let report = finite_difference_check(&graph, &[], &given(&graph)).unwrap_or_else(|error| panic!("{error}"));
        assert!(report.compared > 90 && report.error < 1e-6, "{precision:?}: {report}");
    }
}

/// A parameter and what is read of it transposed, forward and backward.
#[test]
fn a_parameter_is_rounded_once_and_has_a_gradient_of_its_own_type() {
    let graph = network(Precision::Bf16);
    let is_of =
        |node: &netcl_kernels::graph::Node, name: &str| matches!(node.op, Op::Cast(id) if graph[id].name == name);
    let casts = graph.nodes.iter().filter(|node| is_of(node, "weight")).count();
    assert_eq!(casts, 1, "{graph}");
    for (kind, id) in &graph.outputs {
        assert_eq!(graph[*id].dtype, DType::F32, "{kind:?}");
    }
    let products = graph.nodes.iter().filter(|node| matches!(node.op, Op::MatMul(..))).collect::<Vec<_>>();
    assert!(products.len() >= 5 && products.iter().all(|node| node.dtype == DType::BF16), "{graph}");
    // Those of the softmax; the derivative of what keeps halves is of halves.
    let is_exp = |node: &&netcl_kernels::graph::Node| matches!(node.op, Op::Unary(UnaryOp::Exp, _));
    let mut softmax = graph.nodes.iter().filter(|node| node.shape == shape(&[6, 8])).filter(is_exp).peekable();
    assert!(softmax.peek().is_some() && softmax.all(|node| node.dtype == DType::F32), "{graph}");
}

#[test]
fn what_is_no_float_of_at_most_32_bits_stays() {
    let mut b = Builder::new("others");
    b.set_precision(Precision::Bf16);
    let sizes = shape(&[2, 2]);
    for (position, dtype) in DType::ALL.into_iter().enumerate() {
        let x = b.input(InputKind::Argument(position), "x", sizes.clone(), dtype);
        let sum = if dtype == DType::Bool { x } else { b.binary(BinaryOp::Add, x, x).unwrap() };
        assert_eq!(b.dtype(sum), dtype);
        if matches!(dtype, DType::F16 | DType::BF16 | DType::F32) {
            let product = call(&mut b, "matmul", &[Value::Tensor(x), Value::Tensor(x)]);
            assert_eq!(b.dtype(product), DType::BF16);
        }
    }
    let x = b.input(InputKind::Argument(20), "x", sizes, DType::F64);
    for name in ["matmul", "pow", "maximum"] {
        let result = call(&mut b, name, &[Value::Tensor(x), Value::Tensor(x)]);
        assert_eq!(b.dtype(result), DType::F64, "{name}");
    }
}

/// A number does not make a tensor wider, and halves of two kinds meet in what has both.
#[test]
fn several_types_meet_in_the_widest() {
    let mut b = Builder::new("meeting");
    let mut input = |position, sizes: &[i64], dtype| b.input(InputKind::Argument(position), "x", shape(sizes), dtype);
    let (full, brain) = (input(0, &[3], DType::F32), input(1, &[3], DType::BF16));
    let (half, number) = (input(2, &[3], DType::F16), input(3, &[], DType::F32));
    for (x, y, expected) in [
        (full, brain, DType::F32),
        (brain, half, DType::F32),
        (brain, number, DType::BF16),
        (number, half, DType::F16),
        (brain, brain, DType::BF16),
    ] {
        b.set_precision(Precision::Bf16);
        let sum = b.binary(BinaryOp::Add, x, y).unwrap();
        assert_eq!(b.dtype(sum), expected);
        let larger = call(&mut b, "maximum", &[Value::Tensor(x), Value::Tensor(y)]);
        assert_eq!(b.dtype(larger), expected);
        b.set_precision(Precision::F32);
        assert_eq!(b.binary(BinaryOp::Add, x, y).is_ok(), b.dtype(x) == b.dtype(y));
    }
}

/// Of one tensor of halves every operation that takes one gives what its row says.
#[test]
fn operations_of_one_tensor_are_computed_in_what_their_rows_say() {
    for precision in [Precision::Bf16, Precision::F16] {
        let half = precision.half().unwrap();
        let mut compared = 0;
        for operation in ops::all().filter(|operation| operation.args.len() == 1) {
            let mut b = Builder::new(operation.name);
            let x = b.input(InputKind::Argument(0), "x", shape(&[4, 4]), half);
            b.set_precision(precision);
            // Some take vectors, or complex numbers.
            let Ok(result) = ops::call(&mut b, operation, &[Value::Tensor(x)]) else { continue };
            let expected = match Policy::of(operation.name) {
                Policy::Full => DType::F32,
                Policy::Half | Policy::Widest => half,
            };
            if b.dtype(result).is_float() {
                assert_eq!(b.dtype(result), expected, "{}", operation.name);
                compared += 1;
            }
        }
        assert!(compared > 70, "{compared}");
    }
}

#[test]
fn plans_for_every_target_compile() {
    for precision in Precision::ALL {
        for target in Target::ALL {
            compile(&network(precision), target).unwrap_or_else(|error| panic!("{precision:?}: {error}"));
        }
    }
}
