//! Functions that have their limits where their formulas have none.

use super::Formula;
use crate::graph::{BinaryOp, CompareOp, NodeId, UnaryOp};
use crate::span::Result;
use std::f64::consts::{LN_2, PI};

impl Formula<'_> {
    /// `max(x, y) + log(1 + exp(-|x - y|))`; of two that are equal, infinities among them, their mean and `log 2`.
    pub(in crate::ops) fn logaddexp(&mut self, x: NodeId, y: NodeId) -> Result<NodeId> {
        let equal = self.0.compare(CompareOp::Eq, x, y)?;
        let sum = self.add(x, y)?;
        let mean = self.scaled(sum, 0.5)?;
        let two = self.number(LN_2, x);
        let twice = self.add(mean, two)?;
        let first = self.0.compare(CompareOp::Gt, x, y)?;
        let (larger, smaller) = (self.0.select(first, x, y)?, self.0.select(first, y, x)?);
        let difference = self.sub(smaller, larger)?;
        let ratio = self.apply(UnaryOp::Exp, difference)?;
        let beyond = self.apply(UnaryOp::Log1p, ratio)?;
        let apart = self.add(larger, beyond)?;
        self.0.select(equal, twice, apart)
    }

    /// `x * log(y)`; 0 where `x` is 0, unless `y` is NaN.
    pub(in crate::ops) fn xlogy(&mut self, x: NodeId, y: NodeId) -> Result<NodeId> {
        let (zero, log) = (self.is(CompareOp::Eq, x, 0.0)?, self.apply(UnaryOp::Log, y)?);
        let product = self.mul(x, log)?;
        let number = self.0.compare(CompareOp::Eq, y, y)?;
        let none = self.0.binary(BinaryOp::And, zero, number)?;
        let nothing = self.number(0.0, x);
        self.0.select(none, nothing, product)
    }

    /// `log(x) - log(1 - x)`, the second exact near zero.
    pub(super) fn logit(&mut self, x: NodeId) -> Result<NodeId> {
        let minus = self.apply(UnaryOp::Neg, x)?;
        let (log, other) = (self.apply(UnaryOp::Log, x)?, self.apply(UnaryOp::Log1p, minus)?);
        self.sub(log, other)
    }

    /// `sin(pi x) / (pi x)`; near 0, where that has no derivatives, `1 - (pi x)²/6 + (pi x)⁴/120`.
    pub(super) fn sinc(&mut self, x: NodeId) -> Result<NodeId> {
        let angle = self.scaled(x, PI)?;
        let sine = self.apply(UnaryOp::Sin, angle)?;
        let ratio = self.div(sine, angle)?;
        let square = self.mul(angle, angle)?;
        let (sixth, twentieth, one) = (self.number(-1.0 / 6.0, x), self.number(1.0 / 120.0, x), self.number(1.0, x));
        let rest = self.mul(square, twentieth)?;
        let rest = self.add(rest, sixth)?;
        let rest = self.mul(square, rest)?;
        let series = self.add(one, rest)?;
        let size = self.apply(UnaryOp::Abs, angle)?;
        let near = self.is(CompareOp::Lt, size, 0.03)?;
        self.0.select(near, series, ratio)
    }
}
