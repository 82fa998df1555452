//! Choosing elements by number or by mask.

use super::args::{self, AXIS, Args, X, arg, literal, scalar_arg, tensor_arg};
use super::{ArgKind, Operation};
use crate::dim::Dim;
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{CompareOp, NodeId, ReduceOp};
use crate::numeric::matrix;
use crate::span::{Diagnostic, Result};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        name: "gather",
        doc: "rows by number: `x [r, rest..]`, `indices [i..]` (u32 or i32), `-> [i.., rest..]`; \
              a number out of range gives zeros and no gradient",
        args: &[X, tensor_arg("indices")],
        build: |b, a| b.gather(a.tensor(0)?, a.tensor(1)?),
    },
    Operation {
        name: "index_select",
        doc: "the elements at `indices [i]` along `axis`, whose size becomes `i`; as `gather` otherwise",
        args: &[X, AXIS, tensor_arg("indices")],
        build: |b, a| {
            let x = a.tensor(0)?;
            let axis = args::axis("index_select", b.shape(x), a.integer(1)?)?;
            index_select(b, x, axis, a.tensor(2)?)
        },
    },
    Operation {
        name: "embedding_bag",
        doc: "of each row of `indices [n, l]` (u32 or i32) the rows `x [r, d]` that it names as one: their `\"sum\"`, `\"mean\"` or \
              `\"max\"`, as `mode` says; `-> [n, d]`, a number out of range being a row of zeros",
        args: &[X, tensor_arg("indices"), arg("mode", ArgKind::Text)],
        build: |b, a| embedding_bag(b, [a.tensor(0)?, a.tensor(1)?], a.text(2)?),
    },
    Operation {
        name: "one_hot",
        doc: "`[..]` numbers (u32 or i32) as `[.., classes]` f32 rows: 1 at the number, else 0; \
              a number out of range gives a row of zeros",
        args: &[X, arg("classes", ArgKind::Size)],
        build: |b, a| one_hot(b, a.tensor(0)?, &a.size(1)?),
    },
    Operation {
        name: "masked_fill",
        doc: "`value` where the bool `mask` is true, else `x`",
        args: &[X, tensor_arg("mask"), scalar_arg("value")],
        build: |b, a| {
            let x = a.tensor(0)?;
            let dtype = b.dtype(x);
            let value = literal(b, "masked_fill", a.scalar(2)?, dtype)?;
            b.select(a.tensor(1)?, value, x)
        },
    },
    Operation {
        name: "tril",
        doc: "`x [.., m, n]` with zeros above diagonal `diagonal` (0 is the main one, positive is right of it)",
        args: &[X, arg("diagonal", ArgKind::Axis)],
        build: |b, a| triangle(b, "tril", CompareOp::Le, a.tensor(0)?, a.integer(1)?),
    },
    Operation {
        name: "triu",
        doc: "`x [.., m, n]` with zeros below diagonal `diagonal` (0 is the main one, positive is right of it)",
        args: &[X, arg("diagonal", ArgKind::Axis)],
        build: |b, a| triangle(b, "triu", CompareOp::Ge, a.tensor(0)?, a.integer(1)?),
    },
];

pub(super) fn index_select(b: &mut Builder, x: NodeId, axis: usize, indices: NodeId) -> Result<NodeId> {
    if b.shape(indices).rank() != 1 {
        let found = b.shape(indices);
        return Err(Diagnostic::new(format!("`index_select` expects indices with one axis, found {found}")));
    }
    if axis == 0 {
        return b.gather(x, indices);
    }
    let mut order: Vec<usize> = (0..b.shape(x).rank()).collect();
    order.swap(0, axis);
    let rows = b.permute(x, &order)?;
    let chosen = b.gather(rows, indices)?;
    b.permute(chosen, &order)
}

fn embedding_bag(b: &mut Builder, [x, indices]: [NodeId; 2], mode: &str) -> Result<NodeId> {
    let (rows, bags) = (b.shape(x).clone(), b.shape(indices).clone());
    if rows.rank() != 2 || bags.rank() != 2 {
        return Err(Diagnostic::new(format!(
            "`embedding_bag` expects rows [r, d] and indices [n, l], found {rows} and {bags}"
        )));
    }
    let found = b.gather(x, indices)?;
    match mode {
        "sum" => b.reduce(ReduceOp::Sum, found, &[1], false),
        "mean" => b.mean(found, &[1], false),
        "max" => b.reduce(ReduceOp::Max, found, &[1], false),
        _ => Err(Diagnostic::new(format!(
            "`embedding_bag` expects \"sum\", \"mean\" or \"max\" as `mode`, found {mode:?}"
        ))),
    }
}

fn one_hot(b: &mut Builder, labels: NodeId, classes: &Dim) -> Result<NodeId> {
    let dtype = b.dtype(labels);
    if !matches!(dtype, DType::U32 | DType::I32) {
        return Err(Diagnostic::new(format!("`one_hot` expects u32 or i32 numbers, found {dtype}"))
            .hint("classes are whole numbers: `.cast(DType::U32)` in front makes them so"));
    }
    if classes.as_constant().is_some_and(|classes| classes < 1) {
        return Err(Diagnostic::new(format!("`one_hot` expects at least 1 class, found {classes}")));
    }
    let mut shape = b.shape(labels).clone();
    let axis = shape.rank();
    shape.0.push(classes.clone());
    let position = b.iota(&shape, axis, dtype)?;
    let labels = b.spread(labels, &shape, &[axis])?;
    let hit = b.compare(CompareOp::Eq, position, labels)?;
    b.cast(hit, DType::F32)
}

fn triangle(b: &mut Builder, op: &str, side: CompareOp, x: NodeId, diagonal: i64) -> Result<NodeId> {
    let shape = b.shape(x).clone();
    let rank = shape.rank();
    if rank < 2 {
        return Err(Diagnostic::new(format!("`{op}` expects at least 2 axes, found {shape}")));
    }
    matrix::triangle(b, x, side, diagonal)
}
