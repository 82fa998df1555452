//! Lengths of vectors, and vectors of length 1.

use super::args::{self, AXES, AXIS, Args, OTHER, X, float, number_arg};
use super::reduction::safe_sqrt;
use super::{Operation, arithmetic};
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, CompareOp, NodeId, ReduceOp, UnaryOp};
use crate::span::{Diagnostic, Result};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        name: "norm",
        doc: "`sum(|x|^p)^(1/p)` over `axes`, for `p` infinite the largest `|x|`; where it is 0 the gradient is 0",
        args: &[X, AXES, number_arg("p")],
        build: |b, a| {
            let x = a.tensor(0)?;
            let axes = args::axes("norm", b.shape(x), &a.integers(1)?)?;
            norm(b, x, &axes, a.number(2)?)
        },
    },
    Operation {
        name: "normalize",
        doc: "`x / max(norm(x), 1e-12)` of the vectors along `axis`, by their Euclidean norms",
        args: &[X, AXIS],
        build: |b, a| {
            let x = a.tensor(0)?;
            let axis = args::axis("normalize", b.shape(x), a.integer(1)?)?;
            normalize(b, "normalize", x, axis, 1e-12)
        },
    },
    Operation {
        name: "cosine_similarity",
        doc: "the cosine of the angle between the vectors along `axis`, whose norms count as at least 1e-8",
        args: &[X, OTHER, AXIS],
        build: |b, a| {
            const OP: &str = "cosine_similarity";
            let [x, y] = [a.tensor(0)?, a.tensor(1)?];
            let shape = b.broadcast_shapes(OP, b.shape(x).clone(), b.shape(y).clone())?;
            let axis = args::axis(OP, &shape, a.integer(2)?)?;
            let [x, y] = [b.broadcast_to(x, &shape)?, b.broadcast_to(y, &shape)?];
            let [x, y] = [normalize(b, OP, x, axis, 1e-8)?, normalize(b, OP, y, axis, 1e-8)?];
            let products = b.binary(BinaryOp::Mul, x, y)?;
            b.reduce(ReduceOp::Sum, products, &[axis], false)
        },
    },
];

fn norm(b: &mut Builder, x: NodeId, axes: &[usize], p: f64) -> Result<NodeId> {
    let own = float(b, "norm", x)?;
    if p.is_nan() || p <= 0.0 {
        return Err(Diagnostic::new(format!("`norm` expects a `p` above 0, found {p}"))
            .hint("`x.ne(0.0).cast(DType::F32).sum(..)` counts what is not zero"));
    }
    let x = b.cast(x, own.compute())?;
    let dtype = own.compute();
    let result = if p == 2.0 {
        let squares = b.binary(BinaryOp::Mul, x, x)?;
        let sum = b.reduce(ReduceOp::Sum, squares, axes, false)?;
        safe_sqrt(b, sum)?
    } else {
        let sizes = b.unary(UnaryOp::Abs, x)?;
        if p == 1.0 {
            b.reduce(ReduceOp::Sum, sizes, axes, false)?
        } else if p.is_infinite() {
            let largest = b.reduce(ReduceOp::Max, sizes, axes, false)?;
            // Of no elements it is -inf.
            let zero = b.constant(0.0, dtype);
            b.binary(BinaryOp::Max, largest, zero)?
        } else {
            let (power, root) = (b.constant(p, dtype), b.constant(1.0 / p, dtype));
            let (zero, one) = (b.constant(0.0, dtype), b.constant(1.0, dtype));
            let none = b.compare(CompareOp::Eq, sizes, zero)?;
            let held = b.select(none, one, sizes)?;
            let powers = arithmetic::pow(b, held, power)?;
            let powers = b.select(none, zero, powers)?;
            let sum = b.reduce(ReduceOp::Sum, powers, axes, false)?;
            let none = b.compare(CompareOp::Eq, sum, zero)?;
            let held = b.select(none, one, sum)?;
            let value = arithmetic::pow(b, held, root)?;
            b.select(none, zero, value)?
        }
    };
    b.cast(result, own)
}

/// Vectors along `axis`, divided by their lengths, or by `least` where they are shorter.
fn normalize(b: &mut Builder, op: &str, x: NodeId, axis: usize, least: f64) -> Result<NodeId> {
    let own = float(b, op, x)?;
    let shape = b.shape(x).clone();
    let x = b.cast(x, own.compute())?;
    let length = norm(b, x, &[axis], 2.0)?;
    let least = b.constant(least, own.compute());
    let length = b.binary(BinaryOp::Max, length, least)?;
    let length = b.spread(length, &shape, &[axis])?;
    let unit = b.binary(BinaryOp::Div, x, length)?;
    b.cast(unit, own)
}
