//! What has no counterpart in PyTorch, by hand: random zeros, labels out of range, symbolic sizes, where gradients end.

use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::dim::{Dim, Shape, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::interp::{HostTensor, Precision, evaluate};
use netcl_kernels::graph::{Graph, InputKind, NodeId, Op, OutputKind};
use netcl_kernels::layers::{self, Config, ConfigValue, Context, Mode};
use netcl_kernels::ops::{self, Value};
use netcl_kernels::philox;
use netcl_kernels::span::Span;

fn argument(builder: &mut Builder, position: usize, shape: Shape, dtype: DType) -> NodeId {
    builder.input(InputKind::Argument(position), &format!("x{position}"), shape, dtype)
}

fn call(builder: &mut Builder, name: &str, args: &[Value]) -> NodeId {
    let operation = ops::find(name).unwrap_or_else(|| panic!("no operation `{name}`"));
    ops::call(builder, operation, args).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn int(value: i64) -> Value {
    Value::Dim(Dim::constant(value))
}

fn tensor(dtype: DType, shape: &[usize], values: &[f64]) -> HostTensor {
    HostTensor::from_f64(dtype, shape, values).expect("a tensor")
}

fn run(graph: &Graph, bindings: &[(Symbol, u64)], given: &[HostTensor]) -> Vec<(OutputKind, HostTensor)> {
    let inputs = |kind: &InputKind, _: &str| match kind {
        InputKind::Argument(position) | InputKind::Scalar(position) => given.get(*position).cloned(),
        InputKind::Parameter | InputKind::State | InputKind::Carried(_) => None,
    };
    evaluate(graph, bindings, &inputs, Precision::F64).expect("evaluates")
}

/// The dropout layer in training on `shape`, its seed scalar at position 1.
fn dropout(rate: f64, shape: &[usize]) -> Graph {
    let layer = layers::find("Dropout").expect("a layer");
    let config = Config::from_pairs(layer, &[("rate", ConfigValue::Number(rate), Span::NONE)]).expect("a rate");
    let mut builder = Builder::new("dropout");
    let x = argument(&mut builder, 0, Shape::of(shape), DType::F32);
    let seed = builder.input(InputKind::Scalar(1), "seed", Shape::scalar(), DType::U32);
    let mut updates = Vec::new();
    let mut context = Context {
        builder: &mut builder,
        config: &config,
        name: "drop",
        tensors: &[],
        mode: Mode::Training,
        seed,
        updates: &mut updates,
    };
    let y = layers::forward(layer, &mut context, &[x]).expect("builds");
    builder.output(OutputKind::Result(0), y);
    builder.finish()
}

#[test]
fn dropout_draws_philox_numbers_and_keeps_the_mean() {
    let count = 4000;
    let graph = dropout(0.25, &[count]);
    let values: Vec<f64> = (0..count).map(|i| 1.0 + i as f64).collect();
    let given = [tensor(DType::F32, &[count], &values), tensor(DType::U32, &[], &[42.0])];
    let found = run(&graph, &[], &given)[0].1.to_f64();
    let mut dropped = 0;
    for (position, (found, x)) in found.iter().zip(&values).enumerate() {
        let expected = if philox::uniform(42, 0, position as u64) >= 0.25 { x / 0.75 } else { 0.0 };
        assert!((found - expected).abs() < 1e-9, "element {position} is {found}, expected {expected}");
        dropped += usize::from(*found == 0.0);
    }
    // 1000 are expected, the standard deviation is 27.
    assert!((890..1110).contains(&dropped), "{dropped} of {count} dropped");
    let other = [given[0].clone(), tensor(DType::U32, &[], &[43.0])];
    assert_ne!(found, run(&graph, &[], &other)[0].1.to_f64(), "another seed, other zeros");
}

/// Loss and gradient in the logits.
fn class_loss(name: &str, labels: DType, values: &[f64], extra: &[Value]) -> (f64, Vec<f64>) {
    let mut builder = Builder::new("loss");
    let x = argument(&mut builder, 0, Shape::of(&[2, 3]), DType::F32);
    let y = argument(&mut builder, 1, Shape::of(&[2]), labels);
    let args: Vec<Value> = [Value::Tensor(x), Value::Tensor(y)].into_iter().chain(extra.iter().cloned()).collect();
    let loss = call(&mut builder, name, &args);
    builder.output(OutputKind::Result(0), loss);
    let graph = append_gradients(builder.finish(), Arguments::At(&[0])).expect("differentiable");
    let logits = tensor(DType::F32, &[2, 3], &[0.0, 1.0, 2.0, 0.0, 0.0, 0.0]);
    let found = run(&graph, &[], &[logits, tensor(labels, &[2], values)]);
    (found[0].1.to_f64()[0], found[1].1.to_f64())
}

#[test]
fn a_label_out_of_range_makes_its_row_nan() {
    for (name, dtype, labels) in [
        ("cross_entropy", DType::U32, [1.0, 3.0]),
        ("cross_entropy", DType::I32, [1.0, -1.0]),
        ("nll_loss", DType::U32, [1.0, 7.0]),
        ("nll_loss", DType::I32, [1.0, 3.0]),
    ] {
        let (loss, gradient) = class_loss(name, dtype, &labels, &[]);
        assert!(loss.is_nan(), "{name}: {loss}");
        assert!(gradient[..3].iter().all(|g| g.is_finite()), "{name}: the good row {gradient:?}");
        // A bad label picks nothing, so that the gradient of `nll_loss` has no element to be NaN in.
        let bad = if name == "nll_loss" { |g: &f64| *g == 0.0 } else { |g: &f64| g.is_nan() };
        assert!(gradient[3..].iter().all(bad), "{name}: the bad row {gradient:?}");
    }
}

#[test]
fn ignored_rows_count_for_nothing() {
    let (loss, gradient) = class_loss("cross_entropy_ignoring", DType::I32, &[-100.0, 1.0], &[int(-100)]);
    assert!((loss - 3f64.ln()).abs() < 1e-12, "{loss}");
    assert_eq!(gradient[..3], [0.0; 3]);
    let (loss, gradient) = class_loss("cross_entropy_ignoring", DType::I32, &[-100.0, 5.0], &[int(-100)]);
    assert!(loss.is_nan() && gradient[3..].iter().any(|g| g.is_nan()), "a label that is neither: {loss}");
}

#[test]
fn rows_out_of_range_are_zeros() {
    let mut builder = Builder::new("rows");
    let x = argument(&mut builder, 0, Shape::of(&[2, 2]), DType::F32);
    let numbers = argument(&mut builder, 1, Shape::of(&[3]), DType::I32);
    let y = call(&mut builder, "gather", &[Value::Tensor(x), Value::Tensor(numbers)]);
    let hot = call(&mut builder, "one_hot", &[Value::Tensor(numbers), int(2)]);
    builder.output(OutputKind::Result(0), y);
    builder.output(OutputKind::Result(1), hot);
    let given = [tensor(DType::F32, &[2, 2], &[1.0, 2.0, 3.0, 4.0]), tensor(DType::I32, &[3], &[1.0, -1.0, 2.0])];
    let found = run(&builder.finish(), &[], &given);
    assert_eq!(found[0].1.to_f64(), [3.0, 4.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(found[1].1.to_f64(), [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
}

/// One graph for `N` rows, evaluated for several `N`.
fn symbolic(build: impl Fn(&mut Builder, NodeId) -> NodeId, expected: impl Fn(&[f64]) -> Vec<f64>) {
    let mut builder = Builder::new("symbolic");
    let x = argument(&mut builder, 0, Shape(vec![Dim::symbol("N"), Dim::from(2)]), DType::F32);
    let y = build(&mut builder, x);
    builder.output(OutputKind::Result(0), y);
    let graph = builder.finish();
    for n in [1usize, 3, 8] {
        let values: Vec<f64> = (0..2 * n).map(|i| i as f64 - 2.5).collect();
        let found = run(&graph, &[(Symbol::new("N"), n as u64)], &[tensor(DType::F32, &[n, 2], &values)]);
        let (found, expected) = (found[0].1.to_f64(), expected(&values));
        assert_eq!(found.len(), expected.len(), "N = {n}");
        for (a, b) in found.iter().zip(&expected) {
            assert!((a - b).abs() < 1e-12, "N = {n}: {found:?}, expected {expected:?}");
        }
    }
}

#[test]
fn sizes_may_be_symbols() {
    let n = || Value::Dim(Dim::symbol("N"));
    symbolic(
        |b, x| call(b, "mean", &[Value::Tensor(x), int(0)]),
        |x| {
            let rows = x.len() as f64 / 2.0;
            vec![x.iter().step_by(2).sum::<f64>() / rows, x.iter().skip(1).step_by(2).sum::<f64>() / rows]
        },
    );
    symbolic(
        |b, x| call(b, "div", &[Value::Tensor(x), n()]),
        |x| x.iter().map(|v| v / (x.len() as f64 / 2.0)).collect(),
    );
    symbolic(|b, x| call(b, "flip", &[Value::Tensor(x), int(0)]), |x| x.chunks(2).rev().flatten().copied().collect());
    symbolic(
        |b, x| call(b, "concat", &[Value::Tensor(x), Value::List(vec![Value::Tensor(x)]), int(0)]),
        |x| [x, x].concat(),
    );
    symbolic(
        |b, x| call(b, "repeat", &[Value::Tensor(x), int(1), n()]),
        |x| x.chunks(2).flat_map(|row| row.repeat(x.len() / 2)).collect(),
    );
    symbolic(|b, x| call(b, "reshape", &[Value::Tensor(x), Value::List(vec![int(-1)])]), |x| x.to_vec());
    symbolic(|b, x| call(b, "narrow", &[Value::Tensor(x), int(0), int(0), int(1)]), |x| x[..2].to_vec());
    symbolic(
        |b, x| call(b, "roll", &[Value::Tensor(x), int(1), int(0)]),
        |x| [&x[x.len() - 2..], &x[..x.len() - 2]].concat(),
    );
    symbolic(
        |b, x| call(b, "pad_replicate", &[Value::Tensor(x), int(0), int(0), int(1)]),
        |x| [x, &x[x.len() - 2..]].concat(),
    );
}

#[test]
fn positions_out_of_range_are_zeros_and_left_out() {
    let mut builder = Builder::new("positions");
    let x = argument(&mut builder, 0, Shape(vec![Dim::symbol("N"), Dim::from(2)]), DType::F64);
    let indices = argument(&mut builder, 1, Shape::of(&[3, 2]), DType::I32);
    let [x, indices] = [x, indices].map(Value::Tensor);
    let taken = call(&mut builder, "take_along_axis", &[x.clone(), indices.clone(), int(0)]);
    let added = call(&mut builder, "scatter_add", &[x, int(0), indices, Value::Tensor(taken)]);
    builder.output(OutputKind::Result(0), taken);
    builder.output(OutputKind::Result(1), added);
    let given = [
        tensor(DType::F64, &[2, 2], &[1.0, 2.0, 3.0, 4.0]),
        tensor(DType::I32, &[3, 2], &[1.0, -1.0, 2.0, 0.0, f64::from(i32::MAX), f64::from(i32::MIN)]),
    ];
    let results = run(&builder.finish(), &[(Symbol::new("N"), 2)], &given);
    assert_eq!(results[0].1.to_f64(), [3.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    assert_eq!(results[1].1.to_f64(), [1.0, 4.0, 6.0, 4.0]);
}

/// Blocks, blocks of blocks, and what is left of the last ones; of a length that is known and of one that is not.
#[test]
fn running_totals_of_long_axes() {
    /// What is so far, and the next element.
    type Next = fn(f64, f64) -> f64;
    let running: [(&str, Next); 5] = [
        ("cumsum", |so_far, x| so_far + x),
        ("cumprod", |so_far, x| so_far * x),
        ("cummax", f64::max),
        ("cummin", f64::min),
        ("logcumsumexp", |so_far, x| so_far.max(x) + (-(so_far - x).abs()).exp().ln_1p()),
    ];
    for (name, next) in running {
        for length in [1usize, 63, 64, 65, 97, 2_048, 2_049, 2_500] {
            let values: Vec<f64> = (0..length).map(|at| 1.0 + ((at * 37 % 101) as f64 - 50.0) / 1_024.0).collect();
            let mut expected = vec![values[0]];
            for x in &values[1..] {
                expected.push(next(expected[expected.len() - 1], *x));
            }
            for size in [Dim::from(length), Dim::symbol("T")] {
                let mut builder = Builder::new(name);
                let x = argument(&mut builder, 0, Shape(vec![size]), DType::F64);
                let y = call(&mut builder, name, &[Value::Tensor(x), int(0)]);
                builder.output(OutputKind::Result(0), y);
                let given = [tensor(DType::F64, &[length], &values)];
                let results = run(&builder.finish(), &[(Symbol::new("T"), length as u64)], &given);
                let found = results[0].1.to_f64();
                let near = |(found, expected): (&f64, &f64)| (found - expected).abs() <= 1e-9 * expected.abs().max(1.0);
                assert!(found.iter().zip(&expected).all(near), "{name} of {length}");
            }
        }
    }
}

#[test]
fn the_largest_logit_is_no_way_for_gradients() {
    // Else the backward pass of every softmax would look for positions of largest elements, to add zeros there.
    let mut builder = Builder::new("loss");
    let x = argument(&mut builder, 0, Shape::of(&[4, 3]), DType::F32);
    let labels = argument(&mut builder, 1, Shape::of(&[4]), DType::U32);
    let y = call(&mut builder, "softmax", &[Value::Tensor(x), int(1)]);
    let loss = call(&mut builder, "cross_entropy", &[Value::Tensor(y), Value::Tensor(labels)]);
    builder.output(OutputKind::Result(0), loss);
    let graph = append_gradients(builder.finish(), Arguments::At(&[0])).expect("differentiable");
    let positions = graph.nodes.iter().filter(|node| matches!(&node.op, Op::Reduce { op, .. } if op.is_position()));
    assert_eq!(positions.count(), 0);
}
