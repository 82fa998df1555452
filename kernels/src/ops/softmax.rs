//! Softmax along one axis, and its logarithm. Of half precision, only the result is rounded: sums that lie in memory for the
//! gradient are of the type that is computed in.

use super::Operation;
use super::args::{self, AXIS, Args, X, float};
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, NodeId};
use crate::span::Result;

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        name: "softmax",
        doc: "`e^x / sum(e^x)` along `axis`, without overflow",
        args: &[X, AXIS],
        build: |b, a| {
            let (x, axis) = axis_of(b, "softmax", a)?;
            softmax(b, x, axis)
        },
    },
    Operation {
        name: "log_softmax",
        doc: "`x - log(sum(e^x))` along `axis`, without overflow",
        args: &[X, AXIS],
        build: |b, a| {
            let (x, axis) = axis_of(b, "log_softmax", a)?;
            log_softmax(b, x, axis)
        },
    },
];

fn axis_of(b: &Builder, op: &str, a: &[super::Value]) -> Result<(NodeId, usize)> {
    let x = a.tensor(0)?;
    float(b, op, x)?;
    Ok((x, args::axis(op, b.shape(x), a.integer(1)?)?))
}

/// `e^x / sum(e^x)` along `axis`. A row of -inf alone gives NaN, as does a +inf.
pub fn softmax(b: &mut Builder, x: NodeId, axis: usize) -> Result<NodeId> {
    b.softmax(x, axis)
}

/// `x - log(sum(e^x))` along `axis`.
pub fn log_softmax(b: &mut Builder, x: NodeId, axis: usize) -> Result<NodeId> {
    let (shape, dtype) = (b.shape(x).clone(), b.dtype(x));
    let x = b.cast(x, dtype.compute())?;
    let shifted = b.shifted(x, axis)?;
    let log = b.log_of_sum(shifted, axis)?;
    let log = b.spread(log, &shape, &[axis])?;
    let y = b.binary(BinaryOp::Sub, shifted, log)?;
    b.cast(y, dtype)
}
