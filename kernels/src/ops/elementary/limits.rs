//! Functions that have their limits where their formulas have none.

use super::Formula;
use crate::graph::{BinaryOp, CompareOp, NodeId, UnaryOp};
use crate::span::Result;
use std::f64::consts::PI;

impl Formula<'_> {
    /// `max(x, y) + log(1 + exp(-|x - y|))`; of infinities that are equal, which have no difference, their mean.
    pub(in crate::ops) fn logaddexp(&mut self, x: NodeId, y: NodeId) -> Result<NodeId> {
        let (equal, endless) = (self.0.compare(CompareOp::Eq, x, y)?, self.is_infinite(x)?);
        let endless = self.0.binary(BinaryOp::And, equal, endless)?;
        let (half, other) = (self.scaled(x, 0.5)?, self.scaled(y, 0.5)?);
        let mean = self.add(half, other)?;
        let first = self.0.compare(CompareOp::Gt, x, y)?;
        let (larger, smaller) = (self.0.select(first, x, y)?, self.0.select(first, y, x)?);
        let difference = self.sub(smaller, larger)?;
        // What is not chosen at the end must have a derivative all the same: 0 times NaN is NaN.
        let none = self.number(0.0, x);
        let difference = self.0.select(endless, none, difference)?;
        let ratio = self.apply(UnaryOp::Exp, difference)?;
        let beyond = self.apply(UnaryOp::Log1p, ratio)?;
        let sum = self.add(larger, beyond)?;
        self.0.select(endless, mean, sum)
    }

    /// `x * log(y)`; 0 where `x` is 0, unless `y` is NaN. At `x` 0 the derivative in `x` is `log(y)` where that is finite, else 0,
    /// and that in `y` is 0: there is a product with a number that holds the place of `y`.
    pub(in crate::ops) fn xlogy(&mut self, x: NodeId, y: NodeId) -> Result<NodeId> {
        let none = self.is(CompareOp::Eq, x, 0.0)?;
        let (least, most) = (self.is(CompareOp::Le, y, 0.0)?, self.is(CompareOp::Eq, y, f64::INFINITY)?);
        let endless = self.0.binary(BinaryOp::Or, least, most)?;
        let nothing = self.0.binary(BinaryOp::And, none, endless)?;
        let one = self.number(1.0, y);
        let held = self.0.select(nothing, one, y)?;
        let log = self.apply(UnaryOp::Log, held)?;
        self.mul(x, log)
    }

    /// `log(x) - log(1 - x)`, the second exact near zero.
    pub(super) fn logit(&mut self, x: NodeId) -> Result<NodeId> {
        let minus = self.apply(UnaryOp::Neg, x)?;
        let (log, other) = (self.apply(UnaryOp::Log, x)?, self.apply(UnaryOp::Log1p, minus)?);
        self.sub(log, other)
    }

    /// `sin(pi x) / (pi x)`; near 0, where the derivatives of that are differences of near numbers, and at 0 none, its series: as
    /// many terms as `f64` has digits for, also of the derivatives.
    pub(super) fn sinc(&mut self, x: NodeId) -> Result<NodeId> {
        const NEAR: f64 = 0.5;
        /// The powers of the squared angle up to this one, in series for angles up to `NEAR`.
        const TERMS: u32 = 8;
        let angle = self.scaled(x, PI)?;
        let size = self.apply(UnaryOp::Abs, angle)?;
        let near = self.is(CompareOp::Lt, size, NEAR)?;
        let (nothing, one) = (self.number(0.0, x), self.number(1.0, x));
        // Each side gets numbers that it has finite derivatives of.
        let (small, large) = (self.0.select(near, angle, nothing)?, self.0.select(near, one, angle)?);
        let sine = self.apply(UnaryOp::Sin, large)?;
        let ratio = self.div(sine, large)?;
        let square = self.mul(small, small)?;
        // 1 - s/(2·3) (1 - s/(4·5) (1 - ..)), from the inside.
        let mut series = one;
        for term in (1..=TERMS).rev() {
            let factor = self.scaled(square, -1.0 / f64::from(2 * term * (2 * term + 1)))?;
            let rest = self.mul(factor, series)?;
            series = self.add(one, rest)?;
        }
        self.0.select(near, series, ratio)
    }
}
