//! What layers that normalise have in common.

use crate::graph::build::Builder;
use crate::graph::{BinaryOp, NodeId, UnaryOp};
use crate::span::Result;

/// `(x - mean) * rsqrt(variance + epsilon)`, all of one shape.
pub(super) fn normalised(
    b: &mut Builder,
    centred: NodeId,
    variance: NodeId,
    epsilon: f64,
    spread: &Spread<'_>,
) -> Result<NodeId> {
    let dtype = b.dtype(variance);
    let epsilon = b.constant(epsilon, dtype);
    let held = b.binary(BinaryOp::Add, variance, epsilon)?;
    // One root for each statistic, spread afterwards.
    let scale = b.unary(UnaryOp::Rsqrt, held)?;
    let scale = spread(b, scale)?;
    b.binary(BinaryOp::Mul, centred, scale)
}

/// Repeats a statistic to the shape of the tensor it belongs to.
type Spread<'a> = dyn Fn(&mut Builder, NodeId) -> Result<NodeId> + 'a;
