//! Elements in order: sorted, the largest, the middle ones, and places among sorted ones.
//!
//! What is computed of the elements is where they stand in order, as whole numbers; the elements themselves are taken at those
//! places, so that gradients are those of taking.

mod count;
mod kernel;
mod rank;
mod rows;
mod search;

use super::args::{self, AXIS, Args, X, arg, float, number_arg, tensor_arg};
use super::scatter::take;
use super::{ArgKind, Operation, Value};
use crate::graph::NodeId;
use crate::graph::build::Builder;
use crate::span::Result;
use rank::Ranked;
use rows::places;

const DESCENDING: super::ArgSpec = arg("descending", ArgKind::Bool);
const RIGHT: super::ArgSpec = arg("right", ArgKind::Bool);

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        name: "sort",
        doc: "the elements along `axis` in order, equal ones as they stood: the smallest first, or the largest if `descending`; NaN is \
              larger than any number",
        args: &[X, AXIS, DESCENDING],
        build: |b, a| {
            let (x, axis) = along(b, "sort", a, 1)?;
            let places = places(b, "sort", x, axis, a.bool(2)?)?;
            take(b, "sort", x, places, axis)
        },
    },
    Operation {
        name: "argsort",
        doc: "the positions along `axis` of the elements of `sort`, as i32",
        args: &[X, AXIS, DESCENDING],
        build: |b, a| {
            let (x, axis) = along(b, "argsort", a, 1)?;
            places(b, "argsort", x, axis, a.bool(2)?)
        },
    },
    Operation {
        name: "topk",
        doc: "the `k` largest elements along `axis`, the largest first; NaN is larger than any number",
        args: &[X, arg("k", ArgKind::Size), AXIS],
        build: |b, a| {
            let (x, axis) = along(b, "topk", a, 2)?;
            let places = rank::largest(b, "topk", x, &a.size(1)?, axis)?;
            take(b, "topk", x, places, axis)
        },
    },
    Operation {
        name: "topk_indices",
        doc: "the positions along `axis` of the elements of `topk`, as i32",
        args: &[X, arg("k", ArgKind::Size), AXIS],
        build: |b, a| {
            let (x, axis) = along(b, "topk_indices", a, 2)?;
            rank::largest(b, "topk_indices", x, &a.size(1)?, axis)
        },
    },
    Operation {
        name: "kthvalue",
        doc: "the `k`th smallest element along `axis`, counted from 1; NaN is larger than any number",
        args: &[X, arg("k", ArgKind::Size), AXIS],
        build: |b, a| {
            let (x, axis) = along(b, "kthvalue", a, 2)?;
            Ranked::of(b, "kthvalue", x, axis)?.kth(b, &a.size(1)?)
        },
    },
    Operation {
        name: "median",
        doc: "the middle element along `axis`, of an even number the smaller one of two; NaN if there is one",
        args: &[X, AXIS],
        build: |b, a| {
            let (x, axis) = along(b, "median", a, 1)?;
            Ranked::of(b, "median", x, axis)?.median(b)
        },
    },
    Operation {
        name: "quantile",
        doc: "what the part `q` of the floats along `axis` is below: between two of them in proportion; NaN if there is one",
        args: &[X, number_arg("q"), AXIS],
        build: |b, a| {
            float(b, "quantile", a.tensor(0)?)?;
            let (x, axis) = along(b, "quantile", a, 2)?;
            Ranked::of(b, "quantile", x, axis)?.quantile(b, a.number(1)?)
        },
    },
    Operation {
        name: "searchsorted",
        doc: "where `values` go into `sorted [.., n]` and leave it in order, as i32: before elements that are equal, behind them if \
              `right`. `sorted [n]` takes values of any shape, `sorted [.., n]` values `[.., m]`",
        args: &[tensor_arg("sorted"), tensor_arg("values"), RIGHT],
        build: |b, a| search::searchsorted(b, "searchsorted", [a.tensor(0)?, a.tensor(1)?], a.bool(2)?),
    },
    Operation {
        name: "bucketize",
        doc: "the number of the bucket that each element is in, as i32: how many of the sorted `boundaries [n]` are smaller, \
              or no larger if `right`",
        args: &[X, tensor_arg("boundaries"), RIGHT],
        build: |b, a| search::bucketize(b, [a.tensor(0)?, a.tensor(1)?], a.bool(2)?),
    },
    Operation {
        name: "histogram",
        doc: "how many of all the floats are in each of `bins` equal parts of `min..max`, `max` in the last, as i32 `[bins]`",
        args: &[X, arg("bins", ArgKind::Size), number_arg("min"), number_arg("max")],
        build: |b, a| count::histogram(b, a.tensor(0)?, &a.size(1)?, [a.number(2)?, a.number(3)?]),
    },
    Operation {
        name: "bincount",
        doc: "how often each of the numbers below `bins` is among all elements (u32 or i32), as i32 `[bins]`",
        args: &[X, arg("bins", ArgKind::Size)],
        build: |b, a| count::bincount(b, "bincount", a.tensor(0)?, &a.size(1)?),
    },
];

/// The receiver, and the axis that argument `position` says.
fn along(b: &Builder, op: &str, a: &[Value], position: usize) -> Result<(NodeId, usize)> {
    let x = a.tensor(0)?;
    Ok((x, args::axis(op, b.shape(x), a.integer(position)?)?))
}
