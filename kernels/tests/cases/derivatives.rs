//! Derivatives in single precision against the same rule in double, element by element and relative to each: at zeros, at the
//! smallest and largest numbers, where functions have gone flat, at infinities and at NaN.
//!
//! A gradient of 3e-9 is a number like any other: an optimizer divides by its size. A rule that computes it as the distance of a
//! rounded value from 1 gives 0.

use crate::extremes::{Function, LARGEST, activations, call, value_and_gradient};
use crate::test;
use libtest_mimic::Trial;
use netcl_kernels::autodiff::grad;
use netcl_kernels::dim::Shape;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::interp::Precision;
use netcl_kernels::graph::{BinaryOp, NodeId, ReduceOp, UnaryOp};
use netcl_kernels::ops::Value;

const NAN: f64 = f64::NAN;

/// Both signs of these are tried; roots and corners of functions are not among them.
const SIZES: [f64; 24] = [
    0.0, 1e-45, 1e-40, 1.2e-38, 1e-30, 1e-8, 1e-4, 0.01, 0.3, 0.9, 2.0, 4.5, 7.0, 9.5, 12.0, 20.0, 40.0, 80.0, 87.0,
    104.0, 1e4, 1e10, 1e30, 3e38,
];

fn places() -> Vec<f64> {
    let sizes = SIZES.iter().flat_map(|&size| [size, -size]);
    sizes.chain([f64::INFINITY, f64::NEG_INFINITY]).map(|x| f64::from(x as f32)).collect()
}

/// How far a derivative may be from its own in double precision.
#[derive(Clone, Copy)]
struct Bound {
    /// Of its size. 2^-24 is half a unit in the last place.
    relative: f64,
    /// Of 1, and why it is not 0.
    absolute: f64,
}

const FEW_ULP: Bound = Bound { relative: 1e-6, absolute: 0.0 };

/// `x²` is rounded before `e^-x²` is taken.
const SQUARED: Bound = Bound { relative: 8e-6, absolute: 0.0 };

/// What differs from [`FEW_ULP`].
fn bound(name: &str) -> Bound {
    match name {
        "erf" => SQUARED,
        // `1 + erf(x)` has the absolute error of its larger term: there is no complementary error function here, nor in
        // PyTorch's formula.
        "gelu" => Bound { absolute: 1e-7, ..SQUARED },
        // The exponent, which a cubic computes, may be 90.
        "gelu_tanh" => Bound { relative: 5e-5, absolute: 0.0 },
        // A sum of two terms of either sign.
        "silu" | "mish" => Bound { relative: 3e-6, absolute: 0.0 },
        // `1 + tan²`: twice the error of a tangent.
        "tan" => Bound { relative: 2e-6, absolute: 0.0 },
        _ => FEW_ULP,
    }
}

fn near(found: f64, expected: f64, bound: Bound) -> bool {
    if expected.is_nan() || found.is_nan() {
        return expected.is_nan() && found.is_nan();
    }
    if expected.abs() > LARGEST {
        return found.abs() >= LARGEST && found.signum() == expected.signum();
    }
    // Below the smallest normal number digits are lost, and some processors have no such numbers.
    let smallest = f64::from(f32::MIN_POSITIVE);
    found == expected || (found - expected).abs() <= bound.relative * expected.abs() + bound.absolute + smallest
}

/// Compares the derivatives of `function`, whose elements are its argument's.
fn derivatives(name: &str, x: &[f64], bound: Bound, function: Function<'_>) -> Vec<String> {
    let run = |precision| value_and_gradient(&[x.len()], x, None, function, precision)[1].clone();
    let (found, expected) = (run(Precision::Typed), run(Precision::F64));
    let wrong =
        x.iter().zip(found.iter().zip(&expected)).filter(|(_, (found, expected))| !near(**found, **expected, bound));
    wrong.map(|(x, (found, expected))| format!("{name} at {x:e}: {found:e}, expected {expected:e}")).collect()
}

fn fails_nowhere(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} wrong derivatives:\n{}", wrong.len(), wrong.join("\n"));
}

fn of_function(op: UnaryOp) {
    let function = |b: &mut Builder, x: NodeId| b.unary(op, x).expect("a float");
    fails_nowhere(&derivatives(op.name(), &places(), bound(op.name()), &function));
}

fn of_activation(name: &str, args: &[Value]) {
    // An ELU's rate that is a power of two, for the exponent not to be rounded.
    let args = if name == "celu" { &[Value::Number(0.5)] } else { args };
    let function = |b: &mut Builder, x: NodeId| call(b, name, &[&[Value::Tensor(x)], args].concat());
    fails_nowhere(&derivatives(name, &places(), bound(name), &function));
}

fn of_binary_cross_entropy() {
    let mut wrong = Vec::new();
    for target in [0.0, 1.0] {
        for x in places() {
            let function = |b: &mut Builder, x: NodeId| {
                let target = b.full(target, &Shape::of(&[1]), DType::F32);
                call(b, "bce_with_logits", &[Value::Tensor(x), Value::Tensor(target)])
            };
            wrong.extend(derivatives(&format!("bce_with_logits, target {target},"), &[x], FEW_ULP, &function));
        }
    }
    fails_nowhere(&wrong);
}

fn of_pairs(op: BinaryOp) {
    // Neither infinite nor NaN: what powers and remainders of those are has tests of its own.
    let sizes: [f64; 9] = [0.0, 1e-30, 1e-20, 1e-3, 0.7, 3.0, 1e5, 1e20, 1e30];
    let x = sizes.iter().flat_map(|&size| [size, -size]).map(|x| f64::from(x as f32));
    // The whole quotient of a remainder has as many digits as it has; powers are of logarithms times an exponent.
    let few = matches!(op, BinaryOp::Rem | BinaryOp::Pow);
    let x: Vec<f64> = x.filter(|x| !few || (1e-3..=3.0).contains(x)).collect();
    let mut wrong = Vec::new();
    for &other in &x {
        for first in [true, false] {
            let function = |b: &mut Builder, x: NodeId| {
                let shape = b.shape(x).clone();
                let other = b.full(other, &shape, DType::F32);
                let (left, right) = if first { (x, other) } else { (other, x) };
                b.binary(op, left, right).expect("two floats")
            };
            let side = if first { "first" } else { "second" };
            let name = format!("{} by its {side} operand, the other {other:e},", op.name());
            wrong.extend(derivatives(&name, &x, Bound { relative: 4e-6, absolute: 0.0 }, &function));
        }
    }
    fails_nowhere(&wrong);
}

/// PyTorch's gradient of each activation at NaN (2.x, on a processor).
const AT_NAN: [(&str, f64); 23] = [
    ("relu", 1.0),
    ("relu6", 0.0),
    ("leaky_relu", 0.01),
    ("prelu", 0.25),
    ("gelu", NAN),
    ("gelu_tanh", NAN),
    ("silu", NAN),
    ("sigmoid", NAN),
    ("log_sigmoid", NAN),
    ("tanh", NAN),
    ("softplus", NAN),
    ("elu", NAN),
    ("celu", NAN),
    ("selu", NAN),
    ("hard_sigmoid", 0.0),
    ("hard_swish", NAN),
    ("hard_tanh", 0.0),
    ("mish", NAN),
    ("softsign", NAN),
    ("threshold", 1.0),
    ("hard_shrink", 1.0),
    ("soft_shrink", 1.0),
    ("tanh_shrink", NAN),
];

fn every_activation_is_here() {
    let names: Vec<&str> = activations().into_iter().map(|(name, ..)| name).collect();
    assert_eq!(AT_NAN.map(|(name, _)| name).to_vec(), names);
}

fn at_nan(name: &str, args: &[Value], expected: f64) {
    let function = |b: &mut Builder, x: NodeId| call(b, name, &[&[Value::Tensor(x)], args].concat());
    let [value, gradient] = value_and_gradient(&[1], &[NAN], None, &function, Precision::Typed);
    assert!(value[0].is_nan(), "{name} of NaN is {}", value[0]);
    let alike = gradient[0].is_nan() || (gradient[0] - expected).abs() < 1e-6;
    assert!(alike, "the gradient of {name} at NaN is {}, expected NaN or {expected}", gradient[0]);
}

/// The second derivative of each activation at -inf and inf, where it is the limit, and at NaN: NaN, and 0 of what consists of
/// pieces, as if it were outside of them.
const SECOND: [(&str, [f64; 3]); 23] = [
    ("relu", [0.0, 0.0, 0.0]),
    ("relu6", [0.0, 0.0, 0.0]),
    ("leaky_relu", [0.0, 0.0, 0.0]),
    ("prelu", [0.0, 0.0, 0.0]),
    ("gelu", [0.0, 0.0, NAN]),
    ("gelu_tanh", [0.0, 0.0, NAN]),
    ("silu", [0.0, 0.0, NAN]),
    ("sigmoid", [0.0, 0.0, NAN]),
    ("log_sigmoid", [0.0, 0.0, NAN]),
    ("tanh", [0.0, 0.0, NAN]),
    ("softplus", [0.0, 0.0, NAN]),
    ("elu", [0.0, 0.0, NAN]),
    ("celu", [0.0, 0.0, NAN]),
    ("selu", [0.0, 0.0, NAN]),
    ("hard_sigmoid", [0.0, 0.0, 0.0]),
    ("hard_swish", [0.0, 0.0, 0.0]),
    ("hard_tanh", [0.0, 0.0, 0.0]),
    ("mish", [0.0, 0.0, NAN]),
    ("softsign", [0.0, 0.0, NAN]),
    ("threshold", [0.0, 0.0, 0.0]),
    ("hard_shrink", [0.0, 0.0, 0.0]),
    ("soft_shrink", [0.0, 0.0, 0.0]),
    ("tanh_shrink", [0.0, 0.0, NAN]),
];

/// The derivative of the sum of a function's elements, an element for each of `x`.
fn derived(b: &mut Builder, x: NodeId, name: &str, args: &[Value]) -> NodeId {
    let y = call(b, name, &[&[Value::Tensor(x)], args].concat());
    let value = b.reduce(ReduceOp::Sum, y, &[0], false).expect("a sum");
    let found = grad(b, value, &[x]).expect("a gradient");
    found[0].unwrap_or_else(|| {
        let shape = b.shape(x).clone();
        b.full(0.0, &shape, DType::F32)
    })
}

fn second_at_the_ends(name: &str, args: &[Value], expected: [f64; 3]) {
    let function = |b: &mut Builder, x: NodeId| derived(b, x, name, args);
    for precision in [Precision::Typed, Precision::F64] {
        for (x, expected) in [f64::NEG_INFINITY, f64::INFINITY, NAN].into_iter().zip(expected) {
            let found = value_and_gradient(&[1], &[x], None, &function, precision)[1][0];
            let alike = found == expected || found.is_nan() && expected.is_nan();
            assert!(alike, "the second derivative of {name} at {x:e} is {found:e}, expected {expected:e}");
        }
    }
}

/// In single precision against double, where numbers are of ordinary size.
fn second(name: &str, args: &[Value]) {
    let x: Vec<f64> = places().into_iter().filter(|x| x.abs() < 1e5).collect();
    let function = |b: &mut Builder, x: NodeId| derived(b, x, name, args);
    fails_nowhere(&derivatives(name, &x, Bound { relative: 1e-4, absolute: 1e-6 }, &function));
}

/// The gradient of `x * gate(x)` where the cotangent times `x` overflows and the gate's derivative is 0.
fn gated_in_large_cotangents(name: &str) {
    for (cotangent, x, expected) in [
        (1e20, 1e20, 1e20),
        (1.5, 2.5e38, 1.5),
        (1e20, 3e38, 1e20),
        (1.5, -3.4e38, 0.0),
        (1e20, -1e20, 0.0),
        (1e30, 500.0, 1e30),
    ] {
        let function = |b: &mut Builder, x: NodeId| call(b, name, &[Value::Tensor(x)]);
        let gradient = &value_and_gradient(&[1], &[x], Some(&[cotangent]), &function, Precision::Typed)[1];
        let expected = f64::from(expected as f32);
        assert_eq!(gradient[0], expected, "the gradient of {name} at {x:e}, cotangent {cotangent:e}");
    }
}

fn clamp_at_nan() {
    let clamp =
        |b: &mut Builder, x: NodeId| call(b, "clamp", &[Value::Tensor(x), Value::Number(-1.0), Value::Number(2.0)]);
    assert_eq!(value_and_gradient(&[1], &[NAN], None, &clamp, Precision::Typed)[1], [0.0]);
}

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![
        test("derivatives::every_activation_is_here", every_activation_is_here),
        test("derivatives::bce_with_logits", of_binary_cross_entropy),
        test("derivatives::clamp::at_nan", clamp_at_nan),
    ];
    for op in UnaryOp::ALL.into_iter().filter(|op| op.takes(DType::F32)) {
        trials.push(test(format!("derivatives::functions::{}", op.name()), move || of_function(op)));
    }
    for op in BinaryOp::ALL.into_iter().filter(|op| op.takes(DType::F32)) {
        trials.push(test(format!("derivatives::pairs::{}", op.name()), move || of_pairs(op)));
    }
    for name in ["gelu", "gelu_tanh", "silu", "mish", "hard_swish"] {
        let run = move || gated_in_large_cotangents(name);
        trials.push(test(format!("derivatives::activations::{name}::large_cotangents"), run));
    }
    for ((name, args, _), (own, expected)) in activations().into_iter().zip(SECOND) {
        assert_eq!(name, own);
        let given = args.clone();
        let run = move || second_at_the_ends(name, &args, expected);
        trials.push(test(format!("derivatives::activations::{name}::second_at_the_ends"), run));
        trials.push(test(format!("derivatives::activations::{name}::second"), move || second(name, &given)));
    }
    for ((name, args, _), (_, expected)) in activations().into_iter().zip(AT_NAN) {
        let given = args.clone();
        trials.push(test(format!("derivatives::activations::{name}"), move || of_activation(name, &given)));
        trials.push(test(format!("derivatives::activations::{name}::at_nan"), move || at_nan(name, &args, expected)));
    }
    trials
}
