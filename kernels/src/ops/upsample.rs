//! Images `[n, c, h, w]` a whole number of times as high and as wide, as PyTorch's `interpolate` makes them.

use super::args::{Args, X, arg, float};
use super::convolution::pair;
use super::{ArgKind, Operation};
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{AxisIndex, BinaryOp, CompareOp, NodeId};
use crate::span::{Diagnostic, Result};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        name: "upsample_nearest2d",
        doc: "each pixel of `x [n, c, h, w]` as a block of `scale` pixels, which is one integer or `[height, width]`: \
              `-> [n, c, h * scale, w * scale]`",
        args: &[X, arg("scale", ArgKind::Sizes)],
        build: |b, a| {
            let scale = pair("upsample_nearest2d", "scale", a, 1)?;
            upsample_nearest2d(b, a.tensor(0)?, scale)
        },
    },
    Operation {
        name: "upsample_bilinear2d",
        doc: "as `upsample_nearest2d`, but between the centres of neighbouring pixels as a straight line, and level beyond \
              those of the first and the last (PyTorch's `align_corners=False`)",
        args: &[X, arg("scale", ArgKind::Sizes)],
        build: |b, a| {
            let scale = pair("upsample_bilinear2d", "scale", a, 1)?;
            upsample_bilinear2d(b, a.tensor(0)?, scale)
        },
    },
];

fn check(b: &Builder, op: &str, x: NodeId, scale: [u64; 2]) -> Result<()> {
    let shape = b.shape(x);
    if shape.rank() != 4 {
        return Err(Diagnostic::new(format!("`{op}` expects a tensor [n, c, h, w], found {shape}")));
    }
    if scale.contains(&0) {
        return Err(Diagnostic::new(format!("`{op}` expects a `scale` of at least 1, found 0"))
            .hint("a pooling with that stride makes images smaller"));
    }
    Ok(())
}

/// Blocks of equal pixels.
pub fn upsample_nearest2d(b: &mut Builder, x: NodeId, scale: [u64; 2]) -> Result<NodeId> {
    const OP: &str = "upsample_nearest2d";
    check(b, OP, x, scale)?;
    let blocks = blocks(b.shape(x), scale);
    let pixels = b.view(x, blocks, [0, 1, 2, 4].map(AxisIndex::axis).to_vec())?;
    joined(b, OP, x, pixels, scale)
}

/// Between pixels, straight lines along one axis after the other.
pub fn upsample_bilinear2d(b: &mut Builder, x: NodeId, scale: [u64; 2]) -> Result<NodeId> {
    const OP: &str = "upsample_bilinear2d";
    check(b, OP, x, scale)?;
    float(b, OP, x)?;
    let dtype = b.dtype(x);
    let source = b.cast(x, dtype.compute())?;
    let rows = between(b, source, 2, scale[0])?;
    // [n, c, h, scale, w]
    let columns = between(b, rows, 4, scale[1])?;
    let pixels = b.cast(columns, dtype)?;
    joined(b, OP, x, pixels, scale)
}

/// `[n, c, h, scale, w, scale]`.
fn blocks(shape: &Shape, [down, across]: [u64; 2]) -> Shape {
    let [down, across] = [down, across].map(|scale| Dim::constant(scale as i64));
    Shape(vec![shape[0].clone(), shape[1].clone(), shape[2].clone(), down, shape[3].clone(), across])
}

/// The image of which `pixels` are the blocks.
fn joined(b: &mut Builder, op: &str, x: NodeId, pixels: NodeId, scale: [u64; 2]) -> Result<NodeId> {
    let source = b.shape(x).clone();
    let size = |axis: usize| source[2 + axis].clone() * Dim::constant(scale[axis] as i64);
    let y = b.reshape(pixels, Shape(vec![source[0].clone(), source[1].clone(), size(0), size(1)]))?;
    note_scale(b, op, (x, y), scale);
    Ok(y)
}

/// Notes where the sizes of the last two axes of `y` came from.
pub(crate) fn note_scale(b: &mut Builder, name: &str, (x, y): (NodeId, NodeId), scale: [u64; 2]) {
    for (axis, scale) in scale.into_iter().enumerate() {
        if scale != 1 {
            let origin = format!("`{name}`, {scale} times {}", b.shape(x)[2 + axis]);
            b.set_origin(y, 2 + axis, &origin);
        }
    }
}

/// `x` with an axis of `scale` elements behind `axis`: those of its block, each between the centre of its own pixel and that of
/// the one it is nearer to.
fn between(b: &mut Builder, x: NodeId, axis: usize, scale: u64) -> Result<NodeId> {
    let (source, dtype) = (b.shape(x).clone(), b.dtype(x));
    let mut shape = source.clone();
    shape.0.insert(axis + 1, Dim::constant(scale as i64));
    let moved = |b: &mut Builder, by: i64| {
        let mut index: Vec<AxisIndex> =
            (0..source.rank()).map(|own| AxisIndex::axis(own + usize::from(own > axis))).collect();
        index[axis].offset = Dim::constant(by);
        b.view(x, shape.clone(), index)
    };
    let own = moved(b, 0)?;
    if scale == 1 {
        return Ok(own);
    }
    let (before, after) = (moved(b, -1)?, moved(b, 1)?);
    // Beyond the ends there is the pixel itself.
    let position = b.iota(&shape, axis, DType::I32)?;
    let first = b.integer(0, DType::I32)?;
    let is_first = b.compare(CompareOp::Eq, position, first)?;
    let before = b.select(is_first, own, before)?;
    let last = b.dim(&(source[axis].clone() - Dim::constant(1)), DType::I32)?;
    let is_last = b.compare(CompareOp::Eq, position, last)?;
    let after = b.select(is_last, own, after)?;
    // Where in its block an element is, from -1/2 to 1/2 pixels.
    let number = b.iota(&shape, axis + 1, dtype)?;
    let half = b.constant(0.5, dtype);
    let centre = b.binary(BinaryOp::Add, number, half)?;
    let pixels = b.constant(scale as f64, dtype);
    let place = b.binary(BinaryOp::Div, centre, pixels)?;
    let place = b.binary(BinaryOp::Sub, place, half)?;
    let zero = b.constant(0.0, dtype);
    let to_before = b.compare(CompareOp::Lt, place, zero)?;
    let neighbour = b.select(to_before, before, after)?;
    let towards = b.binary(BinaryOp::Sub, neighbour, own)?;
    let share = b.unary(crate::graph::UnaryOp::Abs, place)?;
    let step = b.binary(BinaryOp::Mul, share, towards)?;
    b.binary(BinaryOp::Add, own, step)
}
