//! The functions of one float that netcl composes, and their derivatives, in single precision against formulas in double: at
//! the smallest and largest numbers, at the ends of domains and at infinities.

use crate::lower::composed_graph;
use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::interp::{HostTensor, Precision, evaluate};

/// A function by its name, and its value and derivative.
type KnownFunction = (&'static str, fn(f64) -> f64, fn(f64) -> f64);

const FUNCTIONS: [KnownFunction; 10] = [
    ("sinh", f64::sinh, f64::cosh),
    ("cosh", f64::cosh, f64::sinh),
    ("asinh", f64::asinh, |x| 1.0 / x.hypot(1.0)),
    ("acosh", f64::acosh, |x| 1.0 / ((x - 1.0).sqrt() * (x + 1.0).sqrt())),
    ("atanh", f64::atanh, |x| 1.0 / ((1.0 - x) * (1.0 + x))),
    ("asin", f64::asin, |x| 1.0 / ((1.0 - x) * (1.0 + x)).sqrt()),
    ("acos", f64::acos, |x| -1.0 / ((1.0 - x) * (1.0 + x)).sqrt()),
    ("atan", f64::atan, |x| 1.0 / (1.0 + x * x)),
    ("log10", f64::log10, |x| 1.0 / (x * std::f64::consts::LN_10)),
    ("to_degrees", f64::to_degrees, |_| 180.0 / std::f64::consts::PI),
];

/// Both signs of these are tried.
const SIZES: [f64; 26] = [
    0.0,
    1e-40,
    1e-20,
    1e-10,
    1e-6,
    1e-3,
    0.1,
    0.5,
    0.99,
    1.0,
    1.000_001,
    2.0,
    9.0,
    20.0,
    63.5,
    64.0,
    86.0,
    88.5,
    89.0,
    89.5,
    130.0,
    1e5,
    1e10,
    1e20,
    3e38,
    f64::INFINITY,
];

/// The value and the derivative at `x`, in single precision.
fn found(name: &str, x: f64) -> [f64; 2] {
    let graph = composed_graph(name, 1, DType::F32).expect("a function of one float").expect("a graph");
    let input = HostTensor::from_f64(DType::F32, &[], &[x]).expect("a scalar");
    let run = |graph| {
        let outputs = evaluate(&graph, &[], &|_, _| Some(input.clone()), Precision::Typed).expect("evaluates");
        outputs.last().expect("an output").1.to_f64()[0]
    };
    [run(graph.clone()), run(append_gradients(graph, Arguments::At(&[0])).expect("a gradient"))]
}

fn near(found: f64, expected: f64) -> bool {
    if found.is_nan() || expected.is_nan() {
        return found.is_nan() && expected.is_nan();
    }
    if expected.abs() > f64::from(f32::MAX) {
        return found.is_infinite() && found.signum() == expected.signum();
    }
    (found - expected).abs() <= 2e-6 * expected.abs() + f64::from(f32::MIN_POSITIVE)
}

#[test]
fn composed_functions_have_their_values_and_derivatives_everywhere() {
    let mut wrong = Vec::new();
    for (name, value, derivative) in FUNCTIONS {
        for x in SIZES.iter().flat_map(|&size| [size, -size]).map(|x| f64::from(x as f32)) {
            let [y, slope] = found(name, x);
            if !near(y, value(x)) {
                wrong.push(format!("{name}({x:e}) is {y:e}, expected {:e}", value(x)));
            }
            // Where there is no value there need be no derivative.
            if !value(x).is_nan() && !near(slope, derivative(x)) {
                wrong.push(format!("the derivative of {name} at {x:e} is {slope:e}, expected {:e}", derivative(x)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong numbers:\n{}", wrong.len(), wrong.join("\n"));
}

/// The derivative of that order at `x`.
fn derivative(name: &str, order: usize, x: f64) -> f64 {
    let mut graph = composed_graph(name, 1, DType::F32).expect("a function").expect("a graph");
    for _ in 0..order {
        graph = append_gradients(graph, Arguments::At(&[0])).expect("a gradient");
        let slope = graph.outputs.last().expect("the gradient").1;
        graph.outputs = vec![(netcl_kernels::graph::OutputKind::Result(0), slope)];
    }
    let input = HostTensor::from_f64(DType::F32, &[], &[x]).expect("a scalar");
    let outputs = evaluate(&graph, &[], &|_, _| Some(input.clone()), Precision::Typed).expect("evaluates");
    outputs.last().expect("an output").1.to_f64()[0]
}

#[test]
fn hyperbolic_functions_have_all_their_derivatives_at_zero() {
    let known = [
        ("cosh", [1.0, 0.0, 1.0, 0.0]),
        ("sinh", [0.0, 1.0, 0.0, 1.0]),
        ("asinh", [0.0, 1.0, 0.0, -1.0]),
        ("atanh", [0.0, 1.0, 0.0, 2.0]),
    ];
    for (name, derivatives) in known {
        for (order, expected) in derivatives.into_iter().enumerate() {
            for zero in [0.0, -0.0] {
                let found = derivative(name, order, zero);
                assert!(
                    (found - expected).abs() < 1e-6,
                    "derivative {order} of {name} at {zero:?}: {found}, expected {expected}"
                );
            }
        }
        if name != "cosh" {
            assert!(derivative(name, 0, -0.0).is_sign_negative(), "{name}(-0.0)");
        }
    }
}
