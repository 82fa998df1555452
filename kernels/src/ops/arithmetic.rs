//! Elementwise arithmetic, comparisons, logic and conversions. Operands broadcast as in NumPy.

use super::args::{Args, OTHER, X, arg, float, literal, scalar_arg, tensor_arg};
use super::{ArgKind, Operation, Value};
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, CompareOp, NodeId, UnaryOp};
use crate::span::{Diagnostic, Result};

macro_rules! unary {
    ($name:literal, $op:ident, $doc:literal) => {
        Operation { name: $name, doc: $doc, args: &[X], build: |b, a| b.unary(UnaryOp::$op, a.tensor(0)?) }
    };
}

macro_rules! binary {
    ($name:literal, $op:ident, $doc:literal) => {
        Operation {
            name: $name,
            doc: $doc,
            args: &[X, OTHER],
            build: |b, a| b.binary(BinaryOp::$op, a.tensor(0)?, a.tensor(1)?),
        }
    };
}

macro_rules! compare {
    ($name:literal, $op:ident, $doc:literal) => {
        Operation {
            name: $name,
            doc: $doc,
            args: &[X, OTHER],
            build: |b, a| b.compare(CompareOp::$op, a.tensor(0)?, a.tensor(1)?),
        }
    };
}

pub(super) const OPERATIONS: &[Operation] = &[
    binary!("add", Add, "`x + other`"),
    binary!("sub", Sub, "`x - other`"),
    binary!("mul", Mul, "`x * other`, elementwise"),
    binary!("div", Div, "`x / other`; integers round toward zero, and a division by zero gives zero"),
    binary!("rem", Rem, "the remainder of `x / other` rounded toward zero; it has the sign of `x`"),
    Operation {
        name: "pow",
        doc: "`x ^ exponent` of floats; NaN where `x` is negative and the exponent is not whole",
        args: &[X, tensor_arg("exponent")],
        build: |b, a| pow(b, a.tensor(0)?, a.tensor(1)?),
    },
    binary!("maximum", Max, "the larger of the two; NaN if either is NaN"),
    binary!("minimum", Min, "the smaller of the two; NaN if either is NaN"),
    binary!("atan2", Atan2, "the angle of the point `(other, x)` in radians, in `[-pi, pi]`"),
    unary!("neg", Neg, "`-x`"),
    unary!("abs", Abs, "`|x|`"),
    unary!("sign", Sign, "-1, 0 or 1; NaN of NaN"),
    unary!("exp", Exp, "`e^x`"),
    unary!("exp2", Exp2, "`2^x`"),
    unary!("log", Log, "natural logarithm; NaN below zero"),
    unary!("log2", Log2, "logarithm to base 2; NaN below zero"),
    unary!("log1p", Log1p, "`log(1 + x)`, exact near zero"),
    unary!("expm1", Expm1, "`e^x - 1`, exact near zero"),
    unary!("sqrt", Sqrt, "square root; NaN below zero"),
    unary!("rsqrt", Rsqrt, "`1 / sqrt(x)`"),
    Operation { name: "square", doc: "`x * x`", args: &[X], build: |b, a| square(b, a.tensor(0)?) },
    unary!("recip", Recip, "`1 / x`"),
    unary!("sin", Sin, "sine of radians"),
    unary!("cos", Cos, "cosine of radians"),
    unary!("tan", Tan, "tangent of radians"),
    unary!("erf", Erf, "the error function, `2/sqrt(pi) * integral of e^(-t^2) from 0 to x`"),
    unary!("floor", Floor, "the nearest whole number toward -inf; its gradient is zero"),
    unary!("ceil", Ceil, "the nearest whole number toward +inf; its gradient is zero"),
    unary!("round", Round, "the nearest whole number, halves to even; its gradient is zero"),
    Operation {
        name: "clamp",
        doc: "`min(max(x, min), max)`; NaN stays NaN. Bounds that are numbers have no gradient but where `grad` asks for it, nor has `x` where it equals one",
        args: &[X, scalar_arg("min"), scalar_arg("max")],
        build: |b, a| between(b, a.tensor(0)?, a.scalar(1)?, a.scalar(2)?),
    },
    Operation {
        name: "lerp",
        doc: "`x + weight * (other - x)` of floats",
        args: &[X, OTHER, tensor_arg("weight")],
        build: |b, a| lerp(b, a.tensor(0)?, a.tensor(1)?, a.tensor(2)?),
    },
    compare!("eq", Eq, "whether `x == other`, as bool; false if either is NaN"),
    compare!("ne", Ne, "whether `x != other`, as bool; true if either is NaN"),
    compare!("lt", Lt, "whether `x < other`, as bool; false if either is NaN"),
    compare!("le", Le, "whether `x <= other`, as bool; false if either is NaN"),
    compare!("gt", Gt, "whether `x > other`, as bool; false if either is NaN"),
    compare!("ge", Ge, "whether `x >= other`, as bool; false if either is NaN"),
    binary!("and", And, "`x & other`: logical of bools, bitwise of integers"),
    binary!("or", Or, "`x | other`: logical of bools, bitwise of integers"),
    binary!("xor", Xor, "`x ^ other`: logical of bools, bitwise of integers"),
    binary!("shl", Shl, "`x << other`, bits of integers; the distance is taken modulo the width, as in OpenCL C"),
    binary!(
        "shr",
        Shr,
        "`x >> other`, bits of integers, signed ones keep their sign; the distance is taken modulo the width"
    ),
    unary!("not", Not, "`!x`: logical of bools, bitwise of integers"),
    Operation {
        name: "is_nan",
        doc: "whether `x` is NaN, as bool",
        args: &[X],
        build: |b, a| {
            let x = a.tensor(0)?;
            b.compare(CompareOp::Ne, x, x)
        },
    },
    Operation {
        name: "is_finite",
        doc: "whether `x` is neither infinite nor NaN, as bool",
        args: &[X],
        build: |b, a| is_finite(b, a.tensor(0)?),
    },
    Operation {
        name: "select",
        doc: "`then` where the bool tensor is true, else `otherwise`; all three broadcast. What is not chosen has no gradient, \
              even where its derivative is infinite or NaN (PyTorch's `where` gives NaN there)",
        args: &[tensor_arg("condition"), tensor_arg("then"), tensor_arg("otherwise")],
        build: |b, a| b.select(a.tensor(0)?, a.tensor(1)?, a.tensor(2)?),
    },
    Operation {
        name: "cast",
        doc: "the same values as another element type; float to integer truncates toward zero and saturates",
        args: &[X, arg("dtype", ArgKind::DType)],
        build: |b, a| b.cast(a.tensor(0)?, a.dtype(1)?),
    },
    Operation {
        name: "detach",
        doc: "`x` as a constant: no gradient flows through it",
        args: &[X],
        build: |b, a| Ok(b.detach(a.tensor(0)?)),
    },
];

/// `x²`.
pub fn square(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    b.binary(BinaryOp::Mul, x, x)
}

/// `x ^ exponent`. Small constant exponents become products, roots and reciprocals, whose derivatives are defined
/// where that of `pow` is not (`0 ^ 0`, `0 ^ 2`).
pub fn pow(b: &mut Builder, x: NodeId, exponent: NodeId) -> Result<NodeId> {
    let dtype = float(b, "pow", x)?;
    if b.shape(exponent).rank() == 0
        && let Some(constant) = b.uniform(exponent)
    {
        let shape = b.shape(x).clone();
        let power = constant.as_f64();
        if power == 0.0 {
            return Ok(b.full(1.0, &shape, dtype));
        } else if power == 2.0 {
            return square(b, x);
        } else if power == 3.0 {
            let squared = square(b, x)?;
            return b.binary(BinaryOp::Mul, squared, x);
        } else if power == 0.5 {
            return b.unary(UnaryOp::Sqrt, x);
        } else if power == -0.5 {
            return b.unary(UnaryOp::Rsqrt, x);
        } else if power == -1.0 {
            return b.unary(UnaryOp::Recip, x);
        }
    }
    b.binary(BinaryOp::Pow, x, exponent)
}

/// `x` held within `[min, max]`; a bound itself passes no gradient, as in PyTorch.
pub fn clamp(b: &mut Builder, x: NodeId, min: f64, max: f64) -> Result<NodeId> {
    between(b, x, &Value::Number(min), &Value::Number(max))
}

/// [`clamp`] between numbers as they were written.
fn between(b: &mut Builder, x: NodeId, min: &Value, max: &Value) -> Result<NodeId> {
    let known = min.as_number().is_some() && max.as_number().is_some();
    let ordered = match (min, max) {
        (Value::Dim(min), Value::Dim(max)) => min.as_constant() <= max.as_constant(),
        _ => min.as_number() <= max.as_number(),
    };
    if known && !ordered {
        let [min, max] = [min, max].map(|bound| match bound {
            Value::Dim(whole) => whole.to_string(),
            other => other.as_number().unwrap_or(f64::NAN).to_string(),
        });
        return Err(Diagnostic::new(format!("`clamp` expects `min` <= `max`, found {min} and {max}")));
    }
    let dtype = b.dtype(x);
    let (low, high) = (literal(b, "clamp", min, dtype)?, literal(b, "clamp", max, dtype)?);
    let raised = b.binary(BinaryOp::Max, x, low)?;
    b.binary(BinaryOp::Min, raised, high)
}

fn lerp(b: &mut Builder, x: NodeId, other: NodeId, weight: NodeId) -> Result<NodeId> {
    float(b, "lerp", x)?;
    let difference = b.binary(BinaryOp::Sub, other, x)?;
    let step = b.binary(BinaryOp::Mul, weight, difference)?;
    b.binary(BinaryOp::Add, x, step)
}

fn is_finite(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    let dtype = b.dtype(x);
    if !dtype.is_float() {
        let shape = b.shape(x).clone();
        return Ok(b.full(1.0, &shape, crate::dtype::DType::Bool));
    }
    let size = b.unary(UnaryOp::Abs, x)?;
    let infinity = b.constant(f64::INFINITY, dtype);
    b.compare(CompareOp::Lt, size, infinity)
}
