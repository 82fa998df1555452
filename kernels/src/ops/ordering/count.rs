//! How many elements there are of each kind.

use super::super::args::float;
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, CompareOp, NodeId};
use crate::span::{Diagnostic, Result};

/// How often each number below `bins` is among the elements of `x`.
pub(super) fn bincount(b: &mut Builder, op: &str, x: NodeId, bins: &Dim) -> Result<NodeId> {
    if !matches!(b.dtype(x), DType::I32 | DType::U32) {
        let found = b.dtype(x);
        return Err(Diagnostic::new(format!("`{op}` expects i32 or u32 numbers, found {found}"))
            .hint("convert them: `.cast(DType::I32)`"));
    }
    if bins.as_constant().is_some_and(|bins| bins < 1) {
        return Err(Diagnostic::new(format!("`{op}` expects at least 1 of `bins`, found {bins}")));
    }
    let all = Shape(vec![b.shape(x).elements()]);
    let into = Shape(vec![bins.clone()]);
    if all.elements().is(0) {
        return Ok(b.full(0.0, &into, DType::I32));
    }
    let numbers = b.reshape(x, all.clone())?;
    let ones = b.full(1.0, &all, DType::I32);
    b.scatter_add(numbers, ones, &into)
}

pub(super) fn histogram(b: &mut Builder, x: NodeId, bins: &Dim, [min, max]: [f64; 2]) -> Result<NodeId> {
    const OP: &str = "histogram";
    let dtype = float(b, OP, x)?.compute();
    if !(min < max && min.is_finite() && max.is_finite()) {
        return Err(Diagnostic::new(format!("`{OP}` expects a `min` below `max`, found {min} and {max}")));
    }
    if bins.as_constant().is_some_and(|bins| bins < 1) {
        return Err(Diagnostic::new(format!("`{OP}` expects at least 1 of `bins`, found {bins}")));
    }
    let x = b.detach(x);
    let x = b.cast(x, dtype)?;
    let number = |b: &mut Builder, value: f64| b.constant(value, dtype);
    let (x, [min, max]) = match nearer(dtype, min, max) {
        None => (x, [min, max]),
        Some(scale) => {
            let by = number(b, scale);
            (b.binary(BinaryOp::Mul, x, by)?, [min * scale, max * scale])
        }
    };
    let (low, high, width) = (number(b, min), number(b, max), number(b, max - min));
    let (from, to) = (b.compare(CompareOp::Ge, x, low)?, b.compare(CompareOp::Le, x, high)?);
    let inside = b.binary(BinaryOp::And, from, to)?;
    let (count, last) = (b.dim(bins, dtype)?, b.dim(&(bins.clone() - Dim::constant(1)), DType::I32)?);
    let distance = b.binary(BinaryOp::Sub, x, low)?;
    let distance = b.binary(BinaryOp::Mul, distance, count)?;
    let bin = b.binary(BinaryOp::Div, distance, width)?;
    let bin = b.cast(bin, DType::I32)?;
    let bin = b.binary(BinaryOp::Min, bin, last)?;
    let nowhere = b.integer(-1, DType::I32)?;
    let bin = b.select(inside, bin, nowhere)?;
    bincount(b, OP, bin, bins)
}

/// The power of two that brings ends whose distance, `bins` times, might be past `dtype`'s numbers, or below them, to about 1; it changes
/// no digit of an element that its bin depends on.
fn nearer(dtype: DType, min: f64, max: f64) -> Option<f64> {
    let exponent = min.abs().max(max.abs()).log2().floor();
    let safe = if dtype == DType::F64 { 512.0 } else { 64.0 };
    // The largest finite power of two of `dtype`, as the scale is multiplied by elements that are 0.
    let largest = if dtype == DType::F64 { 1022.0 } else { 126.0 };
    (exponent.abs() > safe).then(|| (-exponent).min(largest).exp2())
}
