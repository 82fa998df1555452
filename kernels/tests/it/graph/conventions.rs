//! Gradients at points without a derivative, against what PyTorch 2.15 gives there (all but `abs` at NaN, where PyTorch
//! gives 0 and netcl lets the NaN through), and how gradients are asked for.

use netcl_kernels::autodiff::{Arguments, append_gradients, append_vjp, gradients};
use netcl_kernels::dim::{Dim, Shape, Symbol};
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::interp::{HostTensor, Precision, evaluate};
use netcl_kernels::graph::verify::verify;
use netcl_kernels::graph::{AxisIndex, BinaryOp, Graph, InputKind, NodeId, Op, OutputKind, ReduceOp, UnaryOp};
use netcl_kernels::span::Result;

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

fn run(graph: &Graph, inputs: &[&[f64]]) -> Vec<(OutputKind, Vec<f64>)> {
    let give = |kind: &InputKind, name: &str| {
        let position = match kind {
            InputKind::Argument(position) => *position,
            _ => panic!("no value for {name}"),
        };
        let node = graph.nodes.iter().find(|node| node.op == Op::Input(kind.clone()))?;
        let sizes = node.shape.evaluate(&[(Symbol::new("N"), 2)])?;
        HostTensor::from_f64(node.dtype, &sizes, inputs[position]).ok()
    };
    let outputs = evaluate(graph, &[(Symbol::new("N"), 2)], &give, Precision::F64).unwrap();
    outputs.into_iter().map(|(kind, value)| (kind, value.to_f64())).collect()
}

/// The gradients of the sum of `build`'s result in each of its vectors.
fn gradients_at(inputs: &[&[f64]], build: impl Fn(&mut Builder, &[NodeId]) -> Result<NodeId>) -> Vec<Vec<f64>> {
    let mut builder = Builder::new("f");
    let ids: Vec<NodeId> = inputs
        .iter()
        .enumerate()
        .map(|(i, x)| builder.input(InputKind::Argument(i), "x", Shape::of(&[x.len()]), DType::F32))
        .collect();
    let y = build(&mut builder, &ids).unwrap();
    let axes: Vec<usize> = (0..builder.shape(y).rank()).collect();
    let sum = builder.reduce(ReduceOp::Sum, y, &axes, false).unwrap();
    builder.output(OutputKind::Result(0), sum);
    let graph = append_gradients(builder.finish(), Arguments::Floats).unwrap();
    verify(&graph).unwrap();
    run(&graph, inputs).into_iter().skip(1).map(|(_, gradient)| gradient).collect()
}

fn same(found: &[f64], expected: &[f64]) -> bool {
    found.len() == expected.len() && found.iter().zip(expected).all(|(x, y)| x == y || (x.is_nan() && y.is_nan()))
}

#[test]
fn functions_at_their_corners() {
    let unary = [
        (UnaryOp::Abs, vec![0.0, -0.0, -3.0, NAN], vec![0.0, 0.0, -1.0, NAN]),
        (UnaryOp::Sqrt, vec![0.0, 4.0, -1.0], vec![INF, 0.25, NAN]),
        (UnaryOp::Log, vec![0.0, 2.0], vec![INF, 0.5]),
        (UnaryOp::Recip, vec![0.0, 2.0], vec![-INF, -0.25]),
        (UnaryOp::Sign, vec![0.0, 3.0], vec![0.0, 0.0]),
        (UnaryOp::Floor, vec![1.0, 1.5], vec![0.0, 0.0]),
    ];
    for (op, x, expected) in unary {
        let found = gradients_at(&[&x], |b, x| b.unary(op, x[0]));
        assert!(same(&found[0], &expected), "{}: {found:?}, expected {expected:?}", op.name());
    }
    // max and min: ties are shared, NaN goes to both.
    let (a, b) = ([1.0, 2.0, 3.0, NAN], [2.0, 2.0, 2.0, 2.0]);
    let found = gradients_at(&[&a, &b], |builder, x| builder.binary(BinaryOp::Max, x[0], x[1]));
    assert!(same(&found[0], &[0.0, 0.5, 1.0, 1.0]) && same(&found[1], &[1.0, 0.5, 0.0, 1.0]), "{found:?}");
    let found = gradients_at(&[&a, &b], |builder, x| builder.binary(BinaryOp::Min, x[0], x[1]));
    assert!(same(&found[0], &[1.0, 0.5, 0.0, 1.0]) && same(&found[1], &[0.0, 0.5, 1.0, 1.0]), "{found:?}");
    // relu and relu6 are flat at their corners; at NaN relu6 is what PyTorch's vectorized loops make of it.
    let found = gradients_at(&[&[-1.0, 0.0, 3.0, 6.0, 7.0, NAN]], |builder, x| {
        let (zero, six) = (builder.constant(0.0, DType::F32), builder.constant(6.0, DType::F32));
        let relu = builder.binary(BinaryOp::Max, x[0], zero)?;
        builder.binary(BinaryOp::Min, relu, six)
    });
    assert!(same(&found[0], &[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]), "{found:?}");
    let found = gradients_at(&[&[0.0], &[0.0]], |builder, x| builder.binary(BinaryOp::Atan2, x[0], x[1]));
    assert!(same(&found[0], &[0.0]) && same(&found[1], &[0.0]), "{found:?}");
    let found =
        gradients_at(&[&[2.6, -2.6, 2.5], &[1.0, 1.0, 0.7]], |builder, x| builder.binary(BinaryOp::Rem, x[0], x[1]));
    assert!(same(&found[0], &[1.0; 3]) && same(&found[1], &[-2.0, 2.0, -3.0]), "{found:?}");
    let found = gradients_at(&[&[0.0], &[-1.0]], |builder, x| builder.binary(BinaryOp::Pow, x[0], x[1]));
    assert!(same(&found[0], &[-INF]) && same(&found[1], &[-INF]), "{found:?}");
    // pow: x^0 is flat at 0, 0^y is flat for y >= 0 and steep below.
    let (a, b) = ([0.0, 0.0, 0.0, 2.0], [0.0, 1.0, 2.0, 0.0]);
    let found = gradients_at(&[&a, &b], |builder, x| builder.binary(BinaryOp::Pow, x[0], x[1]));
    assert!(same(&found[0], &[0.0, 1.0, 0.0, 0.0]), "{found:?}");
    assert!(same(&found[1], &[0.0, 0.0, 0.0, 2f64.ln()]), "{found:?}");
}

#[test]
fn reductions_at_ties_and_zeros() {
    // The first extreme gets it all, a NaN is an extreme.
    for (op, x, expected) in [
        (ReduceOp::Max, [1.0, 3.0, 3.0], [0.0, 1.0, 0.0]),
        (ReduceOp::Min, [1.0, 3.0, 1.0], [1.0, 0.0, 0.0]),
        (ReduceOp::Max, [1.0, NAN, 3.0], [0.0, 1.0, 0.0]),
        (ReduceOp::Prod, [2.0, 0.0, 3.0], [0.0, 6.0, 0.0]),
        (ReduceOp::Prod, [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]),
    ] {
        let found = gradients_at(&[&x], |b, x| b.reduce(op, x[0], &[0], false));
        assert!(same(&found[0], &expected), "{}: {found:?}", op.name());
    }
}

#[test]
fn detached_values_have_none() {
    let found = gradients_at(&[&[2.0, 3.0]], |builder, x| {
        let fixed = builder.detach(x[0]);
        builder.binary(BinaryOp::Mul, x[0], fixed)
    });
    assert!(same(&found[0], &[2.0, 3.0]), "{found:?}");
}

/// `mean((x w)^2)` with a parameter, a state, labels and an unused parameter.
fn model() -> Graph {
    let mut builder = Builder::new("model");
    let n = || Dim::symbol("N");
    let x = builder.input(InputKind::Argument(0), "x", Shape(vec![n(), Dim::from(3)]), DType::F32);
    let w = builder.input(InputKind::Parameter, "w", Shape::of(&[3, 2]), DType::F32);
    builder.input(InputKind::Parameter, "unused", Shape::of(&[5]), DType::F32);
    builder.input(InputKind::Argument(1), "labels", Shape(vec![n()]), DType::U32);
    let y = builder.matmul(x, w).unwrap();
    let square = builder.binary(BinaryOp::Mul, y, y).unwrap();
    let loss = builder.mean(square, &[0, 1], false).unwrap();
    builder.output(OutputKind::Result(0), loss);
    builder.finish()
}

#[test]
fn outputs_for_parameters_and_arguments() {
    let kinds = |graph: &Graph| graph.outputs.iter().map(|(kind, _)| kind.clone()).collect::<Vec<_>>();
    // What the loss does not depend on has no gradient: an optimizer leaves it alone.
    let parameters = [OutputKind::Result(0), OutputKind::Gradient("w".into())];
    let graph = append_gradients(model(), Arguments::None).unwrap();
    assert_eq!(kinds(&graph), parameters);
    verify(&graph).unwrap();
    let graph = append_gradients(model(), Arguments::Floats).unwrap();
    assert_eq!(kinds(&graph)[1], OutputKind::ArgumentGradient(0), "in the inputs' order");
    assert_eq!(kinds(&graph).len(), 3, "labels have no gradient");
    verify(&graph).unwrap();

    // An argument that the loss does not depend on gets zeros of its shape: the caller asks for them.
    let mut builder = Builder::extend(model());
    builder.input(InputKind::Argument(2), "apart", Shape::of(&[5]), DType::F32);
    let graph = append_gradients(builder.finish(), Arguments::At(&[2])).unwrap();
    let (_, zeros) = graph.outputs.iter().find(|(kind, _)| *kind == OutputKind::ArgumentGradient(2)).unwrap();
    let zeros = &graph[*zeros];
    assert_eq!((&zeros.shape, zeros.dtype), (&Shape::of(&[5]), DType::F32));
    assert!(matches!(zeros.op, Op::Constant(literal) if literal.is(0.0)));

    let error = append_gradients(model(), Arguments::At(&[1])).unwrap_err();
    assert_eq!(error.message, "only float tensors have gradients, `labels` is u32");
    let error = append_gradients(model(), Arguments::At(&[7])).unwrap_err();
    assert_eq!(error.message, "`model` has no argument 7 to differentiate in");
}

#[test]
fn only_scalars_have_plain_gradients() {
    let mut builder = Builder::new("f");
    let x = builder.input(InputKind::Argument(0), "x", Shape(vec![Dim::symbol("N")]), DType::F32);
    let y = builder.unary(UnaryOp::Sin, x).unwrap();
    builder.output(OutputKind::Result(0), y);
    let graph = builder.finish();
    let error = append_gradients(graph.clone(), Arguments::Floats).unwrap_err();
    assert_eq!(error.message, "gradients need a scalar result, `f` returns f32[N]");
    // The vector-Jacobian product takes the cotangent as a new argument.
    let vjp = append_vjp(graph, Arguments::Floats).unwrap();
    verify(&vjp).unwrap();
    let found = run(&vjp, &[&[0.5, 1.0], &[2.0, -3.0]]);
    assert_eq!(found[1].0, OutputKind::ArgumentGradient(0));
    assert!(same(&found[1].1, &[2.0 * 0.5f64.cos(), -3.0 * 1f64.cos()]), "{found:?}");
}

#[test]
fn seeds_must_fit() {
    let mut builder = Builder::new("f");
    let x = builder.input(InputKind::Argument(0), "x", Shape::of(&[2]), DType::F32);
    let scalar = builder.constant(1.0, DType::F32);
    let error = gradients(&mut builder, x, scalar, &[x]).unwrap_err();
    assert_eq!(error.message, "the seed of a gradient must be f32[2] as the output, found f32[]");
}

#[test]
fn nothing_is_computed_for_data() {
    // The gradient in the weight alone needs one product, not the one for the data.
    let products = |graph: &Graph| graph.nodes.iter().filter(|node| matches!(node.op, Op::MatMul(..))).count();
    assert_eq!(products(&append_gradients(model(), Arguments::None).unwrap()), 2);
    assert_eq!(products(&append_gradients(model(), Arguments::Floats).unwrap()), 3);
}

#[test]
fn a_shared_weight_takes_one_product_over_all_rows() {
    let mut builder = Builder::new("f");
    let n = || Dim::symbol("N");
    let x = builder.input(InputKind::Argument(0), "x", Shape(vec![n(), Dim::symbol("T"), Dim::from(3)]), DType::F32);
    let w = builder.input(InputKind::Parameter, "w", Shape::of(&[3, 2]), DType::F32);
    let repeated = builder.broadcast_to(w, &Shape(vec![n(), Dim::from(3), Dim::from(2)])).unwrap();
    let y = builder.matmul(x, repeated).unwrap();
    let loss = builder.reduce(ReduceOp::Sum, y, &[0, 1, 2], false).unwrap();
    builder.output(OutputKind::Result(0), loss);
    let graph = append_gradients(builder.finish(), Arguments::None).unwrap();
    let products = graph.nodes.iter().filter(|node| matches!(node.op, Op::MatMul(..)));
    let shapes: Vec<String> = products.map(|node| node.shape.to_string()).collect();
    assert_eq!(shapes, ["[N, T, 2]", "[3, 2]"], "{graph}");
}

#[test]
fn the_adjoint_of_a_permutation_or_slice_is_one_view() {
    let mut builder = Builder::new("f");
    let x = builder.input(InputKind::Argument(0), "x", Shape::of(&[4, 6]), DType::F32);
    let index = vec![
        AxisIndex { terms: vec![(1, 1)], offset: Dim::from(1), divisor: 1 },
        AxisIndex { terms: vec![(0, 2)], offset: Dim::from(0), divisor: 1 },
    ];
    let y = builder.view(x, Shape::of(&[3, 3]), index).unwrap();
    let seed = builder.input(InputKind::Argument(1), "seed", Shape::of(&[3, 3]), DType::F32);
    let gradient = gradients(&mut builder, y, seed, &[x]).unwrap()[0];
    let node = builder.node(gradient);
    let expected = vec![
        AxisIndex { terms: vec![(1, 1)], offset: Dim::from(0), divisor: 2 },
        AxisIndex { terms: vec![(0, 1)], offset: Dim::constant(-1), divisor: 1 },
    ];
    assert_eq!(node.op, Op::View { source: seed, index: expected });
}

/// Views of views are one only where their coefficients are numbers.
#[test]
fn views_with_large_coefficients_stay_apart() {
    let mut builder = Builder::new("f");
    let x = builder.input(InputKind::Argument(0), "x", Shape::of(&[1]), DType::F32);
    let along = |coefficient: i64| AxisIndex { terms: vec![(0, coefficient)], ..AxisIndex::fixed(0) };
    let mut y = x;
    for coefficient in [i64::MAX, 2, i64::MIN] {
        y = builder.view(y, Shape::of(&[1]), vec![along(coefficient)]).unwrap();
    }
    builder.output(OutputKind::Result(0), y);
    let graph = builder.finish();
    assert!(graph.nodes.iter().filter(|node| matches!(node.op, Op::View { .. })).count() > 1, "{graph}");
    assert_eq!(run(&graph, &[&[7.0]])[0].1, [7.0]);
}

/// A reduction over no axes is each element alone: no kernel is asked for it.
#[test]
fn reductions_over_no_axes_are_the_elements() {
    for simplify in [true, false] {
        let mut b = if simplify { Builder::new("none") } else { Builder::without_simplification("none") };
        let x = b.input(InputKind::Argument(0), "x", Shape::of(&[2, 3]), DType::F32);
        assert_eq!(b.reduce(ReduceOp::Sum, x, &[], false).unwrap(), x);
        let first = b.reduce(ReduceOp::ArgMax, x, &[], false).unwrap();
        assert_eq!(b.node(first).op, Op::Constant(Literal::Int(0, DType::I32)));
        assert_eq!(*b.shape(first), Shape::of(&[2, 3]));
    }
}
