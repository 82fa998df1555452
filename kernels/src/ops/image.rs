//! Images `[n, c, h, w]` in other sizes: means of areas, and channels as pixels.

use super::args::{Args, X, arg, float};
use super::convolution::{avg_pool2d, count, pair};
use super::shape::get;
use super::{ArgKind, Operation};
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{AxisIndex, BinaryOp, CompareOp, ConvGeometry, Limit, NodeId};
use crate::span::{Diagnostic, Result};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        name: "adaptive_avg_pool2d",
        doc: "the means of `size` areas of `x [n, c, h, w]`, which is one integer or `[height, width]`: area `i` is from \
              `floor(i h / height)` to `ceil((i + 1) h / height)`; `-> [n, c, height, width]`",
        args: &[X, arg("size", ArgKind::Sizes)],
        build: |b, a| {
            let size = pair("adaptive_avg_pool2d", "size", a, 1)?;
            adaptive_avg_pool2d(b, a.tensor(0)?, size)
        },
    },
    Operation {
        name: "pixel_shuffle",
        doc: "channels as pixels: `x [n, c factor^2, h, w] -> [n, c, h factor, w factor]`",
        args: &[X, arg("factor", ArgKind::Size)],
        build: |b, a| pixel_shuffle(b, a.tensor(0)?, count("pixel_shuffle", "factor", &a.size(1)?)?),
    },
    Operation {
        name: "pixel_unshuffle",
        doc: "pixels as channels: `x [n, c, h factor, w factor] -> [n, c factor^2, h, w]`",
        args: &[X, arg("factor", ArgKind::Size)],
        build: |b, a| pixel_unshuffle(b, a.tensor(0)?, count("pixel_unshuffle", "factor", &a.size(1)?)?),
    },
];

fn image(b: &Builder, op: &str, x: NodeId) -> Result<[Dim; 4]> {
    match b.shape(x).0.as_slice() {
        [n, c, h, w] => Ok([n, c, h, w].map(Dim::clone)),
        _ => Err(Diagnostic::new(format!("`{op}` expects a tensor [n, c, h, w], found {}", b.shape(x)))),
    }
}

fn adaptive_avg_pool2d(b: &mut Builder, x: NodeId, size: [u64; 2]) -> Result<NodeId> {
    const OP: &str = "adaptive_avg_pool2d";
    let dtype = float(b, OP, x)?;
    let source = b.shape(x).clone();
    let [_, _, h, w] = image(b, OP, x)?;
    if size.contains(&0) {
        return Err(Diagnostic::new(format!("`{OP}` expects a `size` of at least 1, found 0")));
    }
    let known = |size: &Dim| size.as_constant().and_then(|size| u64::try_from(size).ok()).filter(|&size| size > 0);
    if let (Some(h), Some(w)) = (known(&h), known(&w))
        && h.is_multiple_of(size[0])
        && w.is_multiple_of(size[1])
    {
        let kernel = [h / size[0], w / size[1]];
        return avg_pool2d(b, OP, x, kernel, ConvGeometry { stride: kernel, ..ConvGeometry::default() });
    }
    for (axis, size) in [(2, size[0]), (3, size[1])] {
        let pixels = source[axis].clone();
        // One area is the whole, also of nothing.
        if size > 1 && b.may_be_outside_axis(&AxisIndex::fixed(Dim::constant(0)), &pixels, &source) {
            let before = format!("`{OP}` expects at least ");
            if pixels.is(0) {
                return Err(Diagnostic::new(format!("{before}1 pixel along axis {axis} of {source}, found 0")));
            }
            let words = [before, format!(" pixel along axis {axis} of {source}, which has")];
            b.limit(Limit { end: Dim::constant(1), size: pixels, words });
        }
    }
    let x = b.cast(x, dtype.compute())?;
    let columns = mean_of_areas(b, x, size[1])?;
    let columns = b.permute(columns, &[0, 1, 3, 2])?;
    let rows = mean_of_areas(b, columns, size[0])?;
    let rows = b.permute(rows, &[0, 1, 3, 2])?;
    b.cast(rows, dtype)
}

/// The means of `count` areas along the last axis. Each is a sum over the whole axis of what lies in it: neighbours may overlap.
fn mean_of_areas(b: &mut Builder, x: NodeId, count: u64) -> Result<NodeId> {
    let source = b.shape(x).clone();
    let last = source.rank() - 1;
    let size = source[last].clone();
    if count == 1 {
        return b.mean(x, &[last], true);
    }
    // [.., areas, elements]
    let mut shape = source.clone();
    shape.0.insert(last, Dim::constant(i64::try_from(count).unwrap_or(i64::MAX)));
    let elements: Vec<usize> = (0..last).chain([last + 1]).collect();
    let x = super::args::along(b, x, &shape, &elements)?;
    // Known sizes are counted in 32 bits, which devices are faster at; and llvmpipe (Mesa 22.3) compares numbers of 32 bits that are
    // made longer with constants wrongly.
    let largest = size.as_constant().and_then(|size| (count as i64).checked_add(1)?.checked_mul(size.checked_add(1)?));
    let whole = if largest.is_some_and(|largest| largest <= i64::from(i32::MAX)) { DType::I32 } else { DType::I64 };
    let (area, position) = (b.iota(&shape, last, whole)?, b.iota(&shape, last + 1, whole)?);
    let (size, count) = (b.dim(&size, whole)?, b.integer(count as i64, whole)?);
    let one = b.integer(1, whole)?;
    // `floor(i size / count) <= p` and `p < ceil((i + 1) size / count)`, in whole numbers.
    let start = b.binary(BinaryOp::Mul, area, size)?;
    let start = b.binary(BinaryOp::Div, start, count)?;
    let next = b.binary(BinaryOp::Add, area, one)?;
    let end = b.binary(BinaryOp::Mul, next, size)?;
    let round = b.binary(BinaryOp::Sub, count, one)?;
    let end = b.binary(BinaryOp::Add, end, round)?;
    let end = b.binary(BinaryOp::Div, end, count)?;
    let (from, to) = (b.compare(CompareOp::Ge, position, start)?, b.compare(CompareOp::Lt, position, end)?);
    let inside = b.binary(BinaryOp::And, from, to)?;
    let zero = b.constant(0.0, b.dtype(x));
    let counted = b.select(inside, x, zero)?;
    let sum = b.reduce(crate::graph::ReduceOp::Sum, counted, &[last + 1], false)?;
    let elements = b.binary(BinaryOp::Sub, end, start)?;
    // The same at every position, of which there is one.
    let elements = get(b, elements, last + 1, &Dim::constant(0))?;
    let elements = b.cast(elements, b.dtype(x))?;
    b.binary(BinaryOp::Div, sum, elements)
}

fn pixel_shuffle(b: &mut Builder, x: NodeId, factor: u64) -> Result<NodeId> {
    let [n, channels, h, w] = image(b, "pixel_shuffle", x)?;
    let factor = Dim::constant(i64::try_from(factor).unwrap_or(i64::MAX));
    let c = divided("pixel_shuffle", "channels", &channels, &(factor.clone() * factor.clone()))?;
    let split = [n.clone(), c.clone(), factor.clone(), factor.clone(), h.clone(), w.clone()];
    let x = b.reshape(x, Shape(split.to_vec()))?;
    let x = b.permute(x, &[0, 1, 4, 2, 5, 3])?;
    b.reshape(x, Shape(vec![n, c, h * factor.clone(), w * factor]))
}

fn pixel_unshuffle(b: &mut Builder, x: NodeId, factor: u64) -> Result<NodeId> {
    const OP: &str = "pixel_unshuffle";
    let [n, c, height, width] = image(b, OP, x)?;
    let factor = Dim::constant(i64::try_from(factor).unwrap_or(i64::MAX));
    let (h, w) = (divided(OP, "rows", &height, &factor)?, divided(OP, "columns", &width, &factor)?);
    let split = [n.clone(), c.clone(), h.clone(), factor.clone(), w.clone(), factor.clone()];
    let x = b.reshape(x, Shape(split.to_vec()))?;
    let x = b.permute(x, &[0, 1, 3, 5, 2, 4])?;
    b.reshape(x, Shape(vec![n, c * factor.clone() * factor, h, w]))
}

/// `size / by`, if that is whole.
fn divided(op: &str, what: &str, size: &Dim, by: &Dim) -> Result<Dim> {
    let quotient = if by.is(0) { None } else { size.exact_div(by) };
    quotient.ok_or_else(|| Diagnostic::new(format!("`{op}` cannot divide {size} {what} by {by}")))
}
