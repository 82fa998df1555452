//! Shapes: other views of the same elements, parts of them, and tensors put together.

use super::args::{self, AXES, AXIS, Args, X, arg, literal, scalar_arg};
use super::inside::{SURE, calls_tell, divisors, has, in_a_loop, left_by, limit};
use super::{ArgKind, Operation, Value};
use crate::dim::{Dim, Factor, Shape};
use crate::dtype::DType;
use crate::equality::Equality;
use crate::graph::build::{Builder, rounded, smaller};
use crate::graph::{AxisIndex, CompareOp, NodeId, Origin};
use crate::span::{Diagnostic, Result, WrongArgument};
use std::sync::Arc;

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        name: "reshape",
        doc: "the same elements in row-major order under the shape `sizes`; one size may be -1 and is worked out",
        args: &[X, arg("sizes", ArgKind::Sizes)],
        build: |b, a| reshape(b, a.tensor(0)?, &a.sizes(1)?),
    },
    Operation {
        name: "flatten",
        doc: "the axes from `from` on as one: `[n, c, h, w]` from 1 gives `[n, c*h*w]`",
        args: &[X, arg("from", ArgKind::Axis)],
        build: |b, a| {
            let x = a.tensor(0)?;
            let from = args::axis("flatten", b.shape(x), a.integer(1)?)?;
            flatten(b, x, from)
        },
    },
    Operation {
        name: "permute",
        doc: "the axes in another order: axis `k` of the result is axis `axes[k]` of `x`",
        args: &[X, AXES],
        build: |b, a| {
            let x = a.tensor(0)?;
            let order = a
                .integers(1)?
                .iter()
                .map(|&axis| args::axis("permute", b.shape(x), axis))
                .collect::<Result<Vec<_>>>()?;
            b.permute(x, &order)
        },
    },
    Operation {
        name: "transpose",
        doc: "two axes exchanged",
        args: &[X, arg("first", ArgKind::Axis), arg("second", ArgKind::Axis)],
        build: |b, a| {
            let x = a.tensor(0)?;
            let first = args::axis("transpose", b.shape(x), a.integer(1)?)?;
            let second = args::axis("transpose", b.shape(x), a.integer(2)?)?;
            let mut order: Vec<usize> = (0..b.shape(x).rank()).collect();
            order.swap(first, second);
            b.permute(x, &order)
        },
    },
    Operation {
        name: "t",
        doc: "the last two axes exchanged: the transpose of a matrix",
        args: &[X],
        build: |b, a| b.transpose(a.tensor(0)?),
    },
    Operation {
        name: "broadcast_to",
        doc: "`x` repeated to the shape `sizes`: missing leading axes and axes of size 1 stretch",
        args: &[X, arg("sizes", ArgKind::Sizes)],
        build: |b, a| {
            let sizes = a.sizes(1)?;
            no_negative(b, "broadcast_to", &sizes)?;
            b.broadcast_to(a.tensor(0)?, &Shape(sizes))
        },
    },
    Operation {
        name: "squeeze",
        doc: "`x` without `axis`, which must have size 1",
        args: &[X, AXIS],
        build: |b, a| squeeze(b, a.tensor(0)?, a.integer(1)?),
    },
    Operation {
        name: "unsqueeze",
        doc: "`x` with a new axis of size 1 at `axis`",
        args: &[X, AXIS],
        build: |b, a| {
            let x = a.tensor(0)?;
            let rank = b.shape(x).rank();
            let axis = args::axis_in("unsqueeze", b.shape(x), a.integer(1)?, rank + 1)?;
            unsqueeze(b, x, axis)
        },
    },
    Operation {
        name: "narrow",
        doc: "the elements `start..start + length` along `axis`; in an annotated function `start` may be a `u32` or `i32` of each call, \
              where what is out of range is zeros, without a gradient",
        args: &[X, AXIS, arg("start", ArgKind::Size), arg("length", ArgKind::Size)],
        build: |b, a| {
            let x = a.tensor(0)?;
            let axis = args::axis("narrow", b.shape(x), a.integer(1)?)?;
            narrow(b, x, axis, &a.size(2)?, &a.size(3)?)
        },
    },
    Operation {
        name: "get",
        doc: "the elements at `position` along `axis`, which disappears; a number of each call as of `narrow`",
        args: &[X, AXIS, arg("position", ArgKind::Size)],
        build: |b, a| {
            let x = a.tensor(0)?;
            let axis = args::axis("get", b.shape(x), a.integer(1)?)?;
            get(b, x, axis, &a.size(2)?)
        },
    },
    Operation {
        name: "flip",
        doc: "the elements in reverse order along `axes`",
        args: &[X, AXES],
        build: |b, a| {
            let x = a.tensor(0)?;
            let axes = args::axes("flip", b.shape(x), &a.integers(1)?)?;
            flip(b, x, &axes)
        },
    },
    Operation {
        name: "pad",
        doc: "`before` and `after` elements of `value` added around `axis`",
        args: &[X, AXIS, arg("before", ArgKind::Size), arg("after", ArgKind::Size), scalar_arg("value")],
        build: |b, a| {
            let x = a.tensor(0)?;
            let axis = args::axis("pad", b.shape(x), a.integer(1)?)?;
            pad(b, x, axis, [&a.size(2)?, &a.size(3)?], a.scalar(4)?)
        },
    },
    Operation {
        name: "concat",
        doc: "`x` and `others` one after the other along `axis`",
        args: &[X, arg("others", ArgKind::Tensors), AXIS],
        build: |b, a| {
            let axis = args::axis("concat", b.shape(a.tensor(0)?), a.integer(2)?)?;
            concat(b, &parts(a)?, axis)
        },
    },
    Operation {
        name: "stack",
        doc: "`x` and `others`, all of one shape, along a new axis at `axis`",
        args: &[X, arg("others", ArgKind::Tensors), AXIS],
        build: |b, a| {
            let shape = b.shape(a.tensor(0)?);
            let axis = args::axis_in("stack", shape, a.integer(2)?, shape.rank() + 1)?;
            stack(b, &parts(a)?, axis)
        },
    },
];

fn parts(a: &[super::Value]) -> Result<Vec<NodeId>> {
    let mut parts = vec![a.tensor(0)?];
    parts.extend(a.tensors(1)?);
    Ok(parts)
}

fn reshape(b: &mut Builder, x: NodeId, sizes: &[Dim]) -> Result<NodeId> {
    let unknown: Vec<usize> = (0..sizes.len()).filter(|&axis| sizes[axis].is(-1)).collect();
    let mut sizes = sizes.to_vec();
    match unknown.as_slice() {
        [] => {}
        [axis] => {
            let elements = b.shape(x).elements();
            sizes[*axis] = Dim::constant(1);
            let rest = Shape(sizes.clone()).elements();
            sizes[*axis] =
                elements.exact_div(&rest).or_else(|| parted(b.shape(x), &sizes, *axis)).ok_or_else(|| {
                    let source = b.shape(x);
                    Diagnostic::new(format!("`reshape` cannot divide the {elements} elements of {source} by {rest}"))
                        .hint(format!(
                            "-1 stands for what is left: the other sizes divide the number of elements{}",
                            divisors(&elements, &rest)
                        ))
                        .of_argument(WrongArgument::Named("sizes"))
                })?;
        }
        _ => {
            return Err(Diagnostic::new("`reshape` can work out one size, found -1 more than once")
                .hint("-1 stands for what is left by the others: keep one, and write each other as a number or a name of a size")
                .of_argument(WrongArgument::Named("sizes")));
        }
    }
    no_negative(b, "reshape", &sizes)?;
    let y = b.reshape(x, Shape(sizes))?;
    note_rest(b, y, Origin::operation("reshape", b.shape(x)));
    Ok(y)
}

/// The size of an axis that is left, where symbols decide whether the others divide the elements: `T / 2`, of `[N, T, 4]` as
/// `[N, -1, 8]`.
fn parted(source: &Shape, sizes: &[Dim], axis: usize) -> Option<Dim> {
    let rest = Shape(sizes.to_vec()).elements();
    let [(factors, coefficient)] = rest.terms().collect::<Vec<_>>()[..] else { return None };
    let one = |factor: &Factor| Dim::term(vec![factor.clone()], 1);
    let left = factors.iter().try_fold(source.elements(), |left, factor| left.exact_div(&one(factor)))?;
    let mut sizes = sizes.to_vec();
    sizes[axis] = left.floor_div(u64::try_from(coefficient).ok().filter(|divisor| *divisor > 0)?);
    rounded(source, &Shape(sizes.clone())).map(|_| sizes.swap_remove(axis))
}

/// Notes where the sizes came from whose origins nobody has noted.
fn note_rest(b: &mut Builder, y: NodeId, origin: Origin) {
    let origin = Arc::new(origin);
    for axis in 0..b.shape(y).rank() {
        if b.origin(y, axis).is_none() {
            b.set_origin(y, axis, origin.clone());
        }
    }
}

/// Which axis of two shapes differs first, other than `along`, and where its sizes came from.
fn difference(b: &Builder, first: NodeId, other: NodeId, along: Option<usize>) -> String {
    let (x, y) = (b.shape(first), b.shape(other));
    let differs = |axis: &usize| Some(*axis) != along && x[*axis].equality(&y[*axis]) == Equality::No;
    let axes = if x.rank() == y.rank() { 0..x.rank() } else { 0..0 };
    match axes.into_iter().find(differs) {
        Some(axis) => {
            let (left, right) = (b.origin_note(first, axis), b.origin_note(other, axis));
            format!(": axis {axis} is {}{left} against {}{right}", x[axis], y[axis])
        }
        None => String::new(),
    }
}

/// That sizes are not negative: those that symbols decide are looked at in each call.
pub(super) fn no_negative(b: &mut Builder, op: &str, sizes: &[Dim]) -> Result<()> {
    for size in sizes.iter().filter(|size| size.as_constant().is_none()) {
        b.at_least_zero(size, [format!("`{op}` expects sizes of at least "), ", found".to_string()])?;
    }
    match sizes.iter().find(|size| size.as_constant().is_some_and(|value| value < 0)) {
        Some(size) => {
            let mut problem = Diagnostic::new(format!("`{op}` expects sizes of at least 0, found {size}"));
            problem.argument = size.as_constant().map(|size| Box::new(WrongArgument::Size(size)));
            Err(match op {
                "pad" => problem.hint("`narrow` leaves elements of an axis out"),
                "narrow" => problem.hint("positions count from 0; `flip` turns an axis round"),
                _ => problem,
            })
        }
        None => Ok(()),
    }
}

/// The axes from `from` on as one.
pub fn flatten(b: &mut Builder, x: NodeId, from: usize) -> Result<NodeId> {
    let shape = b.shape(x).clone();
    let mut dims = shape.0[..from].to_vec();
    dims.push(Shape(shape.0[from..].to_vec()).elements());
    let flat = b.reshape(x, Shape(dims))?;
    note_rest(b, flat, Origin::operation("flatten", shape));
    Ok(flat)
}

/// Where the sizes of the first `axes` axes of `from` came from, noted on `to` too.
pub(crate) fn keep_origins(b: &mut Builder, from: NodeId, to: NodeId, axes: usize) {
    (0..axes).for_each(|axis| keep_origin(b, from, to, axis));
}

/// The same for one axis.
pub(crate) fn keep_origin(b: &mut Builder, from: NodeId, to: NodeId, axis: usize) {
    if let Some(origin) = b.origin(from, axis).cloned() {
        b.set_origin(to, axis, origin);
    }
}

pub(super) fn squeeze(b: &mut Builder, x: NodeId, axis: i64) -> Result<NodeId> {
    let shape = b.shape(x).clone();
    let axis = args::axis("squeeze", &shape, axis)?;
    if !shape[axis].is(1) {
        let note = b.origin_note(x, axis);
        return Err(Diagnostic::new(format!(
            "`squeeze` expects axis {axis} of {shape} to have size 1, found {}{note}",
            shape[axis]
        ))
        .hint("`.squeeze` takes an axis of one element away; `.sum`, `.mean` and `.max` along an axis of more do, and `.get` takes one of its elements"));
    }
    get(b, x, axis, &Dim::constant(0))
}

/// `x` with a new axis of size 1 at `axis`.
pub(super) fn unsqueeze(b: &mut Builder, x: NodeId, axis: usize) -> Result<NodeId> {
    let mut shape = b.shape(x).clone();
    let rank = shape.rank();
    shape.0.insert(axis, Dim::constant(1));
    b.view(x, shape, (0..rank).map(|own| AxisIndex::axis(own + usize::from(own >= axis))).collect())
}

/// The identity view of `rank` axes, to be changed along some.
fn identity(rank: usize) -> Vec<AxisIndex> {
    (0..rank).map(AxisIndex::axis).collect()
}

/// The elements `start..start + length` along `axis`.
pub(crate) fn narrow(b: &mut Builder, x: NodeId, axis: usize, start: &Dim, length: &Dim) -> Result<NodeId> {
    let source = b.shape(x).clone();
    let mut shape = source.clone();
    shape.0[axis] = length.clone();
    let mut index = identity(source.rank());
    index[axis].offset = start.clone();
    no_negative(b, "narrow", &[start.clone(), length.clone()])?;
    // A length of 0 reads nothing, so only the ends can be outside.
    let end = start.clone() + length.clone();
    let outside = match (end.as_constant(), source[axis].as_constant()) {
        (Some(end), Some(size)) => end > size,
        _ => b.may_be_outside_axis(&index[axis], &source[axis], &shape),
    };
    if outside && calls_tell(b, &end, &source[axis]) {
        limit(b, (x, axis), end, format!("`narrow` takes {start}.."));
    } else if outside {
        let has = has(b, x, axis);
        let problem = Diagnostic::new(format!(
            "`narrow` takes {}..{} along axis {axis} of {source}, which {has}",
            b.in_rounds(start),
            b.in_rounds(&end)
        ));
        return Err(match (source[axis].as_constant(), start.as_constant(), length.as_constant()) {
            (Some(size), Some(start), Some(length)) if length <= size => {
                let starts = match size - length {
                    0 => "0".to_string(),
                    1 => "0 or 1".to_string(),
                    last => format!("0 to {last}"),
                };
                let lengths = match size - start {
                    ..=0 => String::new(),
                    1 => format!(", or 1 element from {start}"),
                    rest => format!(", or up to {rest} elements from {start}"),
                };
                let elements = if length == 1 { "1 element starts".into() } else { format!("{length} elements start") };
                problem.hint(format!("{elements} at {starts}{lengths}"))
            }
            (Some(0), _, Some(_)) => problem.hint("there are no elements along that axis"),
            (Some(1), _, Some(_)) => problem.hint("take 1 element"),
            (Some(size), _, Some(_)) => problem.hint(format!("take up to {size} elements")),
            (Some(size), ..) => problem.hint(format!(
                "{end} may be more than {size}: write a number, or take the elements that an argument \
                 `positions: &Tensor<u32, {end}>` names, `.index_select({axis}, positions)`"
            )),
            _ => problem.hint(SURE),
        });
    }
    b.view(x, shape, index)
}

/// The elements at `position` along `axis`, which disappears.
pub(crate) fn get(b: &mut Builder, x: NodeId, axis: usize, position: &Dim) -> Result<NodeId> {
    let source = b.shape(x).clone();
    let mut shape = source.clone();
    shape.0.remove(axis);
    let coordinate = AxisIndex::fixed(position.clone());
    let end = position.clone() + Dim::constant(1);
    // Numbers and rounds of a loop have words of their own, below.
    let number = position.as_constant();
    if number.is_none() && !b.is_in_loop(position) {
        b.at_least_zero(position, ["`get` expects positions of at least ".to_string(), ", found".to_string()])?;
    }
    let outside = b.may_be_outside_axis(&coordinate, &source[axis], &shape);
    if outside && number.is_none_or(|at| at >= 0) && calls_tell(b, &end, &source[axis]) {
        limit(b, (x, axis), end, format!("`get` takes position {position}, the last of "));
    } else if outside {
        let at = b.in_rounds(position);
        let end = match b.round_of(position) {
            Some((.., away)) if away.as_constant().is_some_and(|away| away < 0) => {
                "which is negative in the first round".to_string()
            }
            _ if b.is_in_loop(position) && !b.is_never_negative(position) => "which may be negative".to_string(),
            _ => format!("which {}", has(b, x, axis)),
        };
        let problem = Diagnostic::new(format!("`get` takes position {at} along axis {axis} of {source}, {end}"));
        if let Some(hint) = in_a_loop(b, position, (x, axis)) {
            return Err(problem.hint(hint));
        }
        return Err(match (number, source[axis].as_constant()) {
            (_, Some(0)) => problem.hint("there are no elements along that axis"),
            (Some(back @ ..0), size) if size.is_none_or(|size| back >= -size) => {
                let from_start = match size {
                    Some(size) => (size + back).to_string(),
                    None => format!("x.dim({axis}) - {}", back.unsigned_abs()),
                };
                problem.hint(format!("positions are counted from the start: write `{from_start}`"))
            }
            (_, Some(1)) => problem.hint("the only position is 0"),
            (_, Some(size)) => problem.hint(format!("positions go from 0 to {}", size - 1)),
            (_, None) => problem.hint(SURE),
        });
    }
    let mut index: Vec<AxisIndex> = (0..source.rank()).map(|a| AxisIndex::axis(a - usize::from(a > axis))).collect();
    index[axis] = coordinate;
    b.view(x, shape, index)
}

pub(super) fn flip(b: &mut Builder, x: NodeId, axes: &[usize]) -> Result<NodeId> {
    let shape = b.shape(x).clone();
    let mut index = identity(shape.rank());
    for &axis in axes {
        let last = shape[axis].clone() - Dim::constant(1);
        index[axis] = AxisIndex { terms: vec![(axis, -1)], offset: last, divisor: 1 };
    }
    b.view(x, shape, index)
}

/// `value` around `axis`, as many as `around` says before it and behind it.
pub(super) fn pad(b: &mut Builder, x: NodeId, axis: usize, around: [&Dim; 2], value: &Value) -> Result<NodeId> {
    let [before, after] = around;
    let sizes = [before.clone(), after.clone()];
    no_negative(b, "pad", &sizes).map_err(|problem| left_by(problem, b.shape(x), axis, &sizes))?;
    let dtype = b.dtype(x);
    let source = b.shape(x).clone();
    let mut shape = source.clone();
    shape.0[axis] = before.clone() + source[axis].clone() + after.clone();
    let mut index = identity(source.rank());
    index[axis].offset = Dim::constant(0) - before.clone();
    let padded = b.view(x, shape.clone(), index.clone())?;
    if value.as_number() == Some(0.0) {
        return Ok(padded);
    }
    let value = literal(b, "pad", value, dtype)?;
    let inside = inside(b, &source, &shape, index)?;
    b.select(inside, padded, value)
}

/// Where a view of a tensor of shape `source` reads inside it: the view of a tensor of `true`.
pub(super) fn inside(b: &mut Builder, source: &Shape, shape: &Shape, index: Vec<AxisIndex>) -> Result<NodeId> {
    let yes = b.full(1.0, source, DType::Bool);
    b.view(yes, shape.clone(), index)
}

pub(crate) fn concat(b: &mut Builder, parts: &[NodeId], axis: usize) -> Result<NodeId> {
    let first = b.shape(parts[0]).clone();
    let dtype = b.dtype(parts[0]);
    let mut shape = first.clone();
    for &part in &parts[1..] {
        let own = b.shape(part).clone();
        let found = b.dtype(part);
        let what = format!(
            "`concat` along axis {axis} of {dtype} {first} expects others that differ in that axis alone, found {found} {own}"
        );
        let fits = own.rank() == first.rank()
            && found == dtype
            && (0..own.rank()).all(|a| {
                let on = format!("{what}: axis {a} is");
                a == axis || b.agree_along([(parts[0], a), (part, a)], &on, "against")
            });
        if !fits {
            let problem = Diagnostic::new(what + &difference(b, parts[0], part, Some(axis)));
            return Err(problem.hint(if found != dtype {
                format!("convert one of them with `{}`", args::cast_to(dtype))
            } else if own.rank() + 1 == first.rank() {
                format!("`.unsqueeze({axis})` gives it an axis of one element")
            } else if own.rank() != first.rank() {
                "give both as many axes: `.unsqueeze(..)` adds one, `.flatten(..)` joins some".to_string()
            } else {
                "`narrow` leaves elements of an axis out, `pad` adds some".to_string()
            }));
        }
        for (a, size) in shape.0.iter_mut().enumerate() {
            *size = if a == axis { size.clone() + own[axis].clone() } else { smaller(size, &own[a]) };
        }
    }
    // Positions are counted in `i32`.
    if shape[axis].terms().any(|(_, count)| count > i64::from(i32::MAX)) {
        return Err(Diagnostic::new(format!(
            "`concat` along axis {axis} makes a tensor of {shape}, which is too large"
        ))
        .hint("a loop that joins a tensor with itself doubles it in each round: join others, or loop less often"));
    }
    let position = b.iota(&shape, axis, DType::I32)?;
    let mut start = Dim::constant(0);
    let mut pieces = Vec::new();
    for &part in parts {
        let size = b.shape(part)[axis].clone();
        let mut index = identity(shape.rank());
        index[axis].offset = Dim::constant(0) - start.clone();
        start = start + size;
        pieces.push((b.view(part, shape.clone(), index)?, start.clone()));
    }
    // From the back: the last piece, before it the one that ends where it starts, and so on.
    let (mut result, _) = pieces[pieces.len() - 1];
    for (piece, end) in pieces[..pieces.len() - 1].iter().rev() {
        let end = b.dim(end, DType::I32)?;
        let within = b.compare(CompareOp::Lt, position, end)?;
        result = b.select(within, *piece, result)?;
    }
    let sizes: Vec<String> = parts.iter().map(|&part| b.shape(part)[axis].to_string()).collect();
    b.set_origin(result, axis, Origin::operation("concat", sizes.join(" and ")));
    Ok(result)
}

fn stack(b: &mut Builder, parts: &[NodeId], axis: usize) -> Result<NodeId> {
    let first = b.shape(parts[0]).clone();
    for &other in &parts[1..] {
        let what = format!("`stack` expects tensors of one shape, found {first} and {}", b.shape(other));
        if b.agree_everywhere([parts[0], other], &what) {
            continue;
        }
        return Err(Diagnostic::new(what + &difference(b, parts[0], other, None))
            .hint("`concat` joins tensors that differ in one axis; `narrow` and `pad` change the size of one"));
    }
    let parts = parts.iter().map(|&part| unsqueeze(b, part, axis)).collect::<Result<Vec<_>>>()?;
    concat(b, &parts, axis)
}
