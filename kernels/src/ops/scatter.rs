//! Elements at positions along an axis that a tensor names, taken and added to.

use super::Operation;
use super::args::{self, AXIS, Args, X, tensor_arg};
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, CompareOp, Limit, NodeId};
use crate::span::{Diagnostic, Result};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        name: "take_along_axis",
        doc: "the elements `x[.., indices[.., i, ..], ..]` along `axis`, of indices (u32 or i32) with the other axes of `x`: PyTorch's \
              `gather`; a number out of range gives zero and no gradient",
        args: &[X, tensor_arg("indices"), AXIS],
        build: |b, a| {
            let (x, indices) = (a.tensor(0)?, a.tensor(1)?);
            let axis = args::axis("take_along_axis", b.shape(x), a.integer(2)?)?;
            take(b, "take_along_axis", x, indices, axis)
        },
    },
    Operation {
        name: "scatter_add",
        doc: "`x` with each element of `source` added at position `indices[.., i, ..]` along `axis`, indices (u32 or i32) with the other \
              axes of `x`; what is out of range is left out",
        args: &[X, AXIS, tensor_arg("indices"), tensor_arg("source")],
        build: |b, a| {
            const OP: &str = "scatter_add";
            let [x, indices, source] = [a.tensor(0)?, a.tensor(2)?, a.tensor(3)?];
            let axis = args::axis(OP, b.shape(x), a.integer(1)?)?;
            let places = places(b, OP, x, indices, axis)?;
            let what = format!("`{OP}` expects a source of its indices' shape, found {}", b.shape(source));
            if !b.agree_everywhere([indices, source], &what) {
                return Err(Diagnostic::new(format!("{what} for {}", b.shape(indices))));
            }
            let shape = b.shape(x).clone();
            let count = b.shape(places).elements();
            let places = b.reshape(places, Shape(vec![count.clone()]))?;
            added(b, OP, x, |b| {
                let source = b.reshape(source, Shape(vec![count]))?;
                let sum = b.scatter_add(places, source, &Shape(vec![shape.elements()]))?;
                b.reshape(sum, shape)
            })
        },
    },
    Operation {
        name: "index_add",
        doc: "`x` with the parts of `source` along `axis` added at positions `indices [i]` (u32 or i32); what is out of range is left out",
        args: &[X, AXIS, tensor_arg("indices"), tensor_arg("source")],
        build: |b, a| {
            const OP: &str = "index_add";
            let [x, indices, source] = [a.tensor(0)?, a.tensor(2)?, a.tensor(3)?];
            let axis = args::axis(OP, b.shape(x), a.integer(1)?)?;
            index_type(b, OP, indices)?;
            let mut expected = b.shape(x).clone();
            let [count] = b.shape(indices).0.as_slice() else {
                let found = b.shape(indices);
                return Err(Diagnostic::new(format!("`{OP}` expects indices with one axis, found {found}")));
            };
            expected.0[axis] = count.clone();
            if *b.shape(source) != expected {
                let found = b.shape(source);
                return Err(Diagnostic::new(format!("`{OP}` expects a source {expected}, found {found}")));
            }
            let mut order: Vec<usize> = (0..expected.rank()).collect();
            order.swap(0, axis);
            added(b, OP, x, |b| {
                let rows = b.permute(source, &order)?;
                let shape = b.shape(x).clone();
                let into = Shape(order.iter().map(|&axis| shape[axis].clone()).collect());
                let sum = b.scatter_add(indices, rows, &into)?;
                b.permute(sum, &order)
            })
        },
    },
];

/// The elements of `x` at `indices` along `axis`.
pub(super) fn take(b: &mut Builder, op: &str, x: NodeId, indices: NodeId, axis: usize) -> Result<NodeId> {
    let places = places(b, op, x, indices, axis)?;
    let elements = b.shape(x).elements();
    let flat = b.reshape(x, Shape(vec![elements]))?;
    b.gather(flat, places)
}

/// `x` and what is added, numbers of one type.
fn added(b: &mut Builder, op: &str, x: NodeId, sum: impl FnOnce(&mut Builder) -> Result<NodeId>) -> Result<NodeId> {
    if b.dtype(x) == DType::Bool {
        return Err(Diagnostic::new(format!("`{op}` expects numbers, found a bool tensor"))
            .hint("convert it: `.cast(DType::I32)` counts what is true"));
    }
    let sum = sum(b)?;
    b.binary(BinaryOp::Add, x, sum)
}

fn index_type(b: &Builder, op: &str, indices: NodeId) -> Result<()> {
    match b.dtype(indices) {
        DType::I32 | DType::U32 => Ok(()),
        found => Err(Diagnostic::new(format!("`{op}` expects i32 or u32 indices, found {found}"))
            .hint("convert them: `.cast(DType::I32)`, in a kernel `as i32`")),
    }
}

/// That a tensor of that shape has no more elements than `most`.
pub(super) fn within(b: &mut Builder, op: &str, shape: &Shape, most: i64) -> Result<()> {
    let end = shape.elements();
    match end.as_constant() {
        Some(count) if count <= most => {}
        Some(count) => {
            return Err(Diagnostic::new(format!("`{op}` counts up to {most} elements, {shape} has {count}")));
        }
        None => {
            let words = [format!("`{op}` is of "), format!(" elements of {shape}, and counts up to")];
            b.limit(Limit { end, size: Dim::constant(most), words });
        }
    }
    Ok(())
}

/// Where in the elements of `x` each of the indices along `axis` points; -1 where that is nowhere.
fn places(b: &mut Builder, op: &str, x: NodeId, indices: NodeId, axis: usize) -> Result<NodeId> {
    index_type(b, op, indices)?;
    let (source, shape) = (b.shape(x).clone(), b.shape(indices).clone());
    let what = format!("`{op}` along axis {axis} of {source} expects indices with its other axes, found {shape}");
    let agree = |b: &mut Builder, own: usize| own == axis || b.agree_along([(x, own), (indices, own)], &what, "and");
    if shape.rank() != source.rank() || !(0..shape.rank()).all(|own| agree(b, own)) {
        let fewer = shape.rank() + 1 == source.rank();
        let error = Diagnostic::new(what);
        return Err(match fewer {
            true => error.hint(format!(
                "indices with an axis of one element there, `.unsqueeze({axis})`, take one element along it"
            )),
            false => error,
        });
    }
    // 32 bits count the elements.
    within(b, op, &source, i32::MAX.into())?;
    let indices = b.cast(indices, DType::I32)?;
    let (none, size) = (b.integer(0, DType::I32)?, b.dim(&source[axis], DType::I32)?);
    let (from, to) = (b.compare(CompareOp::Ge, indices, none)?, b.compare(CompareOp::Lt, indices, size)?);
    let inside = b.binary(BinaryOp::And, from, to)?;
    let mut place = none;
    for (own, stride) in source.strides().iter().enumerate() {
        let position = if own == axis { indices } else { b.iota(&shape, own, DType::I32)? };
        let stride = b.dim(stride, DType::I32)?;
        let part = b.binary(BinaryOp::Mul, position, stride)?;
        place = b.binary(BinaryOp::Add, place, part)?;
    }
    let outside = b.integer(-1, DType::I32)?;
    b.select(inside, place, outside)
}
