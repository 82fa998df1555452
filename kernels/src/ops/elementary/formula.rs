//! Formulas of single elements as nodes.

use crate::graph::build::Builder;
use crate::graph::{BinaryOp, CompareOp, NodeId, UnaryOp};
use crate::span::Result;

/// Arithmetic on nodes, short enough to read as formulas. Operands broadcast.
pub struct Formula<'b>(pub &'b mut Builder);

#[allow(clippy::missing_errors_doc, reason = "as all operations: written once, at the table")]
impl Formula<'_> {
    /// A number of the type of `like`.
    pub fn number(&mut self, value: f64, like: NodeId) -> NodeId {
        let dtype = self.0.dtype(like);
        self.0.constant(value, dtype)
    }

    /// A function of one operand.
    pub fn apply(&mut self, op: UnaryOp, x: NodeId) -> Result<NodeId> {
        self.0.unary(op, x)
    }

    /// `a + b`.
    pub fn add(&mut self, a: NodeId, b: NodeId) -> Result<NodeId> {
        self.0.binary(BinaryOp::Add, a, b)
    }

    /// `a - b`.
    pub fn sub(&mut self, a: NodeId, b: NodeId) -> Result<NodeId> {
        self.0.binary(BinaryOp::Sub, a, b)
    }

    /// `a * b`.
    pub fn mul(&mut self, a: NodeId, b: NodeId) -> Result<NodeId> {
        self.0.binary(BinaryOp::Mul, a, b)
    }

    /// `a / b`.
    pub fn div(&mut self, a: NodeId, b: NodeId) -> Result<NodeId> {
        self.0.binary(BinaryOp::Div, a, b)
    }

    /// `x` times a number.
    pub fn scaled(&mut self, x: NodeId, by: f64) -> Result<NodeId> {
        let by = self.number(by, x);
        self.mul(x, by)
    }

    /// Whether `x` compares so with a number.
    pub(crate) fn is(&mut self, op: CompareOp, x: NodeId, than: f64) -> Result<NodeId> {
        let than = self.number(than, x);
        self.0.compare(op, x, than)
    }

    /// The whole number next to `x` on the way to zero.
    pub(super) fn trunc(&mut self, x: NodeId) -> Result<NodeId> {
        let negative = self.is(CompareOp::Lt, x, 0.0)?;
        let (up, down) = (self.apply(UnaryOp::Ceil, x)?, self.apply(UnaryOp::Floor, x)?);
        self.0.select(negative, up, down)
    }

    /// `sqrt(1 - x²)`, without a difference of near numbers, and with a derivative at both ends.
    pub(super) fn other_leg(&mut self, x: NodeId) -> Result<NodeId> {
        let one = self.number(1.0, x);
        let (less, more) = (self.sub(one, x)?, self.0.binary(BinaryOp::Add, one, x)?);
        let (less, more) = (self.apply(UnaryOp::Sqrt, less)?, self.apply(UnaryOp::Sqrt, more)?);
        self.mul(less, more)
    }

    /// The power `1/3`, and one step of Newton's, because a third is no float.
    pub(super) fn cbrt(&mut self, x: NodeId) -> Result<NodeId> {
        let size = self.apply(UnaryOp::Abs, x)?;
        let third = self.number(1.0 / 3.0, x);
        let root = self.0.binary(BinaryOp::Pow, size, third)?;
        let square = self.mul(root, root)?;
        let other = self.div(size, square)?;
        let excess = self.sub(root, other)?;
        let excess = self.scaled(excess, 1.0 / 3.0)?;
        let better = self.sub(root, excess)?;
        let (none, endless) = (self.is(CompareOp::Eq, size, 0.0)?, self.is(CompareOp::Eq, size, f64::INFINITY)?);
        let exact = self.0.binary(BinaryOp::Or, none, endless)?;
        let root = self.0.select(exact, root, better)?;
        self.copysign(root, x)
    }

    /// The length of `(x, y)`: by the larger of the two, so that no square overflows. Infinite where either is, whatever the
    /// other is.
    pub(super) fn hypot(&mut self, x: NodeId, y: NodeId) -> Result<NodeId> {
        let (a, b) = (self.apply(UnaryOp::Abs, x)?, self.apply(UnaryOp::Abs, y)?);
        let largest = self.0.binary(BinaryOp::Max, a, b)?;
        let scale = self.0.detach(largest);
        let [far, off] = [a, b].map(|side| self.is(CompareOp::Eq, side, f64::INFINITY));
        let endless = self.0.binary(BinaryOp::Or, far?, off?)?;
        let none = self.is(CompareOp::Eq, scale, 0.0)?;
        let (u, v) = (self.div(x, scale)?, self.div(y, scale)?);
        let (u, v) = (self.mul(u, u)?, self.mul(v, v)?);
        let square = self.0.binary(BinaryOp::Add, u, v)?;
        let root = self.apply(UnaryOp::Sqrt, square)?;
        let length = self.mul(root, scale)?;
        let length = self.0.select(none, scale, length)?;
        let infinity = self.number(f64::INFINITY, x);
        self.0.select(endless, infinity, length)
    }

    /// The size of `x` with the sign that `y` is written with; that of NaN is taken to be positive.
    pub(super) fn copysign(&mut self, x: NodeId, y: NodeId) -> Result<NodeId> {
        let negative = self.is_negative(y)?;
        let size = self.apply(UnaryOp::Abs, x)?;
        let minus = self.apply(UnaryOp::Neg, size)?;
        self.0.select(negative, minus, size)
    }

    pub(super) fn is_infinite(&mut self, x: NodeId) -> Result<NodeId> {
        let size = self.apply(UnaryOp::Abs, x)?;
        self.is(CompareOp::Eq, size, f64::INFINITY)
    }

    /// Whether `x` is below zero or -0, which its reciprocal alone tells from 0.
    pub(super) fn is_negative(&mut self, x: NodeId) -> Result<NodeId> {
        let inverse = self.apply(UnaryOp::Recip, x)?;
        let (turned, below) = (self.is(CompareOp::Lt, inverse, 0.0)?, self.is(CompareOp::Lt, x, 0.0)?);
        self.0.binary(BinaryOp::Or, below, turned)
    }

    /// Rust's `clamp`; where `low` is above `high`, it is `high`.
    pub fn clamp(&mut self, x: NodeId, low: NodeId, high: NodeId) -> Result<NodeId> {
        let below = self.0.compare(CompareOp::Lt, x, low)?;
        let x = self.0.select(below, low, x)?;
        let above = self.0.compare(CompareOp::Gt, x, high)?;
        self.0.select(above, high, x)
    }
}
