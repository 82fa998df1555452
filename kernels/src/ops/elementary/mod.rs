//! Functions of single elements by Rust's names, with Rust's meaning, and those of PyTorch beside them.
//!
//! Infinities, NaN and zeros are as in Rust and PyTorch, in value and gradient.

mod division;
mod formula;
mod hyperbolic;
mod limits;

pub use formula::Formula;

use super::Operation;
use super::args::{Args, OTHER, X, float};
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, NodeId, UnaryOp};
use crate::span::Result;
use std::f64::consts::{LOG10_2, PI};

macro_rules! of_floats {
    ($name:literal, |$f:ident, $x:ident| $formula:expr, $doc:literal) => {
        Operation {
            name: $name,
            doc: $doc,
            args: &[X],
            build: |b, a| {
                let (mut formula, $x) = floats($name, b, a.tensor(0)?)?;
                let $f = &mut formula;
                $formula
            },
        }
    };
    ($name:literal, |$f:ident, $x:ident, $y:ident| $formula:expr, $doc:literal) => {
        Operation {
            name: $name,
            doc: $doc,
            args: &[X, OTHER],
            build: |b, a| {
                let (_, $y) = floats($name, b, a.tensor(1)?)?;
                let (mut formula, $x) = floats($name, b, a.tensor(0)?)?;
                let $f = &mut formula;
                $formula
            },
        }
    };
}

macro_rules! of_numbers {
    ($name:literal, $method:ident, $doc:literal) => {
        Operation {
            name: $name,
            doc: $doc,
            args: &[X, OTHER],
            build: |b, a| Formula(b).$method(a.tensor(0)?, a.tensor(1)?),
        }
    };
}

pub(super) const OPERATIONS: &[Operation] = &[
    of_floats!("trunc", |f, x| f.trunc(x), "the whole number next to `x` toward zero; its gradient is zero"),
    of_floats!(
        "fract",
        |f, x| {
            let whole = f.trunc(x)?;
            f.sub(x, whole)
        },
        "`x - trunc(x)`, with the sign of `x`"
    ),
    of_floats!(
        "log10",
        |f, x| {
            let log = f.apply(UnaryOp::Log2, x)?;
            f.scaled(log, LOG10_2)
        },
        "logarithm to base 10; NaN below zero"
    ),
    of_floats!("cbrt", |f, x| f.cbrt(x), "the cube root, also of negative numbers"),
    of_floats!("sinh", |f, x| f.sinh(x), "hyperbolic sine"),
    of_floats!("cosh", |f, x| f.cosh(x), "hyperbolic cosine"),
    of_floats!(
        "asin",
        |f, x| {
            let cosine = f.other_leg(x)?;
            f.0.binary(BinaryOp::Atan2, x, cosine)
        },
        "the angle in `[-pi/2, pi/2]` whose sine is `x`; NaN beyond `[-1, 1]`"
    ),
    of_floats!(
        "acos",
        |f, x| {
            let sine = f.other_leg(x)?;
            f.0.binary(BinaryOp::Atan2, sine, x)
        },
        "the angle in `[0, pi]` whose cosine is `x`; NaN beyond `[-1, 1]`"
    ),
    of_floats!(
        "atan",
        |f, x| {
            let one = f.number(1.0, x);
            f.0.binary(BinaryOp::Atan2, x, one)
        },
        "the angle in `[-pi/2, pi/2]` whose tangent is `x`"
    ),
    of_floats!("asinh", |f, x| f.asinh(x), "inverse hyperbolic sine"),
    of_floats!("acosh", |f, x| f.acosh(x), "inverse hyperbolic cosine; NaN below 1"),
    of_floats!("atanh", |f, x| f.atanh(x), "inverse hyperbolic tangent; NaN beyond `[-1, 1]`"),
    of_floats!("to_degrees", |f, x| f.scaled(x, 180.0 / PI), "radians as degrees"),
    of_floats!("to_radians", |f, x| f.scaled(x, PI / 180.0), "degrees as radians"),
    of_floats!(
        "hypot",
        |f, x, y| f.hypot(x, y),
        "`sqrt(x^2 + other^2)`, whose squares do not overflow; its gradient at `(0, 0)` is zero"
    ),
    of_floats!(
        "copysign",
        |f, x, y| f.copysign(x, y),
        "`|x|` with the sign that `other` is written with; NaN counts as positive"
    ),
    of_floats!("logaddexp", |f, x, y| f.logaddexp(x, y), "`log(e^x + e^other)`, without overflow"),
    of_floats!(
        "xlogy",
        |f, x, y| f.xlogy(x, y),
        "`x * log(other)`, and 0 where `x` is 0 and `other` is not NaN, with the gradient `log(other)` in `x` if that is finite"
    ),
    of_floats!("logit", |f, x| f.logit(x), "`log(x / (1 - x))`, the inverse of `sigmoid`; NaN beyond `[0, 1]`"),
    of_floats!("sinc", |f, x| f.sinc(x), "`sin(pi x) / (pi x)`, and 1 at 0"),
    of_numbers!("rem_euclid", rem_euclid, "the remainder of `x / other` that is not negative, of integers too"),
    of_numbers!("div_euclid", div_euclid, "the quotient that leaves `rem_euclid`, of integers too"),
    of_numbers!(
        "remainder",
        remainder,
        "`x - other * floor(x / other)`, which has the sign of `other` (Python's `%`), of integers too"
    ),
    of_numbers!(
        "floor_divide",
        floor_divide,
        "`floor(x / other)` (Python's `//`), of integers too; its gradient is zero"
    ),
    Operation {
        name: "is_infinite",
        doc: "whether `x` is infinite, as bool",
        args: &[X],
        build: |b, a| is_infinite(b, a.tensor(0)?),
    },
    of_floats!(
        "is_sign_negative",
        |f, x| f.is_negative(x),
        "whether `x` is written with a minus, as -0 is, as bool; NaN counts as positive"
    ),
    of_floats!(
        "is_sign_positive",
        |f, x| {
            let negative = f.is_negative(x)?;
            f.apply(UnaryOp::Not, negative)
        },
        "the opposite of `is_sign_negative`"
    ),
];

fn floats<'b>(name: &str, b: &'b mut Builder, x: NodeId) -> Result<(Formula<'b>, NodeId)> {
    float(b, name, x)?;
    Ok((Formula(b), x))
}

fn is_infinite(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    if b.dtype(x).is_float() {
        return Formula(b).is_infinite(x);
    }
    let shape = b.shape(x).clone();
    Ok(b.full(0.0, &shape, crate::dtype::DType::Bool))
}
