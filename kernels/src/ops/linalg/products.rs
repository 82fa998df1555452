//! Products of vectors and matrices that are composed.

use super::super::args;
use super::super::rearrange::roll;
use super::super::shape::unsqueeze;
use crate::dim::Shape;
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, NodeId};
use crate::span::{Diagnostic, Result};

pub(super) fn cross(b: &mut Builder, [x, other]: [NodeId; 2], axis: i64) -> Result<NodeId> {
    const OP: &str = "cross";
    let shape = b.broadcast_shapes(OP, b.shape(x).clone(), b.shape(other).clone())?;
    let axis = args::axis(OP, &shape, axis)?;
    if !shape[axis].is(3) {
        return Err(Diagnostic::new(format!("`{OP}` expects three elements along axis {axis}, found {shape}")));
    }
    let (x, other) = (b.broadcast_to(x, &shape)?, b.broadcast_to(other, &shape)?);
    // x[k + 1] y[k + 2] - x[k + 2] y[k + 1], around the end.
    let mut turned = |x: NodeId, by: i64| roll(b, x, -by, axis);
    let [first, second] = [turned(x, 1)?, turned(x, 2)?];
    let [third, fourth] = [turned(other, 2)?, turned(other, 1)?];
    let (left, right) = (b.binary(BinaryOp::Mul, first, third)?, b.binary(BinaryOp::Mul, second, fourth)?);
    b.binary(BinaryOp::Sub, left, right)
}

pub(super) fn kron(b: &mut Builder, x: NodeId, other: NodeId) -> Result<NodeId> {
    let rank = b.shape(x).rank().max(b.shape(other).rank());
    // An axis of both is the product of one of each, the first outside.
    let mut spread = |mut x: NodeId, inside: bool| -> Result<(NodeId, Shape)> {
        while b.shape(x).rank() < rank {
            x = unsqueeze(b, x, 0)?;
        }
        let shape = b.shape(x).clone();
        for axis in (0..rank).rev() {
            x = unsqueeze(b, x, axis + usize::from(!inside))?;
        }
        Ok((x, shape))
    };
    let ((x, outer), (other, inner)) = (spread(x, false)?, spread(other, true)?);
    let product = b.binary(BinaryOp::Mul, x, other)?;
    let sizes = outer.0.into_iter().zip(inner.0).map(|(outer, inner)| outer * inner);
    b.reshape(product, Shape(sizes.collect()))
}
