//! Derivatives that are differentiated again, as `grad` in a body gives them, against central differences: of every operation
//! at ordinary places, and where a rule of first order is right and its own derivative would not be.

use crate::extremes::call;
use crate::test;
use libtest_mimic::Trial;
use netcl_fixtures::reference_graphs::operation_graph;
use netcl_fixtures::references::{OperationCase, references};
use netcl_kernels::autodiff::check::finite_difference_check;
use netcl_kernels::autodiff::{grad, leading_to};
use netcl_kernels::compile::compile;
use netcl_kernels::dim::{Dim, Shape, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::interp::{HostTensor, Precision, evaluate};
use netcl_kernels::graph::{BinaryOp, Graph, InputKind, NodeId, Op, OutputKind, ReduceOp};
use netcl_kernels::ops::Value;
use netcl_kernels::plan::Target;

/// The sum of all elements of `x`.
fn sum(builder: &mut Builder, x: NodeId) -> NodeId {
    let axes: Vec<usize> = (0..builder.shape(x).rank()).collect();
    builder.reduce(ReduceOp::Sum, x, &axes, false).expect("a sum")
}

/// The graph of the derivatives in all float arguments of the number that `of` makes of the result; those that it does not
/// depend on are left out.
fn derivatives(graph: Graph, of: fn(&mut Builder, NodeId) -> NodeId) -> Result<Graph, String> {
    let results: Vec<NodeId> = graph.outputs.iter().map(|(_, id)| *id).collect();
    let wrt: Vec<NodeId> = graph
        .iter()
        .filter(|(_, node)| matches!(node.op, Op::Input(InputKind::Argument(_))) && node.dtype.is_float())
        .map(|(id, _)| id)
        .collect();
    let mut builder = Builder::extend(Graph { outputs: Vec::new(), ..graph });
    let mut value = None;
    for result in results {
        let result = of(&mut builder, result);
        value = Some(match value {
            Some(value) => builder.binary(BinaryOp::Add, value, result).expect("two numbers"),
            None => result,
        });
    }
    let Some(value) = value else { return Ok(builder.finish()) };
    let found = grad(&mut builder, value, &wrt).map_err(|error| error.to_string())?;
    for (position, gradient) in found.into_iter().flatten().enumerate() {
        builder.output(OutputKind::Result(position), gradient);
    }
    Ok(builder.finish())
}

fn squares(builder: &mut Builder, x: NodeId) -> NodeId {
    let squares = builder.binary(BinaryOp::Mul, x, x).expect("a product");
    sum(builder, squares)
}

fn compare(graph: &Graph, given: &[HostTensor]) -> Result<usize, String> {
    let inputs = |kind: &InputKind, _: &str| match kind {
        InputKind::Argument(position) => given.get(*position).cloned(),
        _ => None,
    };
    let found = finite_difference_check(graph, &[], &inputs).map_err(|error| error.to_string())?;
    if found.error > 1e-5 { Err(found.to_string()) } else { Ok(found.compared) }
}

/// The second derivatives of the sum of the squares of an operation's result.
fn twice(case: &OperationCase) -> Result<(), String> {
    let given: Vec<HostTensor> = case.tensors.iter().map(|data| data.tensor()).collect();
    compare(&derivatives(operation_graph(case)?, squares)?, &given).map(|_| ())
}

/// Functions that have all derivatives everywhere, or all but one at 0 alone.
const SMOOTH: &[&str] = &[
    "tanh",
    "sigmoid",
    "silu",
    "gelu",
    "gelu_tanh",
    "softplus",
    "log_sigmoid",
    "mish",
    "erf",
    "exp",
    "expm1",
    "log1p",
    "sin",
    "cos",
    "square",
];

/// What is expected where a formula has a corner and the function has none: the third derivatives at 0 and at both sides.
fn at_zero(name: &str) -> Result<(), String> {
    let mut builder = Builder::new(name);
    let x = builder.input(InputKind::Argument(0), "x", Shape::of(&[4]), DType::F64);
    let y = call(&mut builder, name, &[Value::Tensor(x)]);
    builder.output(OutputKind::Result(0), y);
    let second = derivatives(derivatives(builder.finish(), sum)?, sum)?;
    let values = HostTensor::from_f64(DType::F64, &[4], &[0.0, -0.4, 0.3, 1.5]).map_err(|error| error.to_string())?;
    // Of a square it is nothing.
    compare(&second, &[values]).map(|_| ())
}

fn losses_where_they_are_nothing() {
    for (name, more) in
        [("huber_loss", vec![Value::Number(0.7)]), ("smooth_l1_loss", vec![Value::Number(0.7)]), ("mse_loss", vec![])]
    {
        let mut builder = Builder::new(name);
        let shape = Shape::of(&[3]);
        let x = builder.input(InputKind::Argument(0), "x", shape.clone(), DType::F64);
        let y = builder.input(InputKind::Argument(1), "y", shape, DType::F64);
        let args: Vec<Value> = [Value::Tensor(x), Value::Tensor(y)].into_iter().chain(more).collect();
        let loss = call(&mut builder, name, &args);
        builder.output(OutputKind::Result(0), loss);
        let first = derivatives(builder.finish(), |_, loss| loss).unwrap();
        let values = |values: &[f64]| HostTensor::from_f64(DType::F64, &[3], values).unwrap();
        compare(&first, &[values(&[0.5, 1.0, -2.0]), values(&[0.5, 0.8, 1.0])])
            .unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}

fn products_of_zeros() {
    for axes in [vec![1], vec![0, 1]] {
        let mut builder = Builder::new("products");
        let x = builder.input(InputKind::Argument(0), "x", Shape(vec![Dim::from(3), Dim::from(3)]), DType::F64);
        let y = builder.reduce(ReduceOp::Prod, x, &axes, false).unwrap();
        builder.output(OutputKind::Result(0), y);
        let graph = builder.finish();
        for values in [[1.5, -2.0, 0.5, 1.5, 0.0, 0.5, 0.0, 3.0, 0.0], [1.5, -2.0, 0.5, 1.5, 0.0, 0.5, 0.7, 3.0, 0.9]] {
            let given = HostTensor::from_f64(DType::F64, &[3, 3], &values).unwrap();
            let first = derivatives(graph.clone(), sum).unwrap();
            assert!(compare(&first, std::slice::from_ref(&given)).unwrap() > 0);
            let second = derivatives(first, squares).unwrap();
            compare(&second, &[given]).unwrap_or_else(|error| panic!("{axes:?}, three times: {error}"));
        }
    }
}

/// What is equal to it is not it, and nothing is simplified through it; the finished graph has nothing more to compute.
fn a_distinct_node_is_its_own() {
    let mut builder = Builder::new("own");
    let x = builder.input(InputKind::Argument(0), "x", Shape::of(&[2]), DType::F32);
    let first = call(&mut builder, "neg", &[Value::Tensor(x)]);
    let own = builder.distinct(first);
    let same = call(&mut builder, "neg", &[Value::Tensor(x)]);
    assert_eq!(same, first, "equal nodes are one");
    let back = call(&mut builder, "neg", &[Value::Tensor(own)]);
    let product = builder.binary(BinaryOp::Mul, back, same).unwrap();
    let value = sum(&mut builder, product);
    let found = grad(&mut builder, value, &[own, x, first]).unwrap();
    builder.output(OutputKind::Result(0), found[0].unwrap());
    builder.output(OutputKind::Result(1), found[1].unwrap());
    let graph = builder.finish();
    let given = [1.0, 2.0];
    let inputs = |_: &InputKind, _: &str| HostTensor::from_f64(DType::F32, &[2], &given).ok();
    let values: Vec<Vec<f64>> =
        evaluate(&graph, &[], &inputs, Precision::F64).unwrap().iter().map(|(_, value)| value.to_f64()).collect();
    assert_eq!(values, [vec![1.0, 2.0], vec![-2.0, -4.0]], "-same, and -2x");
    let ones = graph.nodes.iter().filter(|node| matches!(&node.op, Op::Constant(literal) if literal.as_f64() == 1.0));
    assert_eq!(ones.count(), 0, "{graph:?}");
}

fn what_it_does_not_depend_on_has_none() {
    let mut builder = Builder::new("none");
    let x = builder.input(InputKind::Argument(0), "x", Shape::of(&[2]), DType::F32);
    let y = builder.input(InputKind::Argument(1), "y", Shape::of(&[2]), DType::F32);
    let z = builder.input(InputKind::Argument(2), "z", Shape::of(&[2]), DType::F32);
    let held = builder.detach(y);
    let nothing = builder.constant(0.0, DType::F32);
    let flat = builder.binary(BinaryOp::Pow, z, nothing).unwrap();
    let product = builder.binary(BinaryOp::Mul, x, held).unwrap();
    let all = builder.binary(BinaryOp::Add, product, flat).unwrap();
    let value = sum(&mut builder, all);
    let later = builder.input(InputKind::Argument(3), "later", Shape::of(&[2]), DType::F32);
    let found = grad(&mut builder, value, &[x, y, z, later]).unwrap();
    assert_eq!(found.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, true, false]);
}

/// A loop that carries a whole number before a float one: the node that is the loop is of no floats, and its second result has a
/// derivative all the same, `s = s * x` once for each round being a power of `x`.
fn derivatives_go_through_loops_whose_first_value_is_whole() {
    let mut builder = Builder::new("counted");
    let one = Shape::scalar();
    let x = builder.input(InputKind::Argument(0), "x", one.clone(), DType::F32);
    let (count, start) = (builder.full(0.0, &one, DType::I32), builder.full(1.0, &one, DType::F32));
    let draft = builder.begin_scan("t", Dim::symbol("T"), &[count, start]);
    let next = builder.full(1.0, &one, DType::I32);
    let count = builder.binary(BinaryOp::Add, draft.carried()[0], next).unwrap();
    let product = builder.binary(BinaryOp::Mul, draft.carried()[1], x).unwrap();
    let results = builder.end_scan(&draft, &[count, product], &[]).unwrap();
    let leads = leading_to(builder.graph(), results[1]);
    assert!(leads[x.index()] && leads[results[0].index()]);
    let first = grad(&mut builder, results[1], &[x]).unwrap()[0].unwrap();
    let second = grad(&mut builder, first, &[x]).unwrap()[0].unwrap();
    for (position, result) in [results[0], first, second].into_iter().enumerate() {
        builder.output(OutputKind::Result(position), result);
    }
    let given = |_: &InputKind, _: &str| HostTensor::from_f64(DType::F32, &[], &[2.0]).ok();
    let values = evaluate(&builder.finish(), &[(Symbol::new("T"), 5)], &given, Precision::F64).unwrap();
    let values: Vec<Vec<f64>> = values.iter().map(|(_, value)| value.to_f64()).collect();
    assert_eq!(values, [vec![5.0], vec![5.0 * 16.0], vec![20.0 * 8.0]], "x^5 at 2, and its derivatives");
}

/// What is frozen is read where it lies: the plan is that without the mark.
fn frozen_parameters_cost_nothing() {
    let graph = |frozen: bool| {
        let mut builder = Builder::new("frozen");
        let x = builder.input(InputKind::Argument(0), "x", Shape::of(&[64, 64]), DType::F32);
        let w = builder.input(InputKind::Parameter, "w", Shape::of(&[64, 64]), DType::F32);
        let w = if frozen { builder.detach(w) } else { w };
        let y = builder.matmul(x, w).unwrap();
        builder.output(OutputKind::Result(0), y);
        builder.finish()
    };
    for target in Target::ALL {
        let [plain, frozen] = [false, true].map(|frozen| compile(&graph(frozen), target).unwrap().to_json().unwrap());
        assert_eq!(plain, frozen, "{target:?}");
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![
        test("higher::losses_where_they_are_nothing", losses_where_they_are_nothing),
        test("higher::products_of_zeros", products_of_zeros),
        test("higher::a_distinct_node_is_its_own", a_distinct_node_is_its_own),
        test(
            "higher::derivatives_go_through_loops_whose_first_value_is_whole",
            derivatives_go_through_loops_whose_first_value_is_whole,
        ),
        test("higher::frozen_parameters_cost_nothing", frozen_parameters_cost_nothing),
        test("higher::what_it_does_not_depend_on_has_none", what_it_does_not_depend_on_has_none),
    ];
    for &name in SMOOTH {
        trials.push(Trial::test(format!("higher::at_zero::{name}"), move || Ok(at_zero(name)?)));
    }
    for case in references().operations.iter().filter(|case| case.smooth && case.cotangent.is_some()) {
        trials.push(Trial::test(format!("higher::twice::{}", case.case), move || Ok(twice(case)?)));
    }
    trials
}
