//! Images `[n, c, h, w]` a whole number of times as high and as wide, as PyTorch's `interpolate` makes them.

use super::args::{Args, X, arg, float};
use super::convolution::pair;
use super::elementary::Formula;
use super::{ArgKind, Operation, Value};
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{AxisIndex, BinaryOp, CompareOp, NodeId, Origin, UnaryOp};
use crate::span::{Diagnostic, Result};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        name: "upsample_nearest2d",
        doc: "each pixel of `x [n, c, h, w]` as a block of `scale` pixels, which is one integer or `[height, width]`: \
              `-> [n, c, h * scale, w * scale]`",
        args: &[X, arg("scale", ArgKind::Sizes)],
        build: |b, a| {
            let by = scale("upsample_nearest2d", a)?;
            upsample_nearest2d(b, a.tensor(0)?, by)
        },
    },
    Operation {
        name: "upsample_bilinear2d",
        doc: "as `upsample_nearest2d`, but between the centres of neighbouring pixels as a straight line, and level beyond \
              those of the first and the last (PyTorch's `align_corners=False`)",
        args: &[X, arg("scale", ArgKind::Sizes)],
        build: |b, a| {
            let by = scale("upsample_bilinear2d", a)?;
            upsample_bilinear2d(b, a.tensor(0)?, by)
        },
    },
    Operation {
        name: "upsample_bicubic2d",
        doc: "as `upsample_bilinear2d`, but along a smooth curve through four pixels",
        args: &[X, arg("scale", ArgKind::Sizes)],
        build: |b, a| {
            let by = scale("upsample_bicubic2d", a)?;
            upsample(b, "upsample_bicubic2d", a.tensor(0)?, by, curved)
        },
    },
];

/// How many pixels each becomes, along both axes.
fn scale(op: &str, a: &[Value]) -> Result<[u64; 2]> {
    let sizes = a.sizes(1)?;
    match sizes.iter().find(|size| size.as_constant().is_none()) {
        Some(size) => {
            Err(Diagnostic::new(format!("`{op}` expects an integer constant of at least 1 as `scale`, found {size}"))
                .needs_number(size)
                .hint(format!(
                    "it says how many pixels each becomes, and not how large the image is then: write `{op}(2)`"
                )))
        }
        None => pair(op, "scale", a, 1),
    }
}

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
    upsample(b, "upsample_bilinear2d", x, scale, between)
}

/// What is between pixels along an axis, as an axis behind it.
type Between = fn(&mut Builder, NodeId, usize, u64) -> Result<NodeId>;

/// What is between pixels along one axis after the other.
fn upsample(b: &mut Builder, op: &str, x: NodeId, scale: [u64; 2], between: Between) -> Result<NodeId> {
    check(b, op, x, scale)?;
    float(b, op, x)?;
    let dtype = b.dtype(x);
    let source = b.cast(x, dtype.compute())?;
    let rows = between(b, source, 2, scale[0])?;
    // [n, c, h, scale, w]
    let columns = between(b, rows, 4, scale[1])?;
    let pixels = b.cast(columns, dtype)?;
    joined(b, op, x, pixels, scale)
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
            let how = format!("{scale} times {}", b.shape(x)[2 + axis]);
            b.set_origin(y, 2 + axis, Origin::Made { by: name.to_string(), how });
        }
    }
}

/// `x` with an axis of `scale` elements behind `axis`: those of its block, each between the centre of its own pixel and that of
/// the one it is nearer to.
fn between(b: &mut Builder, x: NodeId, axis: usize, scale: u64) -> Result<NodeId> {
    let (source, dtype) = (b.shape(x).clone(), b.dtype(x));
    let mut shape = source.clone();
    shape.0.insert(axis + 1, Dim::constant(scale as i64));
    let own = moved(b, x, &shape, axis, 0)?;
    if scale == 1 {
        return Ok(own);
    }
    let (before, after) = (moved(b, x, &shape, axis, -1)?, moved(b, x, &shape, axis, 1)?);
    // Beyond the ends there is the pixel itself.
    let position = b.iota(&shape, axis, DType::I32)?;
    let first = b.integer(0, DType::I32)?;
    let is_first = b.compare(CompareOp::Eq, position, first)?;
    let before = b.select(is_first, own, before)?;
    let last = b.dim(&(source[axis].clone() - Dim::constant(1)), DType::I32)?;
    let is_last = b.compare(CompareOp::Eq, position, last)?;
    let after = b.select(is_last, own, after)?;
    let place = within_block(b, &shape, axis, scale, dtype)?;
    let zero = b.constant(0.0, dtype);
    let to_before = b.compare(CompareOp::Lt, place, zero)?;
    let neighbour = b.select(to_before, before, after)?;
    let towards = b.binary(BinaryOp::Sub, neighbour, own)?;
    let share = b.unary(UnaryOp::Abs, place)?;
    let step = b.binary(BinaryOp::Mul, share, towards)?;
    b.binary(BinaryOp::Add, own, step)
}

/// The pixels `by` places on along `axis`, each for all elements of the block behind it.
fn moved(b: &mut Builder, x: NodeId, shape: &Shape, axis: usize, by: i64) -> Result<NodeId> {
    let rank = b.shape(x).rank();
    let mut index: Vec<AxisIndex> = (0..rank).map(|own| AxisIndex::axis(own + usize::from(own > axis))).collect();
    index[axis].offset = Dim::constant(by);
    b.view(x, shape.clone(), index)
}

/// Where in its block an element is, from -1/2 to 1/2 pixels.
fn within_block(b: &mut Builder, shape: &Shape, axis: usize, scale: u64, dtype: DType) -> Result<NodeId> {
    let number = b.iota(shape, axis + 1, dtype)?;
    let half = b.constant(0.5, dtype);
    let centre = b.binary(BinaryOp::Add, number, half)?;
    let pixels = b.constant(scale as f64, dtype);
    let place = b.binary(BinaryOp::Div, centre, pixels)?;
    b.binary(BinaryOp::Sub, place, half)
}

/// As [`between`], along a cubic curve: of the five pixels around an element those nearer than two have a share.
fn curved(b: &mut Builder, x: NodeId, axis: usize, scale: u64) -> Result<NodeId> {
    let (source, dtype) = (b.shape(x).clone(), b.dtype(x));
    let mut shape = source.clone();
    shape.0.insert(axis + 1, Dim::constant(scale as i64));
    if scale == 1 {
        return moved(b, x, &shape, axis, 0);
    }
    let end = source[axis].clone() - Dim::constant(1);
    let (position, last) = (b.iota(&shape, axis, DType::I32)?, b.dim(&end, DType::I32)?);
    let place = within_block(b, &shape, axis, scale, dtype)?;
    let mut sum = None;
    for by in -2..=2 {
        let mut pixel = moved(b, x, &shape, axis, by)?;
        // Beyond the ends there are the first and the last pixel.
        if by != 0 {
            let mut index: Vec<AxisIndex> =
                (0..source.rank()).map(|own| AxisIndex::axis(own + usize::from(own > axis))).collect();
            index[axis] = AxisIndex::fixed(if by < 0 { Dim::constant(0) } else { end.clone() });
            let outermost = b.view(x, shape.clone(), index)?;
            let offset = b.integer(by, DType::I32)?;
            let at = b.binary(BinaryOp::Add, position, offset)?;
            let zero = b.integer(0, DType::I32)?;
            let beyond = if by < 0 { b.compare(CompareOp::Lt, at, zero)? } else { b.compare(CompareOp::Gt, at, last)? };
            pixel = b.select(beyond, outermost, pixel)?;
        }
        let share = cubic_share(b, place, by)?;
        let part = b.binary(BinaryOp::Mul, share, pixel)?;
        sum = Some(match sum {
            Some(sum) => b.binary(BinaryOp::Add, sum, part)?,
            None => part,
        });
    }
    Ok(sum.unwrap_or_else(|| unreachable!("there are five pixels")))
}

/// The share of the pixel that is `by` pixels on, of an element at `place`: a cubic convolution as PyTorch's (Keys, "Cubic convolution
/// interpolation for digital image processing", 1981).
fn cubic_share(b: &mut Builder, place: NodeId, by: i64) -> Result<NodeId> {
    const SLOPE: f64 = -0.75;
    let mut f = Formula(b);
    let pixel = f.number(by as f64, place);
    let distance = f.sub(place, pixel)?;
    let d = f.apply(UnaryOp::Abs, distance)?;
    // ((a + 2) d - (a + 3)) d^2 + 1
    let near = f.scaled(d, SLOPE + 2.0)?;
    let shift = f.number(SLOPE + 3.0, d);
    let near = f.sub(near, shift)?;
    let near = f.mul(near, d)?;
    let near = f.mul(near, d)?;
    let one = f.number(1.0, d);
    let near = f.add(near, one)?;
    // ((a d - 5 a) d + 8 a) d - 4 a
    let far = f.scaled(d, SLOPE)?;
    let [five, eight, four] = [5.0, 8.0, 4.0].map(|times| f.number(times * SLOPE, d));
    let far = f.sub(far, five)?;
    let far = f.mul(far, d)?;
    let far = f.add(far, eight)?;
    let far = f.mul(far, d)?;
    let far = f.sub(far, four)?;
    let zero = f.number(0.0, d);
    let is_far = f.is(CompareOp::Lt, d, 2.0)?;
    let far = f.0.select(is_far, far, zero)?;
    let is_near = f.is(CompareOp::Le, d, 1.0)?;
    f.0.select(is_near, near, far)
}
