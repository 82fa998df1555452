//! What derivative rules are written in.

use crate::dim::Dim;
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{AxisIndex, BinaryOp, CompareOp, NodeId, UnaryOp};
use crate::span::Result;

/// A gradient in what nothing depends on.
pub(super) fn zeros(builder: &mut Builder, of: NodeId) -> NodeId {
    let (shape, dtype) = (builder.shape(of).clone(), builder.dtype(of));
    builder.full(0.0, &shape, dtype)
}

/// Arithmetic on nodes, short enough to read as formulas.
pub(super) struct Maths<'a>(pub(super) &'a mut Builder);

impl Maths<'_> {
    pub(super) fn add(&mut self, a: NodeId, b: NodeId) -> Result<NodeId> {
        self.0.binary(BinaryOp::Add, a, b)
    }

    pub(super) fn sub(&mut self, a: NodeId, b: NodeId) -> Result<NodeId> {
        self.0.binary(BinaryOp::Sub, a, b)
    }

    pub(super) fn mul(&mut self, a: NodeId, b: NodeId) -> Result<NodeId> {
        self.0.binary(BinaryOp::Mul, a, b)
    }

    pub(super) fn div(&mut self, a: NodeId, b: NodeId) -> Result<NodeId> {
        self.0.binary(BinaryOp::Div, a, b)
    }

    pub(super) fn neg(&mut self, a: NodeId) -> Result<NodeId> {
        self.0.unary(UnaryOp::Neg, a)
    }

    pub(super) fn apply(&mut self, op: UnaryOp, a: NodeId) -> Result<NodeId> {
        self.0.unary(op, a)
    }

    pub(super) fn full_like(&mut self, value: f64, a: NodeId) -> NodeId {
        let (shape, dtype) = (self.0.shape(a).clone(), self.0.dtype(a));
        self.0.full(value, &shape, dtype)
    }

    pub(super) fn scale(&mut self, a: NodeId, by: f64) -> Result<NodeId> {
        let factor = self.full_like(by, a);
        self.mul(a, factor)
    }

    pub(super) fn shift(&mut self, a: NodeId, by: f64) -> Result<NodeId> {
        let summand = self.full_like(by, a);
        self.add(a, summand)
    }

    /// `value`, but 0 where `x` compares so with 0.
    pub(super) fn zero_where(&mut self, op: CompareOp, x: NodeId, value: NodeId) -> Result<NodeId> {
        let (origin, zero) = (self.full_like(0.0, x), self.full_like(0.0, value));
        let flat = self.0.compare(op, x, origin)?;
        self.0.select(flat, zero, value)
    }

    /// A reduction's result repeated along the reduced axes of `x`.
    pub(super) fn spread(&mut self, reduced: NodeId, x: NodeId, axes: &[usize]) -> Result<NodeId> {
        let shape = self.0.shape(x).clone();
        let kept = (0..shape.rank()).filter(|axis| !axes.contains(axis)).map(AxisIndex::axis).collect();
        self.0.view(reduced, shape, kept)
    }

    /// The row-major position of each element of `x` within the reduced axes, `I32`, as `ArgMax` counts.
    pub(super) fn position(&mut self, x: NodeId, axes: &[usize]) -> Result<NodeId> {
        let shape = self.0.shape(x).clone();
        let mut position = self.0.full(0.0, &shape, DType::I32);
        let mut stride = Dim::from(1);
        for &axis in axes.iter().rev() {
            let coordinate = self.0.iota(&shape, axis, DType::I32)?;
            let step = self.0.dim(&stride, DType::I32)?;
            let offset = self.mul(coordinate, step)?;
            position = self.add(position, offset)?;
            stride = stride * shape[axis].clone();
        }
        Ok(position)
    }
}
