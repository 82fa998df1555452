//! Matrices `[r, m, n]` in formulas.

use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{AxisIndex, BinaryOp, CompareOp, NodeId, UnaryOp};
use crate::span::Result;

/// The elements of `x [.., m, n]` whose diagonal compares so with `diagonal`, 0 elsewhere.
pub(crate) fn triangle(b: &mut Builder, x: NodeId, side: CompareOp, diagonal: i64) -> Result<NodeId> {
    let shape = b.shape(x).clone();
    let rank = shape.rank();
    let (row, column) = (b.iota(&shape, rank - 2, DType::I32)?, b.iota(&shape, rank - 1, DType::I32)?);
    // The diagonal that an element is on is a difference of positions, which never wraps as `row + diagonal` would. Diagonals
    // beyond `i32` are beyond all elements, as the last ones that it has.
    let own = b.binary(BinaryOp::Sub, column, row)?;
    let limit = b.integer(diagonal.clamp(i32::MIN.into(), i32::MAX.into()), DType::I32)?;
    let kept = b.compare(side, own, limit)?;
    let dtype = b.dtype(x);
    let zero = b.constant(0.0, dtype);
    b.select(kept, x, zero)
}

/// `x [r, n]` as the diagonals of matrices.
pub(crate) fn of_diagonal(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    let mut shape = b.shape(x).clone();
    shape.0.push(shape[1].clone());
    let rows = b.view(x, shape, vec![AxisIndex::axis(0), AxisIndex::axis(1)])?;
    triangle(b, rows, CompareOp::Eq, 0)
}

/// The main diagonals of matrices that are no wider than high.
pub(crate) fn diagonal(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    let mut shape = b.shape(x).clone();
    shape.0.remove(1);
    b.view(x, shape, vec![AxisIndex::axis(0), AxisIndex::axis(1), AxisIndex::axis(1)])
}

/// Ones in place of the diagonal.
pub(crate) fn with_ones(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    let (shape, dtype) = (b.shape(x).clone(), b.dtype(x));
    let one = b.full(1.0, &shape, dtype);
    let ones = triangle(b, one, CompareOp::Eq, 0)?;
    let rest = triangle(b, x, CompareOp::Ne, 0)?;
    b.binary(BinaryOp::Add, rest, ones)
}

/// `a^T b`.
pub(crate) fn transposed_times(b: &mut Builder, a: NodeId, c: NodeId) -> Result<NodeId> {
    let a = b.transpose(a)?;
    b.matmul(a, c)
}

/// `a b^T`.
pub(crate) fn times_transposed(b: &mut Builder, a: NodeId, c: NodeId) -> Result<NodeId> {
    let c = b.transpose(c)?;
    b.matmul(a, c)
}

/// `a / 2`.
pub(crate) fn half(b: &mut Builder, a: NodeId) -> Result<NodeId> {
    let dtype = b.dtype(a);
    let half = b.constant(0.5, dtype);
    b.binary(BinaryOp::Mul, a, half)
}

/// `-a`.
pub(crate) fn minus(b: &mut Builder, a: NodeId) -> Result<NodeId> {
    b.unary(UnaryOp::Neg, a)
}

/// `a + c`, of what there is.
pub(crate) fn plus(b: &mut Builder, a: Option<NodeId>, c: NodeId) -> Result<NodeId> {
    a.map_or(Ok(c), |a| b.binary(BinaryOp::Add, a, c))
}
