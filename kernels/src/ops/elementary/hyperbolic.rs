//! Hyperbolic functions and their inverses, composed so that neither they nor their derivatives, which the rules make of these
//! formulas, overflow before the result does or are differences of near numbers.

use super::Formula;
use crate::dtype::DType;
use crate::graph::{CompareOp, NodeId, UnaryOp};
use crate::span::Result;
use std::f64::consts::LN_2;

impl Formula<'_> {
    /// `(e + e / (e + 1)) / 2`, where `e` is `exp(x) - 1`, of the size of `x`, with its sign.
    pub(super) fn sinh(&mut self, x: NodeId) -> Result<NodeId> {
        self.odd(x, |f, size| {
            let (less, ratio) = f.exponential_less_one(size)?;
            let twice = f.add(less, ratio)?;
            let near = f.scaled(twice, 0.5)?;
            f.unless_far(size, near)
        })
    }

    /// `1 + e / 2 * (e / (e + 1))`, where `e` is `exp(x) - 1`, of the size of `x`.
    pub(super) fn cosh(&mut self, x: NodeId) -> Result<NodeId> {
        // By `select`: the derivative of a size at 0, which is 0, would be that of the derivative there, which is 1.
        let (negative, minus) = (self.is(CompareOp::Lt, x, 0.0)?, self.apply(UnaryOp::Neg, x)?);
        let size = self.0.select(negative, minus, x)?;
        let (less, ratio) = self.exponential_less_one(size)?;
        let (half, one) = (self.scaled(less, 0.5)?, self.number(1.0, x));
        let beyond = self.mul(half, ratio)?;
        let near = self.add(one, beyond)?;
        self.unless_far(size, near)
    }

    /// `e = exp(x) - 1` and `e / (e + 1)`, which is `1 - exp(-x)`, of `x` that is not negative.
    fn exponential_less_one(&mut self, x: NodeId) -> Result<(NodeId, NodeId)> {
        let (less, one) = (self.apply(UnaryOp::Expm1, x)?, self.number(1.0, x));
        let power = self.add(less, one)?;
        Ok((less, self.div(less, power)?))
    }

    /// `near`; from where `exp(-x)` does not count any more, `exp(x) / 2`. That is `exp(x - c)` times a number: it reaches as far
    /// as the result does, as does its derivative, where `exp(x)` would overflow. `x - c` is exact up to `2 c`, and beyond that
    /// the result is infinite.
    fn unless_far(&mut self, x: NodeId, near: NodeId) -> Result<NodeId> {
        let start: f64 = match self.0.dtype(x) {
            DType::F64 => 512.0,
            DType::F16 => 8.0,
            _ => 64.0,
        };
        let c = self.number(start, x);
        let rest = self.sub(x, c)?;
        let power = self.apply(UnaryOp::Exp, rest)?;
        let far = self.scaled(power, start.exp() / 2.0)?;
        let is_near = self.0.compare(CompareOp::Lt, x, c)?;
        self.0.select(is_near, near, far)
    }

    /// `log(x + sqrt(x² + 1))` of the size of `x`, where nothing cancels, with the sign of `x`.
    pub(super) fn asinh(&mut self, x: NodeId) -> Result<NodeId> {
        self.odd(x, |f, size| {
            let square = f.mul(size, size)?;
            let one = f.number(1.0, size);
            let beyond = f.add(square, one)?;
            let root = f.apply(UnaryOp::Sqrt, beyond)?;
            let below = f.add(root, one)?;
            // As a product, which keeps the sign of a zero.
            let ratio = f.div(size, below)?;
            let factor = f.add(one, ratio)?;
            let excess = f.mul(size, factor)?;
            f.log1p_or_far(excess, size)
        })
    }

    /// `log(x + sqrt(x² - 1))`; NaN below 1.
    pub(super) fn acosh(&mut self, x: NodeId) -> Result<NodeId> {
        let (one, two) = (self.number(1.0, x), self.number(2.0, x));
        let beyond = self.sub(x, one)?;
        let sum = self.add(beyond, two)?;
        let (less, more) = (self.apply(UnaryOp::Sqrt, beyond)?, self.apply(UnaryOp::Sqrt, sum)?);
        let root = self.mul(less, more)?;
        let excess = self.add(beyond, root)?;
        self.log1p_or_far(excess, x)
    }

    /// `(log(1 + x) - log(1 - x)) / 2` of the size of `x`, with its sign; NaN beyond 1. The two have unlike signs: nothing
    /// cancels.
    pub(super) fn atanh(&mut self, x: NodeId) -> Result<NodeId> {
        self.odd(x, |f, size| {
            let minus = f.apply(UnaryOp::Neg, size)?;
            let (more, less) = (f.apply(UnaryOp::Log1p, size)?, f.apply(UnaryOp::Log1p, minus)?);
            let twice = f.sub(more, less)?;
            f.scaled(twice, 0.5)
        })
    }

    /// `log(1 + excess)`; where `x` is so large that its square and 1 differ in nothing, `log(2 x)`, which does not overflow.
    fn log1p_or_far(&mut self, excess: NodeId, x: NodeId) -> Result<NodeId> {
        let near = self.apply(UnaryOp::Log1p, excess)?;
        let (log, two) = (self.apply(UnaryOp::Log, x)?, self.number(LN_2, x));
        let far = self.add(log, two)?;
        let start = if self.0.dtype(x) == DType::F16 { 1 << 6 } else { 1 << 28 };
        let large = self.is(CompareOp::Gt, x, f64::from(start))?;
        self.0.select(large, far, near)
    }

    /// A function that changes its sign with its operand, of what it is above zero. Zeros are among that: there it has the formula's
    /// derivatives, of any order, and zeros of either sign stay as they are if the formula keeps them.
    fn odd(&mut self, x: NodeId, of_size: impl FnOnce(&mut Self, NodeId) -> Result<NodeId>) -> Result<NodeId> {
        let (negative, minus) = (self.is(CompareOp::Lt, x, 0.0)?, self.apply(UnaryOp::Neg, x)?);
        let size = self.0.select(negative, minus, x)?;
        let value = of_size(self, size)?;
        let minus = self.apply(UnaryOp::Neg, value)?;
        self.0.select(negative, minus, value)
    }
}
