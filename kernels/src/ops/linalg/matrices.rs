//! What is decomposed, as matrices `[r, m, n]` of a type that kernels compute in.

use super::super::args::{along, float};
use super::super::scatter::within;
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, NodeId, ReduceOp};
use crate::span::{Diagnostic, Result};

/// How many elements matrices have together, so that 32 bits count them.
const MOST: i64 = 1 << 30;

/// Matrices `[.., m, n]`.
pub(super) struct Matrices {
    /// As `[r, m, n]`.
    pub(super) rows: NodeId,
    /// The axes before the last two.
    pub(super) lead: Vec<Dim>,
    /// The last two.
    pub(super) size: [Dim; 2],
    /// What they were given as.
    dtype: DType,
}

impl Matrices {
    /// Any.
    pub(super) fn of(b: &mut Builder, op: &str, x: NodeId) -> Result<Matrices> {
        let dtype = float(b, op, x)?;
        let shape = b.shape(x).clone();
        let Some(at) = shape.rank().checked_sub(2) else {
            return Err(Diagnostic::new(format!("`{op}` expects a matrix [.., m, n], found {shape}")));
        };
        within(b, op, &shape, MOST)?;
        let (lead, size) = (shape.0[..at].to_vec(), [shape[at].clone(), shape[at + 1].clone()]);
        let count = lead.iter().fold(Dim::constant(1), |all, size| all * size.clone());
        let rows = b.cast(x, dtype.compute())?;
        let rows = b.reshape(rows, Shape(vec![count, size[0].clone(), size[1].clone()]))?;
        Ok(Matrices { rows, lead, size, dtype })
    }

    /// As high as wide.
    pub(super) fn square(b: &mut Builder, op: &str, x: NodeId) -> Result<Matrices> {
        let all = Matrices::of(b, op, x)?;
        if all.size[0] == all.size[1] {
            return Ok(all);
        }
        let found = b.shape(x);
        Err(Diagnostic::new(format!("`{op}` expects square matrices [.., n, n], found {found}")))
    }

    /// Whether there is nothing to compute.
    pub(super) fn is_empty(&self, b: &Builder) -> bool {
        b.shape(self.rows).elements().is(0)
    }

    /// A result for each, `[r, ..]`, as they were given.
    pub(super) fn given(&self, b: &mut Builder, result: NodeId) -> Result<NodeId> {
        let mut shape = self.lead.clone();
        shape.extend_from_slice(&b.shape(result).0[1..]);
        let result = b.reshape(result, Shape(shape))?;
        b.cast(result, self.dtype)
    }

    /// The same of each, of matrices without elements: their gradient has none either, but there is one.
    pub(super) fn filled(&self, b: &mut Builder, value: f64, size: &[Dim]) -> Result<NodeId> {
        let lead = b.full(value, &Shape(self.lead.clone()), self.dtype.compute());
        let nothing = b.reduce(ReduceOp::Sum, self.rows, &[1, 2], false)?;
        let nothing = b.reshape(nothing, Shape(self.lead.clone()))?;
        let all = b.binary(BinaryOp::Add, lead, nothing)?;
        let (shape, axes) =
            (Shape(self.lead.iter().chain(size).cloned().collect()), Vec::from_iter(0..self.lead.len()));
        let all = along(b, all, &shape, &axes)?;
        b.cast(all, self.dtype)
    }

    /// `x` made symmetric: their gradient is, too.
    pub(super) fn symmetric(&self, b: &mut Builder) -> Result<NodeId> {
        let other = b.transpose(self.rows)?;
        let sum = b.binary(BinaryOp::Add, self.rows, other)?;
        crate::numeric::matrix::half(b, sum)
    }
}

/// What solves systems without elements, of that size: zeros, with a gradient in both sides.
pub(super) fn of_nothing(b: &mut Builder, sides: [&Matrices; 2], size: &[Dim]) -> Result<NodeId> {
    let [left, right] = sides.map(|side| side.filled(b, 0.0, size));
    b.binary(BinaryOp::Add, left?, right?)
}

/// Matrices and what stands on the right of them, of one type, as many of each.
pub(super) fn both(b: &mut Builder, op: &str, [left, right]: [NodeId; 2]) -> Result<[NodeId; 2]> {
    let (of_left, of_right) = (float(b, op, left)?, b.dtype(right));
    if of_left != of_right {
        return Err(Diagnostic::new(format!("`{op}` expects tensors of one type, found {of_left} and {of_right}"))
            .hint("convert one of them with `.cast(..)`"));
    }
    let (l, r) = (b.shape(left).clone(), b.shape(right).clone());
    if l.rank() < 2 || r.rank() < 2 || l[l.rank() - 2] != r[r.rank() - 2] {
        return Err(Diagnostic::new(format!("`{op}` expects matrices with as many rows, found {l} and {r}"))
            .hint("what stands on the right has a column for each system: one alone is `b.unsqueeze(-1)`"));
    }
    let [own, other] = [&l, &r].map(|shape| Shape(shape.0[..shape.rank() - 2].to_vec()));
    let lead = b.broadcast_shapes(op, own, other)?;
    let mut wide = |x: NodeId, shape: &Shape| {
        let wide = lead.0.iter().chain(&shape.0[shape.rank() - 2..]).cloned().collect();
        b.broadcast_to(x, &Shape(wide))
    };
    Ok([wide(left, &l)?, wide(right, &r)?])
}
