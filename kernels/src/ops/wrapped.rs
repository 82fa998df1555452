//! Positions that go around: the elements at `(t + 1) % T` along an axis, where `t` is a loop's round.

use super::args;
use super::shape::{SURE, has};
use crate::dim::Dim;
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{AxisIndex, CompareOp, NodeId};
use crate::span::{Diagnostic, Result};

/// How often the divisor is looked for in a position.
const FEW: i64 = 8;

/// The elements along `axis`, which disappears, at the remainder of `position` by `by`: no size, as the quotient is not the same
/// everywhere. For each quotient that there may be it is a view of its own, and the position chooses among these: so a loop's
/// gradient is that of the parts which rounds read, as it is for other positions.
///
/// # Errors
///
/// If the position may be negative, or the quotient is one of too many; if the axis may have less than `by` elements.
pub fn get_remainder(b: &mut Builder, x: NodeId, axis: i64, [position, by]: [&Dim; 2]) -> Result<NodeId> {
    let source = b.shape(x).clone();
    let axis = args::axis("get", &source, axis)?;
    let mut shape = source.clone();
    shape.0.remove(axis);
    let below = |b: &Builder, at: &Dim, size: &Dim| !b.may_be_outside_axis(&AxisIndex::fixed(at.clone()), size, &shape);
    let times = |count: i64| by.clone() * Dim::constant(count);
    let Some(quotients) = (1..=FEW).find(|count| below(b, position, &times(*count))) else {
        let (position, by) = (b.in_rounds(position), by);
        return Err(Diagnostic::new(format!(
            "`get` takes position ({position}) % {by} along axis {axis} of {source}, and how often {by} is in {position} is not sure"
        ))
        .hint(format!("the position before `%` is at least 0 and less than {FEW} times {by}, whatever the sizes are: a loop's `t` and up to {}, or `t + {by} - 1` for the one before", FEW - 1)));
    };
    if !below(b, &(by.clone() - Dim::constant(1)), &source[axis]) {
        let has = has(b, x, axis);
        let message = format!("`get` takes positions below {by} along axis {axis} of {source}, which {has}");
        return Err(Diagnostic::new(message).hint(SURE));
    }
    let mut index: Vec<AxisIndex> = (0..source.rank()).map(|a| AxisIndex::axis(a - usize::from(a > axis))).collect();
    let mut at = |b: &mut Builder, quotient: i64| {
        index[axis] = AxisIndex::fixed(position.clone() - times(quotient));
        b.view(x, shape.clone(), index.clone())
    };
    let mut result = at(b, quotients - 1)?;
    for quotient in (0..quotients - 1).rev() {
        let part = at(b, quotient)?;
        let (position, end) = (b.dim(position, DType::I32)?, b.dim(&times(quotient + 1), DType::I32)?);
        let is_there = b.compare(CompareOp::Lt, position, end)?;
        result = b.select(is_there, part, result)?;
    }
    Ok(result)
}
