//! The axis that is ordered, as rows of keys.

use super::super::args::to_last;
use super::super::scatter::within;
use super::kernel;
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::NodeId;
use crate::graph::build::Builder;
use crate::span::Result;

/// Where the elements along `axis` stand when they are in order.
pub(super) fn places(b: &mut Builder, op: &str, x: NodeId, axis: usize, descending: bool) -> Result<NodeId> {
    let shape = b.shape(x).clone();
    within(b, op, &shape, kernel::MOST)?;
    if shape.elements().is(0) || shape[axis].is(1) {
        return b.iota(&shape, axis, DType::I32);
    }
    let keys = keys(b, x)?;
    let (order, back) = to_last(shape.rank(), axis);
    let rows = b.permute(keys, &order)?;
    let moved = b.shape(rows).clone();
    let rows = flat(b, rows)?;
    let places = kernel::sorted_places(b, rows, descending)?;
    let places = b.reshape(places, moved)?;
    b.permute(places, &back)
}

/// What is compared: numbers of a type that kernels compute in, which have no gradient.
pub(super) fn keys(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    let dtype = match b.dtype(x) {
        DType::Bool | DType::U8 => DType::I32,
        other => other.compute(),
    };
    let x = b.detach(x);
    b.cast(x, dtype)
}

/// `[.., n]` as rows `[r, n]`.
pub(super) fn flat(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    let shape = b.shape(x).clone();
    let (leading, last) = shape.0.split_at(shape.rank() - 1);
    let rows = leading.iter().fold(Dim::constant(1), |all, dim| all * dim.clone());
    b.reshape(x, Shape(vec![rows, last[0].clone()]))
}
