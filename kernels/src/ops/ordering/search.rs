//! Places of values among sorted elements.

use super::super::scatter::within;
use super::kernel;
use super::rows::{flat, keys};
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::NodeId;
use crate::graph::build::Builder;
use crate::span::{Diagnostic, Result};

/// `sorted [n]` with `values` of any shape, `sorted [.., n]` with `values [.., m]`.
pub(super) fn searchsorted(b: &mut Builder, op: &str, [sorted, values]: [NodeId; 2], right: bool) -> Result<NodeId> {
    let (of, wanted) = (b.shape(sorted).clone(), b.shape(values).clone());
    if of.rank() == 0 {
        return Err(Diagnostic::new(format!("`{op}` expects sorted elements [.., n], found one number")));
    }
    let (dtype, given) = (b.dtype(sorted), b.dtype(values));
    if dtype != given {
        return Err(Diagnostic::new(format!(
            "`{op}` expects values of the sorted elements' type, {dtype}, found {given}"
        ))
        .hint("convert one of them with `.cast(..)`"));
    }
    for shape in [&of, &wanted] {
        within(b, op, shape, kernel::MOST)?;
    }
    if of.rank() > 1 {
        let what = format!("`{op}` in {of} expects values [.., m] with the same leading axes, found {wanted}");
        let agree = |b: &mut Builder, axis: usize| b.agree_along([(sorted, axis), (values, axis)], &what, "and");
        if of.rank() != wanted.rank() || !(0..of.rank() - 1).all(|axis| agree(b, axis)) {
            return Err(Diagnostic::new(what).hint("sorted elements [n] take values of any shape"));
        }
    }
    if of.elements().is(0) || wanted.elements().is(0) {
        return Ok(b.full(0.0, &wanted, DType::I32));
    }
    let (sorted, values) = (keys(b, sorted)?, keys(b, values)?);
    let (sorted, values) = if of.rank() == 1 {
        let one = Dim::constant(1);
        let all = Shape(vec![one.clone(), wanted.elements()]);
        (b.reshape(sorted, Shape(vec![one, of[0].clone()]))?, b.reshape(values, all)?)
    } else {
        (flat(b, sorted)?, flat(b, values)?)
    };
    // Of sizes that agree only when they are known each has a name of its own.
    let rows = b.shape(sorted)[0].clone();
    let columns = wanted.0.last().filter(|_| of.rank() > 1).cloned().unwrap_or_else(|| wanted.elements());
    let values = b.reshape(values, Shape(vec![rows, columns]))?;
    let places = kernel::positions(b, sorted, values, right)?;
    b.reshape(places, wanted)
}

pub(super) fn bucketize(b: &mut Builder, [x, boundaries]: [NodeId; 2], right: bool) -> Result<NodeId> {
    if b.shape(boundaries).rank() != 1 {
        let found = b.shape(boundaries);
        return Err(Diagnostic::new(format!("`bucketize` expects sorted boundaries [n], found {found}"))
            .hint("`searchsorted` takes a row of them for each row of values"));
    }
    searchsorted(b, "bucketize", [boundaries, x], right)
}
