//! Activations, softmax and losses at zeros, at the smallest and largest numbers of `f32`, and at infinities: computed in
//! single precision, no NaN where there is a number, in value and gradient.
//!
//! What is expected is the same formula in `f64`, whose range is so much larger that nothing overflows. (That the formulas are
//! right is what PyTorch's numbers show, at ordinary places.)

use crate::test;
use libtest_mimic::Trial;
use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::interp::{HostTensor, Precision, evaluate};
use netcl_kernels::graph::{BinaryOp, InputKind, NodeId, OutputKind, ReduceOp};
use netcl_kernels::ops::{self, Value};
use std::collections::BTreeSet;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;
/// The largest number of `f32`.
pub(crate) const LARGEST: f64 = f32::MAX as f64;

/// Both signs of these are tried.
const SIZES: [f64; 14] = [0.0, 1e-45, 1e-38, 1e-20, 1e-7, 0.5, 3.0, 9.0, 20.0, 90.0, 1e10, 1e20, 1e38, LARGEST];

fn all_sizes() -> Vec<f64> {
    // As `f32` has them.
    SIZES.iter().flat_map(|&size| [size, -size]).map(|x| f64::from(x as f32)).collect()
}

pub(crate) fn call(builder: &mut Builder, name: &str, args: &[Value]) -> NodeId {
    let operation = ops::find(name).unwrap_or_else(|| panic!("no operation `{name}`"));
    ops::call(builder, operation, args).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn int(value: i64) -> Value {
    Value::Dim(Dim::constant(value))
}

/// A function of one tensor, and of labels or a target.
pub(crate) type Function<'a> = &'a dyn Fn(&mut Builder, NodeId) -> NodeId;

/// The value of the function, and the gradient in `x` of `weight` times its elements.
pub(crate) fn value_and_gradient(
    shape: &[usize],
    x: &[f64],
    weight: Option<&[f64]>,
    function: Function<'_>,
    precision: Precision,
) -> [Vec<f64>; 2] {
    let argument = |b: &mut Builder, position: usize, shape: &[usize]| {
        b.input(InputKind::Argument(position), "x", Shape::of(shape), DType::F32)
    };
    let given = |kind: &InputKind, _: &str| match (kind, weight) {
        (InputKind::Argument(0), _) => HostTensor::from_f64(DType::F32, shape, x).ok(),
        (_, weight) => weight.and_then(|weight| HostTensor::from_f64(DType::F32, shape, weight).ok()),
    };
    let run = |builder: Builder, gradients: bool| {
        let graph = builder.finish();
        let graph = if gradients { append_gradients(graph, Arguments::At(&[0])).expect("a gradient") } else { graph };
        let outputs = evaluate(&graph, &[], &given, precision).expect("evaluates");
        outputs.last().expect("an output").1.to_f64()
    };
    let mut b = Builder::new("value");
    let input = argument(&mut b, 0, shape);
    let y = function(&mut b, input);
    b.output(OutputKind::Result(0), y);
    let value = run(b, false);

    let mut b = Builder::new("gradient");
    let input = argument(&mut b, 0, shape);
    let mut y = function(&mut b, input);
    if weight.is_some() {
        let weight = argument(&mut b, 1, shape);
        y = b.binary(BinaryOp::Mul, y, weight).expect("a product");
    }
    let axes: Vec<usize> = (0..b.shape(y).rank()).collect();
    let sum = b.reduce(ReduceOp::Sum, y, &axes, false).expect("a sum");
    b.output(OutputKind::Result(0), sum);
    [value, run(b, true)]
}

/// Compares single precision with double, at `x`.
fn same(name: &str, shape: &[usize], x: &[f64], weight: Option<&[f64]>, function: Function<'_>) {
    let [found, expected] =
        [Precision::Typed, Precision::F64].map(|precision| value_and_gradient(shape, x, weight, function, precision));
    for ((what, found), expected) in ["value", "gradient"].iter().zip(&found).zip(&expected) {
        for (position, (found, expected)) in found.iter().zip(expected).enumerate() {
            let near = if expected.abs() > LARGEST {
                *found == INF * expected.signum()
            } else {
                (found - expected).abs() <= 1e-5 * expected.abs() + 1e-6
            };
            let at = x.get(position).unwrap_or(&NAN);
            assert!(near, "{what} of {name} at {at:e} (of {x:?}): {found:e}, expected {expected:e}");
        }
    }
}

/// Each activation with its arguments, and where `x` is infinite: value and gradient at -inf, value and gradient at inf.
///
/// NaN stands where the formula is `x` times a gate that closes, or over its own size: `-inf * 0` and `inf / inf` are no numbers
/// to IEEE, nor to PyTorch. The gradient of such a gate out there is that of a closed or open one, where PyTorch gives NaN.
pub(crate) fn activations() -> Vec<(&'static str, Vec<Value>, [f64; 4])> {
    let number = |value: f64| vec![Value::Number(value)];
    let plain = Vec::new;
    vec![
        ("relu", plain(), [0.0, 0.0, INF, 1.0]),
        ("relu6", plain(), [0.0, 0.0, 6.0, 0.0]),
        ("leaky_relu", number(0.01), [-INF, 0.01, INF, 1.0]),
        ("prelu", number(0.25), [-INF, 0.25, INF, 1.0]),
        ("gelu", plain(), [NAN, 0.0, INF, 1.0]),
        ("gelu_tanh", plain(), [NAN, 0.0, INF, 1.0]),
        ("silu", plain(), [NAN, 0.0, INF, 1.0]),
        ("sigmoid", plain(), [0.0, 0.0, 1.0, 0.0]),
        ("log_sigmoid", plain(), [-INF, 1.0, 0.0, 0.0]),
        ("tanh", plain(), [-1.0, 0.0, 1.0, 0.0]),
        ("softplus", plain(), [0.0, 0.0, INF, 1.0]),
        ("elu", number(0.7), [-0.7, 0.0, INF, 1.0]),
        ("celu", number(0.7), [-0.7, 0.0, INF, 1.0]),
        ("selu", plain(), [-1.758_099_340_847_376_6, 0.0, INF, 1.050_700_987_355_480_5]),
        ("hard_sigmoid", plain(), [0.0, 0.0, 1.0, 0.0]),
        ("hard_swish", plain(), [NAN, 0.0, INF, 1.0]),
        ("hard_tanh", plain(), [-1.0, 0.0, 1.0, 0.0]),
        ("mish", plain(), [NAN, 0.0, INF, 1.0]),
        ("softsign", plain(), [-1.0, 0.0, 1.0, 0.0]),
        ("threshold", [number(0.5), number(-1.0)].concat(), [-1.0, 0.0, INF, 1.0]),
        ("hard_shrink", number(0.5), [-INF, 1.0, INF, 1.0]),
        ("soft_shrink", number(0.5), [-INF, 1.0, INF, 1.0]),
        ("tanh_shrink", plain(), [-INF, 1.0, INF, 1.0]),
    ]
}

fn is_a_number_everywhere(name: &str, args: &[Value]) {
    let x = all_sizes();
    let function = |b: &mut Builder, x: NodeId| call(b, name, &[&[Value::Tensor(x)], args].concat());
    same(name, &[x.len()], &x, None, &function);
}

fn every_activation_and_loss_is_here() {
    let family = ops::families().iter().find(|family| family.title == "Activations").expect("a family");
    let names: Vec<&str> = family.operations.iter().map(|operation| operation.name).collect();
    assert_eq!(activations().iter().map(|(name, ..)| *name).collect::<Vec<_>>(), names);
    let family = ops::families().iter().find(|family| family.title == "Losses").expect("a family");
    let names: Vec<&str> = family.operations.iter().map(|operation| operation.name).collect();
    let here = CLASS_LOSSES.iter().copied().chain(losses().into_iter().map(|(name, _)| name));
    // Of numbers between 0 and 1 alone, whose ends PyTorch's numbers have.
    let here: BTreeSet<&str> = here.chain(["bce_loss"]).collect();
    assert_eq!(here, names.into_iter().collect());
}

fn at_infinity(name: &str, args: &[Value], expected: [f64; 4]) {
    let function = |b: &mut Builder, x: NodeId| call(b, name, &[&[Value::Tensor(x)], args].concat());
    let [value, gradient] = value_and_gradient(&[2], &[-INF, INF], None, &function, Precision::Typed);
    let found = [value[0], gradient[0], value[1], gradient[1]];
    let alike = found.iter().zip(&expected).all(|(found, expected)| {
        found.is_nan() && expected.is_nan() || found == expected || (found - expected).abs() < 1e-6
    });
    assert!(alike, "{name}: {found:?}, expected {expected:?}");
}

/// Rows whose largest and smallest elements are far apart.
fn rows() -> Vec<f64> {
    let large = f64::from(1e38f32);
    [
        [0.0, -0.0, 0.0],
        [1e-45, -1e-45, 1e-38],
        [1e20, 1e20, -1e20],
        [-1e20, -1e20, -1e20],
        [large, -large, 0.0],
        [large, large, large],
        [-large, -1.0, -large],
        [LARGEST, -LARGEST, LARGEST],
        [90.0, -90.0, 89.5],
        [0.5, 1e-20, 3.0],
    ]
    .concat()
    .into_iter()
    .map(|x| f64::from(x as f32))
    .collect()
}

fn rows_are_numbers(name: &str) {
    let x = rows();
    let weight: Vec<f64> = (0..x.len()).map(|i| [1.0, -0.5, 0.25][i % 3]).collect();
    let function = |b: &mut Builder, x: NodeId| call(b, name, &[Value::Tensor(x), int(1)]);
    same(name, &[x.len() / 3, 3], &x, Some(&weight), &function);
}

/// Variances and deviations of rows whose squares, or their sums, are beyond `f32` or below it: relative to the largest of a row.
fn deviations_are_numbers(name: &str) {
    let rows: [[f64; 4]; 12] = [
        [1e19, -1e19, 3e18, 1e19],
        [1.7e19, -1.7e19, 1.7e19, -1.7e19],
        [1e20, 1.5e20, 3e20, 1.0],
        [-2e25, 1e25, 3e24, 0.0],
        [1e37, -1e37, 2e37, 3e37],
        [1e30, 1.000_001e30, 1e30, 0.999_999e30],
        [7e18, 7e18, 7e18, 7e18],
        [1e36, 1e36, 1e36, 1e36],
        [1e-25, 3e-25, -1e-25, 0.0],
        [1e-30, 0.0, 0.0, 2e-30],
        [1e-14, -3e-14, 2e-15, 1e-15],
        [3.0, 1e-20, -2.0, 4.5],
    ];
    let weight = [1.0, -0.5, 0.25, 2.0];
    for (row, weight) in rows.iter().zip(weight.into_iter().cycle()) {
        let row: Vec<f64> = row.iter().map(|&x| f64::from(x as f32)).collect();
        let function = |b: &mut Builder, x: NodeId| call(b, name, &[Value::Tensor(x), int(1), int(1)]);
        let [found, expected] = [Precision::Typed, Precision::F64]
            .map(|precision| value_and_gradient(&[1, 4], &row, Some(&[weight, 0.0, 0.0, 0.0]), &function, precision));
        for (found, expected) in found.iter().zip(&expected) {
            let scale = expected.iter().fold(1e-37f64, |most, value| most.max(value.abs()));
            for (found, expected) in found.iter().zip(expected) {
                let near = match expected.abs() > LARGEST {
                    true => *found == INF * expected.signum(),
                    false => (found - expected).abs() <= 1e-4 * scale,
                };
                assert!(near, "{name} of {row:?}: {found:e}, expected {expected:e}");
            }
        }
    }
}

/// Losses of rows and labels.
const CLASS_LOSSES: [&str; 3] = ["cross_entropy", "cross_entropy_ignoring", "nll_loss"];

/// Losses of two tensors of one shape, with their numbers.
fn losses() -> Vec<(&'static str, Vec<Value>)> {
    vec![
        ("mse_loss", vec![]),
        ("l1_loss", vec![]),
        ("huber_loss", vec![Value::Number(1.5)]),
        ("smooth_l1_loss", vec![Value::Number(0.5)]),
        ("bce_with_logits", vec![]),
        ("kl_div", vec![]),
        ("poisson_nll_loss", vec![]),
    ]
}

fn class_loss_is_a_number(name: &str) {
    // A row each, for what is one row's sum is not another's.
    for row in rows().chunks(3) {
        for label in [0.0, 1.0, 2.0] {
            let function = |b: &mut Builder, x: NodeId| {
                let labels = b.full(label, &Shape::of(&[1]), DType::U32);
                let mut args = vec![Value::Tensor(x), Value::Tensor(labels)];
                args.extend((name == "cross_entropy_ignoring").then(|| int(7)));
                call(b, name, &args)
            };
            same(name, &[1, 3], row, None, &function);
        }
    }
}

fn loss_is_a_number(name: &str, args: &[Value]) {
    for x in all_sizes() {
        for target in [0.0, 1.0] {
            let function = |b: &mut Builder, x: NodeId| {
                let target = b.full(target, &Shape::of(&[1]), DType::F32);
                call(b, name, &[&[Value::Tensor(x), Value::Tensor(target)], args].concat())
            };
            same(name, &[1], &[x], None, &function);
        }
    }
}

/// The derivative of `sin(a) / a` at `a = pi x` by its series, `-a/3 (1 - a²/10 (1 - a²/28 (1 - ..)))`.
fn slope_of_sinc(x: f64) -> f64 {
    let a = x * std::f64::consts::PI;
    let terms = (1..20).rev().map(f64::from);
    let sum = terms.fold(1.0, |rest, n| 1.0 - a * a * (n + 1.0) / (n * 2.0 * (n + 1.0) * (2.0 * n + 3.0)) * rest);
    -std::f64::consts::PI * a / 3.0 * sum
}

fn sinc_has_all_digits() {
    for exponent in -80..=0 {
        let x = f64::from(10f32.powf(exponent as f32 / 10.0));
        let function = |b: &mut Builder, x: NodeId| call(b, "sinc", &[Value::Tensor(x)]);
        for (precision, bound) in [(Precision::F64, 3e-15), (Precision::Typed, 1e-6)] {
            let [_, gradient] = value_and_gradient(&[1], &[x], None, &function, precision);
            let expected = slope_of_sinc(x);
            let error = ((gradient[0] - expected) / expected).abs();
            assert!(error < bound, "at {x:e}: {:e}, expected {expected:e}, {error:e} ({precision:?})", gradient[0]);
        }
    }
}

/// What `f32` cannot tell from 0 and 1: the loss of a unit that has gone far teaches nothing where it is right.
fn saturated_units_have_gradients() {
    for (x, target, expected) in [(200.0, 1.0, 0.0), (-200.0, 0.0, 0.0), (200.0, 0.0, 0.0), (0.5, 1.0, -0.377_540_67)] {
        let function = |b: &mut Builder, x: NodeId| {
            let target = b.full(target, &Shape::of(&[1]), DType::F32);
            let probability = call(b, "sigmoid", &[Value::Tensor(x)]);
            call(b, "bce_loss", &[Value::Tensor(probability), Value::Tensor(target)])
        };
        let [_, gradient] = value_and_gradient(&[1], &[x], None, &function, Precision::Typed);
        assert!((gradient[0] - expected).abs() < 1e-6, "at {x} of {target}: {}, expected {expected}", gradient[0]);
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    let here = every_activation_and_loss_is_here;
    let mut trials = vec![
        test("extremes::every_activation_and_loss_is_here", here),
        test("extremes::sinc_has_all_digits", sinc_has_all_digits),
        test("extremes::saturated_units_have_gradients", saturated_units_have_gradients),
    ];
    for (name, args, expected) in activations() {
        let given = args.clone();
        trials.push(test(format!("extremes::activations::{name}"), move || is_a_number_everywhere(name, &given)));
        let name_at = format!("extremes::activations::{name}::at_infinity");
        trials.push(test(name_at, move || at_infinity(name, &args, expected)));
    }
    for name in ["softmax", "log_softmax"] {
        trials.push(test(format!("extremes::rows::{name}"), move || rows_are_numbers(name)));
    }
    for name in CLASS_LOSSES {
        trials.push(test(format!("extremes::losses::{name}"), move || class_loss_is_a_number(name)));
    }
    for name in ["var", "std"] {
        trials.push(test(format!("extremes::deviations::{name}"), move || deviations_are_numbers(name)));
    }
    for (name, args) in losses() {
        trials.push(test(format!("extremes::losses::{name}"), move || loss_is_a_number(name, &args)));
    }
    trials
}
