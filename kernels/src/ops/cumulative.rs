//! Running sums, products, extremes and logarithms of sums along an axis.
//!
//! An axis is cut into blocks of [`BLOCK`] elements: each element reduces what its block has up to there, and what all blocks
//! before have comes from the same over the blocks' totals. So an element costs a block's length, and a long axis is no chain.

use super::args::{self, AXIS, Args, X};
use super::elementary::Formula;
use super::{Operation, reduction};
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{AxisIndex, BinaryOp, CompareOp, NodeId, Op, ReduceOp};
use crate::span::{Diagnostic, Result};

/// How many elements a block has.
const BLOCK: i64 = 32;
/// How often blocks of blocks are made of an axis whose length is not known: the last are reduced as one.
const LEVELS: usize = 3;

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        name: "cumsum",
        doc: "the sum of the elements up to each along `axis`; of u8 as i32, other integers wrap",
        args: &[X, AXIS],
        build: |b, a| cumulative(b, "cumsum", a, Running::Reduced(ReduceOp::Sum)),
    },
    Operation {
        name: "cumprod",
        doc: "the product of the elements up to each along `axis`; of u8 as i32, other integers wrap",
        args: &[X, AXIS],
        build: |b, a| cumulative(b, "cumprod", a, Running::Reduced(ReduceOp::Prod)),
    },
    Operation {
        name: "cummax",
        doc: "the largest element up to each along `axis`; NaN from the first one on; of equal ones the first has the gradient",
        args: &[X, AXIS],
        build: |b, a| cumulative(b, "cummax", a, Running::Reduced(ReduceOp::Max)),
    },
    Operation {
        name: "cummin",
        doc: "the smallest element up to each along `axis`; NaN from the first one on; of equal ones the first has the gradient",
        args: &[X, AXIS],
        build: |b, a| cumulative(b, "cummin", a, Running::Reduced(ReduceOp::Min)),
    },
    Operation {
        name: "logcumsumexp",
        doc: "`log(sum(e^x))` of the elements up to each along `axis`, without overflow",
        args: &[X, AXIS],
        build: |b, a| cumulative(b, "logcumsumexp", a, Running::LogSumExp),
    },
];

/// What is taken of the elements so far.
#[derive(Clone, Copy)]
enum Running {
    Reduced(ReduceOp),
    LogSumExp,
}

impl Running {
    /// What changes nothing.
    fn neutral(self, b: &mut Builder, dtype: DType) -> NodeId {
        let literal = match self {
            Running::Reduced(op) => op.neutral(dtype),
            Running::LogSumExp => ReduceOp::Max.neutral(dtype),
        };
        b.push(Op::Constant(literal), Shape::scalar(), dtype)
    }

    /// That of the last axis, which disappears.
    fn whole(self, b: &mut Builder, x: NodeId) -> Result<NodeId> {
        let last = b.shape(x).rank() - 1;
        match self {
            Running::Reduced(op) => b.reduce(op, x, &[last], false),
            Running::LogSumExp => reduction::logsumexp(b, x, &[last]),
        }
    }

    /// That of both.
    fn joined(self, b: &mut Builder, before: NodeId, own: NodeId) -> Result<NodeId> {
        match self {
            Running::Reduced(ReduceOp::Sum) => b.binary(BinaryOp::Add, before, own),
            Running::Reduced(ReduceOp::Prod) => b.binary(BinaryOp::Mul, before, own),
            // Of equal ones the first: which is the gradient's, too.
            Running::Reduced(ReduceOp::Max) => first_of(b, before, own, CompareOp::Gt),
            Running::Reduced(_) => first_of(b, before, own, CompareOp::Lt),
            Running::LogSumExp => Formula(b).logaddexp(before, own),
        }
    }
}

/// `own` where it compares so with `before` or is NaN, else `before`.
fn first_of(b: &mut Builder, before: NodeId, own: NodeId, op: CompareOp) -> Result<NodeId> {
    let beyond = b.compare(op, own, before)?;
    let nan = b.compare(CompareOp::Ne, own, own)?;
    let later = b.binary(BinaryOp::Or, beyond, nan)?;
    let known = b.compare(CompareOp::Eq, before, before)?;
    let later = b.binary(BinaryOp::And, later, known)?;
    b.select(later, own, before)
}

fn cumulative(b: &mut Builder, op: &str, a: &[super::Value], running: Running) -> Result<NodeId> {
    let x = a.tensor(0)?;
    let axis = args::axis(op, b.shape(x), a.integer(1)?)?;
    let own = match running {
        Running::LogSumExp => args::float(b, op, x)?,
        Running::Reduced(ReduceOp::Sum | ReduceOp::Prod) if b.dtype(x) == DType::U8 => DType::I32,
        Running::Reduced(_) if b.dtype(x) == DType::Bool => {
            return Err(Diagnostic::new(format!("`{op}` expects numbers, found a bool tensor"))
                .hint("convert it: `.cast(DType::I32)` counts what is true"));
        }
        Running::Reduced(_) => b.dtype(x),
    };
    let (order, back) = args::to_last(b.shape(x).rank(), axis);
    let x = b.cast(x, own.compute())?;
    let rows = b.permute(x, &order)?;
    let result = up_to(b, rows, running, CompareOp::Le, LEVELS)?;
    let result = b.permute(result, &back)?;
    b.cast(result, own)
}

/// For each element of the last axis what is taken of those whose position is `op` its own.
fn up_to(b: &mut Builder, x: NodeId, running: Running, op: CompareOp, levels: usize) -> Result<NodeId> {
    let shape = b.shape(x).clone();
    let (leading, last) = (shape.rank() - 1, &shape[shape.rank() - 1]);
    if levels == 0 || last.as_constant().is_some_and(|size| size <= 2 * BLOCK) {
        return among(b, x, running, op);
    }
    // The last block may be longer than what is left: behind it there is nothing to add it to.
    let blocks = (last.clone() + Dim::constant(BLOCK - 1)).floor_div(BLOCK as u64);
    let mut cut = shape.clone();
    cut.0[leading] = blocks.clone();
    cut.0.push(Dim::constant(BLOCK));
    let mut index: Vec<AxisIndex> = (0..=leading).map(AxisIndex::axis).collect();
    index[leading].terms = vec![(leading, BLOCK), (leading + 1, 1)];
    let cut = b.view(x, cut, index)?;
    let totals = running.whole(b, cut)?;
    let before = up_to(b, totals, running, CompareOp::Lt, levels - 1)?;
    let before = super::shape::unsqueeze(b, before, leading + 1)?;
    let own = among(b, cut, running, op)?;
    let all = running.joined(b, before, own)?;
    let mut flat = shape.clone();
    flat.0[leading] = blocks * Dim::constant(BLOCK);
    let flat = b.reshape(all, flat)?;
    b.view(flat, shape.clone(), (0..shape.rank()).map(AxisIndex::axis).collect())
}

/// The same by one reduction for each element.
fn among(b: &mut Builder, x: NodeId, running: Running, op: CompareOp) -> Result<NodeId> {
    let mut shape = b.shape(x).clone();
    let last = shape.rank() - 1;
    shape.0.push(shape[last].clone());
    let elements: Vec<usize> = (0..last).chain([last + 1]).collect();
    let elements = args::along(b, x, &shape, &elements)?;
    let (position, own) = (b.iota(&shape, last + 1, DType::I32)?, b.iota(&shape, last, DType::I32)?);
    let counted = b.compare(op, position, own)?;
    let nothing = running.neutral(b, b.dtype(x));
    let elements = b.select(counted, elements, nothing)?;
    running.whole(b, elements)
}
