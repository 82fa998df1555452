//! Places along an axis that are numbers of each call: `x.get(1, k)`, `x.narrow(1, k, 2)` and `x.roll(k, 1)`, where `k` is a `u32` or
//! an `i32` without axes.

use super::args;
use super::index::index_select;
use super::shape::{squeeze, unsqueeze};
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, CompareOp, NodeId};
use crate::span::{Diagnostic, Result};

/// The elements of `x` at the number `at` along `axis`, which disappears; a number out of range gives zeros and no gradient.
///
/// # Errors
///
/// If `x` has no such axis, or `at` is no such number.
pub fn get_numbered(b: &mut Builder, x: NodeId, axis: i64, at: NodeId) -> Result<NodeId> {
    let shape = b.shape(x).clone();
    let axis = args::axis("get", &shape, axis)?;
    is_number(b, at, &format!("`get` expects a position of u32 or i32 along axis {axis} of {shape}"))?;
    numbered(b, x, axis, at)
}

/// The elements `start..start + length` along `axis`; where that is out of range, zeros and no gradient.
///
/// # Errors
///
/// If `x` has no such axis, or `start` is no such number.
pub fn narrow_numbered(b: &mut Builder, x: NodeId, axis: i64, start: NodeId, length: &Dim) -> Result<NodeId> {
    let shape = b.shape(x).clone();
    let axis = args::axis("narrow", &shape, axis)?;
    let dtype = is_number(b, start, &format!("`narrow` expects a start of u32 or i32 along axis {axis} of {shape}"))?;
    if let (Some(length), Some(size)) = (length.as_constant(), shape[axis].as_constant())
        && !(0..=size).contains(&length)
    {
        let message = format!("`narrow` takes {length} elements along axis {axis} of {shape}, which has {size}");
        return Err(Diagnostic::new(message).hint(format!("take up to {size} elements")));
    }
    // What begins behind the last element or ends in front of the first one has none: its numbers must not go around.
    let last = b.dim(&shape[axis], dtype)?;
    let mut start = b.binary(BinaryOp::Min, start, last)?;
    if dtype == DType::I32 {
        let first = b.dim(&(Dim::constant(0) - length.clone()), dtype)?;
        start = b.binary(BinaryOp::Max, start, first)?;
    }
    let line = Shape(vec![length.clone()]);
    let (places, start) = (b.iota(&line, 0, dtype)?, b.broadcast_to(start, &line)?);
    let indices = b.binary(BinaryOp::Add, places, start)?;
    index_select(b, x, axis, indices)
}

/// The elements moved by `shift` places along `axis`, to higher positions if positive; those that leave one end enter at the other.
///
/// # Errors
///
/// If `x` has no such axis, or `shift` is no such number.
pub fn roll_numbered(b: &mut Builder, x: NodeId, shift: NodeId, axis: i64) -> Result<NodeId> {
    let shape = b.shape(x).clone();
    let axis = args::axis("roll", &shape, axis)?;
    let dtype = is_number(b, shift, &format!("`roll` expects a shift of u32 or i32 along axis {axis} of {shape}"))?;
    if shape[axis].is(0) {
        return Ok(x);
    }
    let size = b.dim(&shape[axis], dtype)?;
    let mut rest = b.binary(BinaryOp::Rem, shift, size)?;
    if dtype == DType::I32 {
        rest = around(b, rest, size)?;
    }
    let rest = b.cast(rest, DType::I32)?;
    let line = Shape(vec![shape[axis].clone()]);
    let size = b.dim(&shape[axis], DType::I32)?;
    let [rest, size] = [b.broadcast_to(rest, &line)?, b.broadcast_to(size, &line)?];
    let places = b.iota(&line, 0, DType::I32)?;
    let places = b.binary(BinaryOp::Sub, places, rest)?;
    let indices = around(b, places, size)?;
    index_select(b, x, axis, indices)
}

/// The number, and `size` more where it is negative.
fn around(b: &mut Builder, number: NodeId, size: NodeId) -> Result<NodeId> {
    let shape = b.shape(number).clone();
    let zero = b.integer(0, DType::I32)?;
    let zero = b.broadcast_to(zero, &shape)?;
    let is_negative = b.compare(CompareOp::Lt, number, zero)?;
    let more = b.binary(BinaryOp::Add, number, size)?;
    b.select(is_negative, more, number)
}

/// The type of a number that can be a place; `expects` says what is wanted.
fn is_number(b: &Builder, at: NodeId, expects: &str) -> Result<DType> {
    match b.dtype(at) {
        dtype @ (DType::U32 | DType::I32) => Ok(dtype),
        dtype => Err(Diagnostic::new(format!("{expects}, found {dtype}"))
            .hint("make it a `u32` argument, or convert it with `.cast(DType::U32)`")),
    }
}

pub(super) fn numbered(b: &mut Builder, x: NodeId, axis: usize, at: NodeId) -> Result<NodeId> {
    let numbers = unsqueeze(b, at, 0)?;
    let part = index_select(b, x, axis, numbers)?;
    squeeze(b, part, axis as i64)
}
