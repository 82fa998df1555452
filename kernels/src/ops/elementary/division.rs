//! Quotients that are whole, and what they leave, of floats and integers.

use super::Formula;
use crate::dtype::DType;
use crate::graph::{BinaryOp, CompareOp, NodeId, UnaryOp};
use crate::span::Result;

impl Formula<'_> {
    fn is_unsigned(&self, x: NodeId) -> bool {
        matches!(self.0.dtype(x), DType::U8 | DType::U32)
    }

    /// The remainder that is not negative.
    pub(super) fn rem_euclid(&mut self, x: NodeId, y: NodeId) -> Result<NodeId> {
        let rest = self.0.binary(BinaryOp::Rem, x, y)?;
        if self.is_unsigned(x) {
            return Ok(rest);
        }
        let negative = self.is(CompareOp::Lt, rest, 0.0)?;
        let size = self.apply(UnaryOp::Abs, y)?;
        let moved = self.0.binary(BinaryOp::Add, rest, size)?;
        self.0.select(negative, moved, rest)
    }

    /// The quotient that leaves it.
    pub(super) fn div_euclid(&mut self, x: NodeId, y: NodeId) -> Result<NodeId> {
        let mut quotient = self.div(x, y)?;
        if self.is_unsigned(x) {
            return Ok(quotient);
        }
        if self.0.dtype(x).is_float() {
            quotient = self.trunc(quotient)?;
        }
        let rest = self.0.binary(BinaryOp::Rem, x, y)?;
        let negative = self.is(CompareOp::Lt, rest, 0.0)?;
        let positive = self.is(CompareOp::Gt, y, 0.0)?;
        let one = self.number(1.0, x);
        let (less, more) = (self.sub(quotient, one)?, self.0.binary(BinaryOp::Add, quotient, one)?);
        let moved = self.0.select(positive, less, more)?;
        self.0.select(negative, moved, quotient)
    }

    /// The remainder with the sign of `y`.
    pub(super) fn remainder(&mut self, x: NodeId, y: NodeId) -> Result<NodeId> {
        let (rest, crossed) = self.crossed(x, y)?;
        let moved = self.add(rest, y)?;
        self.0.select(crossed, moved, rest)
    }

    /// The quotient that leaves it.
    pub(super) fn floor_divide(&mut self, x: NodeId, y: NodeId) -> Result<NodeId> {
        let (rest, crossed) = self.crossed(x, y)?;
        let mut quotient = self.div(x, y)?;
        if self.0.dtype(x).is_float() {
            // A quotient that was rounded up to the next whole number is one too large.
            let exact = self.sub(x, rest)?;
            let exact = self.div(exact, y)?;
            // A division by zero leaves NaN, and is infinite itself.
            let by_zero = self.is(CompareOp::Eq, y, 0.0)?;
            let whole = self.0.select(by_zero, quotient, exact)?;
            quotient = self.apply(UnaryOp::Round, whole)?;
        }
        let one = self.number(1.0, x);
        let less = self.sub(quotient, one)?;
        self.0.select(crossed, less, quotient)
    }

    /// The remainder with the sign of `x`, and whether that is not the sign of `y`.
    fn crossed(&mut self, x: NodeId, y: NodeId) -> Result<(NodeId, NodeId)> {
        let rest = self.0.binary(BinaryOp::Rem, x, y)?;
        let [below, negative] = [rest, y].map(|side| self.is(CompareOp::Lt, side, 0.0));
        let unlike = self.0.binary(BinaryOp::Xor, below?, negative?)?;
        let left = self.is(CompareOp::Ne, rest, 0.0)?;
        Ok((rest, self.0.binary(BinaryOp::And, left, unlike)?))
    }
}
