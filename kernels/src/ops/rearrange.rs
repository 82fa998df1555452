//! Elements in another arrangement: steps and windows along an axis, diagonals, copies, and edges beyond the ends.

use super::args::{self, AXIS, Args, OTHER, X, arg};
use super::shape::{concat, get, keep_origin, narrow, no_negative, unsqueeze};
use super::{ArgKind, Operation};
use crate::dim::{Dim, Shape};
use crate::graph::build::{Builder, window_count};
use crate::graph::{AxisIndex, BinaryOp, ConvGeometry, Limit, NodeId, Origin, ReduceOp, Window};
use crate::span::{Diagnostic, Result};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        name: "slice",
        doc: "the elements `start`, `start + step`, ... before `end` along `axis`",
        args: &[X, AXIS, arg("start", ArgKind::Size), arg("end", ArgKind::Size), arg("step", ArgKind::Size)],
        build: |b, a| {
            let x = a.tensor(0)?;
            let axis = args::axis("slice", b.shape(x), a.integer(1)?)?;
            slice(b, x, axis, [&a.size(2)?, &a.size(3)?], count("slice", "step", &a.size(4)?)?)
        },
    },
    Operation {
        name: "unfold",
        doc: "windows of `size` elements along `axis`, one every `step`, their elements on a new last axis: \
              `[.., n, ..] -> [.., floor((n - size) / step) + 1, .., size]`",
        args: &[X, AXIS, arg("size", ArgKind::Size), arg("step", ArgKind::Size)],
        build: |b, a| {
            let x = a.tensor(0)?;
            let axis = args::axis("unfold", b.shape(x), a.integer(1)?)?;
            let [size, step] = [("size", 2), ("step", 3)].map(|(name, at)| count("unfold", name, &a.size(at)?));
            unfold(b, x, axis, size?, step?)
        },
    },
    Operation {
        name: "diagonal",
        doc: "the elements `x[.., i, .., i + offset, ..]` of axes `first` and `second`, on a new last axis",
        args: &[X, arg("offset", ArgKind::Axis), arg("first", ArgKind::Axis), arg("second", ArgKind::Axis)],
        build: |b, a| {
            let x = a.tensor(0)?;
            let [first, second] = [2, 3].map(|at| args::axis("diagonal", b.shape(x), a.integer(at)?));
            diagonal(b, "diagonal", x, a.integer(1)?, [first?, second?])
        },
    },
    Operation {
        name: "trace",
        doc: "the sum of the main diagonal of each matrix `[.., m, n]`",
        args: &[X],
        build: |b, a| {
            let x = a.tensor(0)?;
            let rank = b.shape(x).rank();
            let (Some(first), Some(second)) = (rank.checked_sub(2), rank.checked_sub(1)) else {
                return Err(Diagnostic::new(format!("`trace` expects a matrix [.., m, n], found {}", b.shape(x))));
            };
            let elements = diagonal(b, "trace", x, 0, [first, second])?;
            b.reduce(ReduceOp::Sum, elements, &[first], false)
        },
    },
    Operation {
        name: "movedim",
        doc: "axis `from` at place `to`, the others in their order",
        args: &[X, arg("from", ArgKind::Axis), arg("to", ArgKind::Axis)],
        build: |b, a| {
            let x = a.tensor(0)?;
            let [from, to] = [1, 2].map(|at| args::axis("movedim", b.shape(x), a.integer(at)?));
            let (from, to) = (from?, to?);
            let mut order: Vec<usize> = (0..b.shape(x).rank()).filter(|&axis| axis != from).collect();
            order.insert(to, from);
            b.permute(x, &order)
        },
    },
    Operation {
        name: "roll",
        doc: "the elements moved by `shift` places along `axis`, to higher positions if positive; those that leave one end enter \
              at the other; a number of each call as of `narrow`; an axis whose size is a symbol has at least so many",
        args: &[X, arg("shift", ArgKind::Axis), AXIS],
        build: |b, a| {
            let x = a.tensor(0)?;
            let axis = args::axis("roll", b.shape(x), a.integer(2)?)?;
            roll(b, x, a.integer(1)?, axis)
        },
    },
    Operation {
        name: "repeat",
        doc: "`count` copies of `x` one after the other along `axis`",
        args: &[X, AXIS, arg("count", ArgKind::Size)],
        build: |b, a| {
            let x = a.tensor(0)?;
            let axis = args::axis("repeat", b.shape(x), a.integer(1)?)?;
            copies(b, "repeat", x, axis, axis, &a.size(2)?)
        },
    },
    Operation {
        name: "tile",
        doc: "`counts` copies of `x` one after the other along each axis; of more counts than axes the first are for new ones",
        args: &[X, arg("counts", ArgKind::Sizes)],
        build: |b, a| tile(b, a.tensor(0)?, &a.sizes(1)?),
    },
    Operation {
        name: "repeat_interleave",
        doc: "each element `count` times along `axis`, its copies side by side",
        args: &[X, AXIS, arg("count", ArgKind::Size)],
        build: |b, a| {
            let x = a.tensor(0)?;
            let axis = args::axis("repeat_interleave", b.shape(x), a.integer(1)?)?;
            copies(b, "repeat_interleave", x, axis, axis + 1, &a.size(2)?)
        },
    },
    Operation {
        name: "pad_reflect",
        doc: "`before` and `after` elements around `axis` as in a mirror at its first and last element, which are not repeated",
        args: &[X, AXIS, arg("before", ArgKind::Size), arg("after", ArgKind::Size)],
        build: |b, a| around(b, a, "pad_reflect", reflected, Some(1)),
    },
    Operation {
        name: "pad_replicate",
        doc: "`before` copies of the first element and `after` of the last around `axis`",
        args: &[X, AXIS, arg("before", ArgKind::Size), arg("after", ArgKind::Size)],
        build: |b, a| around(b, a, "pad_replicate", replicated, None),
    },
    Operation {
        name: "pad_circular",
        doc: "the last `before` elements before `axis`, and its first `after` behind it",
        args: &[X, AXIS, arg("before", ArgKind::Size), arg("after", ArgKind::Size)],
        build: |b, a| around(b, a, "pad_circular", wrapped, Some(0)),
    },
    Operation {
        name: "outer",
        doc: "`x[i] * other[j]`: `[m]`, `[n] -> [m, n]`",
        args: &[X, OTHER],
        build: |b, a| {
            let [x, y] = vectors(b, "outer", [a.tensor(0)?, a.tensor(1)?])?;
            let column = unsqueeze(b, x, 1)?;
            b.binary(BinaryOp::Mul, column, y)
        },
    },
    Operation {
        name: "dot",
        doc: "the sum of `x[i] * other[i]`: `[n]`, `[n] -> []`",
        args: &[X, OTHER],
        build: |b, a| {
            let [x, y] = vectors(b, "dot", [a.tensor(0)?, a.tensor(1)?])?;
            let (left, right) = (b.shape(x).clone(), b.shape(y).clone());
            let what = format!("`dot` expects vectors of one length, found {left} and {right}");
            if !b.agree_along([(x, 0), (y, 0)], &what, "and") {
                return Err(Diagnostic::new(what));
            }
            let products = b.binary(BinaryOp::Mul, x, y)?;
            b.reduce(ReduceOp::Sum, products, &[0], false)
        },
    },
];

fn count(op: &str, name: &str, dim: &Dim) -> Result<u64> {
    match dim.as_constant() {
        Some(value @ 1..) => Ok(value as u64),
        _ => Err(Diagnostic::new(format!("`{op}` expects an integer constant of at least 1 as `{name}`, found {dim}"))
            .needs_number(dim)),
    }
}

fn vectors(b: &Builder, op: &str, pair: [NodeId; 2]) -> Result<[NodeId; 2]> {
    match pair.iter().find(|&&x| b.shape(x).rank() != 1) {
        None => Ok(pair),
        Some(&x) => Err(Diagnostic::new(format!("`{op}` expects vectors [n], found {}", b.shape(x)))
            .hint("`matmul` is for matrices; operands of `*` broadcast")),
    }
}

/// Windows of one axis, as those of a convolution.
fn geometry(step: u64) -> ConvGeometry {
    ConvGeometry { stride: [step, 1], ..ConvGeometry::default() }
}

fn slice(b: &mut Builder, x: NodeId, axis: usize, [start, end]: [&Dim; 2], step: u64) -> Result<NodeId> {
    let length = end.clone() - start.clone();
    if length.as_constant().is_some_and(|length| length < 0) {
        return Err(Diagnostic::new(format!("`slice` expects an `end` of at least `start`, found {start}..{end}"))
            .hint("`flip` turns an axis round"));
    }
    let part = narrow(b, x, axis, start, &length)?;
    if step == 1 || length.is(0) {
        return Ok(part);
    }
    let mut shape = b.shape(part).clone();
    shape.0[axis] = window_count(&length, 1, 0, &geometry(step)).map_err(Diagnostic::new)?;
    let mut index: Vec<AxisIndex> = (0..shape.rank()).map(AxisIndex::axis).collect();
    index[axis].terms[0].1 = i64::try_from(step).unwrap_or(i64::MAX);
    b.view(part, shape, index)
}

fn unfold(b: &mut Builder, x: NodeId, axis: usize, size: u64, step: u64) -> Result<NodeId> {
    let mut shape = b.shape(x).clone();
    let source = shape[axis].clone();
    let note = b.origin_note(x, axis);
    shape.0[axis] = window_count(&source, size, 0, &geometry(step))
        .map_err(|message| Diagnostic::new(format!("`unfold`: {message}{note}")))?;
    b.require_window(Window::new(&source, size, 0, &geometry(step)));
    let rank = shape.rank();
    shape.0.push(Dim::constant(size as i64));
    let mut index: Vec<AxisIndex> = (0..rank).map(AxisIndex::axis).collect();
    index[axis].terms = vec![(axis, i64::try_from(step).unwrap_or(i64::MAX)), (rank, 1)];
    b.view(x, shape, index)
}

fn diagonal(b: &mut Builder, op: &str, x: NodeId, offset: i64, axes: [usize; 2]) -> Result<NodeId> {
    let [first, second] = axes;
    let source = b.shape(x).clone();
    if first == second {
        return Err(Diagnostic::new(format!("`{op}` expects two axes of {source}, found axis {first} twice")));
    }
    let (down, right) = (offset.min(0).saturating_neg(), offset.max(0));
    let [rows, columns] = [(first, down), (second, right)].map(|(axis, by)| source[axis].clone() - Dim::constant(by));
    let difference = rows.clone() - columns.clone();
    let Some(difference) = difference.as_constant() else {
        return Err(Diagnostic::new(format!(
            "`{op}` cannot tell which of {rows} and {columns} elements of {source} there are fewer of"
        ))
        .needs_number(&difference)
        .hint("`narrow` makes both axes equally long"));
    };
    let length = if difference < 0 { rows } else { columns };
    let length = if length.as_constant().is_some_and(|length| length < 0) { Dim::constant(0) } else { length };
    let kept: Vec<usize> = (0..source.rank()).filter(|axis| !axes.contains(axis)).collect();
    let mut shape = Shape(kept.iter().map(|&axis| source[axis].clone()).collect());
    let along = shape.rank();
    shape.0.push(length);
    let index = (0..source.rank()).map(|axis| match kept.iter().position(|&own| own == axis) {
        Some(own) => AxisIndex::axis(own),
        None => {
            let offset = Dim::constant(if axis == first { down } else { right });
            AxisIndex { terms: vec![(along, 1)], offset, divisor: 1 }
        }
    });
    b.view(x, shape, index.collect())
}

pub(super) fn roll(b: &mut Builder, x: NodeId, shift: i64, axis: usize) -> Result<NodeId> {
    let size = b.shape(x)[axis].clone();
    let shift = match size.as_constant() {
        Some(size @ 1..) => shift.rem_euclid(size),
        _ => shift,
    };
    if shift == 0 || size.is(0) {
        return Ok(x);
    }
    let by = Dim::constant(shift.saturating_abs());
    if !(size.clone() - by.clone()).never_negative() {
        // By more places than there are it would go around more than once, and how often is no size.
        let shape = b.shape(x).clone();
        let words = ["`roll` moves by ".to_string(), format!(" places along axis {axis} of {shape}, which has")];
        b.limit(Limit { end: by.clone(), size: size.clone(), words });
    }
    let rest = size - by.clone();
    let (zero, before, after) = (Dim::constant(0), &by, &rest);
    let (head, tail) = if shift > 0 { (after, before) } else { (before, after) };
    // What is behind comes first.
    let last = narrow(b, x, axis, head, tail)?;
    let first = narrow(b, x, axis, &zero, head)?;
    let rolled = concat(b, &[last, first], axis)?;
    b.set_origin(rolled, axis, Origin::operation("roll", &b.shape(x)[axis]));
    keep_origin(b, x, rolled, axis);
    Ok(rolled)
}

fn tile(b: &mut Builder, x: NodeId, counts: &[Dim]) -> Result<NodeId> {
    let mut y = x;
    for _ in b.shape(x).rank()..counts.len() {
        y = unsqueeze(b, y, 0)?;
    }
    let first = b.shape(y).rank() - counts.len();
    for (axis, count) in counts.iter().enumerate() {
        if !count.is(1) {
            y = copies(b, "tile", y, first + axis, first + axis, count)?;
        }
    }
    Ok(y)
}

/// `count` copies along `axis`: one after the other if the new axis is at `axis`, side by side if it is behind it.
pub(super) fn copies(b: &mut Builder, op: &str, x: NodeId, axis: usize, new: usize, count: &Dim) -> Result<NodeId> {
    no_negative(b, op, std::slice::from_ref(count))?;
    let source = b.shape(x).clone();
    let mut copies = source.clone();
    copies.0.insert(new, count.clone());
    // A new axis that is not read, then both as one.
    let index = (0..source.rank()).map(|own| AxisIndex::axis(own + usize::from(own >= new))).collect();
    let copied = b.view(x, copies, index)?;
    let mut shape = source.clone();
    shape.0[axis] = source[axis].clone() * count.clone();
    b.reshape(copied, shape)
}

/// What is added at one end: the tensor, the axis, how many elements, and whether it is behind.
type Edge = fn(&mut Builder, NodeId, usize, &Dim, bool) -> Result<NodeId>;

/// `x` between the edges that `edge` makes of it. An edge repeats no element, and may have all of the axis but `spared`; with `None` it
/// repeats one element, as often as is asked.
fn around(b: &mut Builder, a: &[super::Value], op: &str, edge: Edge, spared: Option<i64>) -> Result<NodeId> {
    let x = a.tensor(0)?;
    let axis = args::axis(op, b.shape(x), a.integer(1)?)?;
    let (before, after) = (a.size(2)?, a.size(3)?);
    no_negative(b, op, &[before.clone(), after.clone()])?;
    let source = b.shape(x).clone();
    let sides: Vec<i64> = [&before, &after].into_iter().filter_map(Dim::as_constant).collect();
    let largest = sides.iter().copied().max().unwrap_or(0);
    let size = source[axis].as_constant();
    let most = |size: i64| match spared {
        Some(spared) => Some(size - spared),
        None => (size == 0).then_some(0),
    };
    if let Some(size) = size
        && let Some(most) = most(size)
        && largest > most.max(0)
    {
        let note = b.origin_note(x, axis);
        let has = format!("along axis {axis} of {source}, which has {size}{note}");
        let elements = if largest == 1 { "1 element".to_string() } else { format!("{largest} elements") };
        let problem = Diagnostic::new(format!("`{op}` of {elements} on a side {has}"));
        return Err(match most {
            ..=0 => problem.hint("there are too few elements along that axis for any"),
            1 => problem.hint("at most 1 element on each side"),
            most => problem.hint(format!("at most {most} elements on each side")),
        });
    }
    // As positions are counted.
    let length = sides.into_iter().fold(size.unwrap_or(0), i64::saturating_add);
    if length > i64::from(i32::MAX) {
        return Err(Diagnostic::new(format!(
            "`{op}` makes axis {axis} of {source} longer than {} elements, found {before} before and {after} behind",
            i32::MAX
        )));
    }
    // The longer side first, if that is known: what it needs is enough for the other.
    let mut sides = [&before, &after];
    if !(before.clone() - after.clone()).never_negative() {
        sides.reverse();
    }
    for side in sides.into_iter().filter(|side| !side.is(0)) {
        let least = spared.map_or(Dim::constant(1), |spared| side.clone() + Dim::constant(spared));
        if !b.is_sure(&(source[axis].clone() - least.clone())) {
            let note = b.origin_note(x, axis);
            let words =
                [format!("`{op}` expects at least "), format!(" along axis {axis} of {source}{note}, which has")];
            b.limit(Limit { end: least, size: source[axis].clone(), words });
        }
    }
    let mut parts = Vec::new();
    if !before.is(0) {
        parts.push(edge(b, x, axis, &before, false)?);
    }
    parts.push(x);
    if !after.is(0) {
        parts.push(edge(b, x, axis, &after, true)?);
    }
    if parts.len() == 1 {
        return Ok(x);
    }
    let padded = concat(b, &parts, axis)?;
    b.set_origin(padded, axis, Origin::operation(op, format!("{} by {before} and {after}", source[axis])));
    Ok(padded)
}

fn reflected(b: &mut Builder, x: NodeId, axis: usize, size: &Dim, behind: bool) -> Result<NodeId> {
    let one = Dim::constant(1);
    let start = if behind { b.shape(x)[axis].clone() - size.clone() - one } else { one };
    let part = narrow(b, x, axis, &start, size)?;
    super::shape::flip(b, part, &[axis])
}

fn replicated(b: &mut Builder, x: NodeId, axis: usize, size: &Dim, behind: bool) -> Result<NodeId> {
    let position = if behind { b.shape(x)[axis].clone() - Dim::constant(1) } else { Dim::constant(0) };
    let element = get(b, x, axis, &position)?;
    let mut shape = b.shape(x).clone();
    shape.0[axis] = size.clone();
    let kept: Vec<usize> = (0..shape.rank()).filter(|&own| own != axis).collect();
    args::along(b, element, &shape, &kept)
}

fn wrapped(b: &mut Builder, x: NodeId, axis: usize, size: &Dim, behind: bool) -> Result<NodeId> {
    let start = if behind { Dim::constant(0) } else { b.shape(x)[axis].clone() - size.clone() };
    narrow(b, x, axis, &start, size)
}
