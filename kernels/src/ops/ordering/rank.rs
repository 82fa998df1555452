//! Elements by their rank along an axis.

use super::super::scatter::take;
use super::super::shape::{get, unsqueeze};
use super::rows::places;
use crate::dim::Dim;
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{AxisIndex, BinaryOp, CompareOp, Limit, NodeId, UnaryOp};
use crate::span::{Diagnostic, Result};

/// Where the `k` largest elements along `axis` stand.
pub(super) fn largest(b: &mut Builder, op: &str, x: NodeId, k: &Dim, axis: usize) -> Result<NodeId> {
    fits(b, op, x, k, axis, 0)?;
    let places = places(b, op, x, axis, true)?;
    let mut shape = b.shape(x).clone();
    shape.0[axis] = k.clone();
    let index = (0..shape.rank()).map(AxisIndex::axis).collect();
    b.view(places, shape, index)
}

/// That there are `k` elements along `axis`, and `k` is at least `least`.
fn fits(b: &mut Builder, op: &str, x: NodeId, k: &Dim, axis: usize, least: i64) -> Result<()> {
    let (shape, note) = (b.shape(x).clone(), b.origin_note(x, axis));
    if let Some(k) = k.as_constant().filter(|&k| k < least) {
        return Err(Diagnostic::new(format!("`{op}` expects a `k` of at least {least}, found {k}")));
    }
    let spare = shape[axis].clone() - k.clone();
    match spare.as_constant() {
        Some(spare) if spare < 0 => Err(Diagnostic::new(format!(
            "`{op}` expects a `k` of at most {}, as axis {axis} of {shape} has{note}, found {k}",
            shape[axis]
        ))),
        None if !spare.never_negative() => {
            let words = [format!("`{op}` takes "), format!(" elements along axis {axis} of {shape}{note}, which has")];
            b.limit(Limit { end: k.clone(), size: shape[axis].clone(), words });
            Ok(())
        }
        _ => Ok(()),
    }
}

/// A tensor, and where the elements along an axis stand when they are in order.
pub(super) struct Ranked {
    op: &'static str,
    x: NodeId,
    axis: usize,
    places: NodeId,
}

impl Ranked {
    pub(super) fn of(b: &mut Builder, op: &'static str, x: NodeId, axis: usize) -> Result<Ranked> {
        let shape = b.shape(x);
        if shape[axis].is(0) {
            let problem = format!("`{op}` expects at least one element along axis {axis}, found {shape}");
            return Err(Diagnostic::new(problem).hint("of no elements none is in the middle or at any other place"));
        }
        Ok(Ranked { op, x, axis, places: places(b, op, x, axis, false)? })
    }

    /// The element that `k - 1` others come before.
    pub(super) fn kth(&self, b: &mut Builder, k: &Dim) -> Result<NodeId> {
        fits(b, self.op, self.x, k, self.axis, 1)?;
        let place = self.place(b, &(k.clone() - Dim::constant(1)))?;
        self.element(b, place)
    }

    pub(super) fn median(&self, b: &mut Builder) -> Result<NodeId> {
        let end = self.end(b);
        let middle = self.place(b, &end.clone().floor_div(2))?;
        if !b.dtype(self.x).is_float() {
            return self.element(b, middle);
        }
        let last = self.place(b, &end)?;
        let nan = self.is_nan(b, last)?;
        let place = b.select(nan, last, middle)?;
        self.element(b, place)
    }

    pub(super) fn quantile(&self, b: &mut Builder, q: f64) -> Result<NodeId> {
        if !(0.0..=1.0).contains(&q) {
            return Err(Diagnostic::new(format!("`{}` expects a `q` from 0 to 1, found {q}", self.op))
                .hint("0.5 is the median, 0.25 the first quarter: a percentage is divided by 100"));
        }
        let own = b.dtype(self.x);
        let (dtype, end) = (own.compute(), self.end(b));
        let last = self.place(b, &end)?;
        let nan = self.is_nan(b, last)?;
        let (end, part) = (b.dim(&end, dtype)?, b.constant(q, dtype));
        let rank = b.binary(BinaryOp::Mul, end, part)?;
        // Where NaN are, the last element is one.
        let rank = b.select(nan, end, rank)?;
        let (below, above) = (b.unary(UnaryOp::Floor, rank)?, b.unary(UnaryOp::Ceil, rank)?);
        let weight = b.binary(BinaryOp::Sub, rank, below)?;
        let whole = b.compare(CompareOp::Eq, below, above)?;
        let [below, above] = [below, above].map(|rank| -> Result<NodeId> {
            let rank = b.cast(rank, DType::I32)?;
            let rank = unsqueeze(b, rank, self.axis)?;
            let place = take(b, self.op, self.places, rank, self.axis)?;
            let place = get(b, place, self.axis, &Dim::constant(0))?;
            let element = self.element(b, place)?;
            b.cast(element, dtype)
        });
        let (below, above) = (below?, above?);
        let between = between(b, [below, above], weight)?;
        // Nothing is between an element and itself, even if it is infinite.
        let value = b.select(whole, below, between)?;
        b.cast(value, own)
    }

    /// The rank of the last element.
    fn end(&self, b: &Builder) -> Dim {
        b.shape(self.x)[self.axis].clone() - Dim::constant(1)
    }

    /// Where the element of that rank stands.
    fn place(&self, b: &mut Builder, rank: &Dim) -> Result<NodeId> {
        let mut shape = b.shape(self.x).clone();
        shape.0.remove(self.axis);
        let own = |axis: usize| AxisIndex::axis(axis - usize::from(axis > self.axis));
        let mut index: Vec<AxisIndex> = (0..=shape.rank()).map(own).collect();
        index[self.axis] = AxisIndex::fixed(rank.clone());
        b.view(self.places, shape, index)
    }

    /// The element that stands at `place`.
    fn element(&self, b: &mut Builder, place: NodeId) -> Result<NodeId> {
        let place = unsqueeze(b, place, self.axis)?;
        let element = take(b, self.op, self.x, place, self.axis)?;
        get(b, element, self.axis, &Dim::constant(0))
    }

    fn is_nan(&self, b: &mut Builder, place: NodeId) -> Result<NodeId> {
        let element = self.element(b, place)?;
        b.compare(CompareOp::Ne, element, element)
    }
}

/// What stands between two numbers, so far from the first, as a part of what is between them.
fn between(b: &mut Builder, [below, above]: [NodeId; 2], weight: NodeId) -> Result<NodeId> {
    let dtype = b.dtype(below);
    let difference = b.binary(BinaryOp::Sub, above, below)?;
    let step = b.binary(BinaryOp::Mul, difference, weight)?;
    let near = b.binary(BinaryOp::Add, below, step)?;
    // Between an infinite one and another, or where the difference is larger than all numbers, what is added is a part of each.
    let one = b.constant(1.0, dtype);
    let rest = b.binary(BinaryOp::Sub, one, weight)?;
    let (below, above) = (b.binary(BinaryOp::Mul, below, rest)?, b.binary(BinaryOp::Mul, above, weight)?);
    let far = b.binary(BinaryOp::Add, below, above)?;
    let (size, infinite) = (b.unary(UnaryOp::Abs, difference)?, b.constant(f64::INFINITY, dtype));
    let is_near = b.compare(CompareOp::Lt, size, infinite)?;
    b.select(is_near, near, far)
}
