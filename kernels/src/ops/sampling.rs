//! Images `[n, c, h, w]` read at places that a tensor names.

use super::args::{Args, X, arg, float, tensor_arg};
use super::elementary::Formula;
use super::scatter::within;
use super::{ArgKind, Operation};
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, CompareOp, NodeId, UnaryOp};
use crate::span::{Diagnostic, Result};

const OP: &str = "grid_sample";

pub(super) const OPERATIONS: &[Operation] = &[Operation {
    name: OP,
    doc: "the pixels of `x [n, c, h, w]` at the places `grid [n, oh, ow, 2]`, each `(x, y)` from -1 to 1 across the image: \
          `-> [n, c, oh, ow]`. `mode` is `\"bilinear\"` or `\"nearest\"`; outside there are `\"zeros\"`, or the pixels of the \
          `\"border\"`, as `padding` says; with `align_corners` -1 and 1 are the centres of the outermost pixels, else their outer edges",
    args: &[
        X,
        tensor_arg("grid"),
        arg("mode", ArgKind::Text),
        arg("padding", ArgKind::Text),
        arg("align_corners", ArgKind::Bool),
    ],
    build: |b, a| {
        let (bilinear, border) =
            (word("mode", a.text(2)?, ["bilinear", "nearest"])?, word("padding", a.text(3)?, ["border", "zeros"])?);
        grid_sample(b, [a.tensor(0)?, a.tensor(1)?], Sampling { bilinear, border, corners: a.bool(4)? })
    },
}];

/// Whether `given` is the first of two words.
fn word(name: &str, given: &str, words: [&str; 2]) -> Result<bool> {
    match words.iter().position(|word| *word == given) {
        Some(position) => Ok(position == 0),
        None => Err(Diagnostic::new(format!(
            "`{OP}` expects `{}` or `{}` as `{name}`, found `{given}`",
            words[0], words[1]
        ))),
    }
}

/// How pixels are read.
#[derive(Clone, Copy)]
struct Sampling {
    bilinear: bool,
    border: bool,
    corners: bool,
}

/// A neighbour of places along one axis: its number, whether it is inside, and its share.
struct Neighbour {
    position: NodeId,
    inside: NodeId,
    share: Option<NodeId>,
}

fn grid_sample(b: &mut Builder, [x, grid]: [NodeId; 2], how: Sampling) -> Result<NodeId> {
    let dtype = float(b, OP, x)?;
    let (image, places) = (b.shape(x).clone(), b.shape(grid).clone());
    if b.dtype(grid) != dtype {
        let found = b.dtype(grid);
        return Err(Diagnostic::new(format!("`{OP}` of {dtype} expects a grid of the same type, found {found}")));
    }
    let what = format!("`{OP}` expects an image [n, c, h, w] and a grid [n, oh, ow, 2], found {image} and {places}");
    if image.rank() != 4 || places.rank() != 4 || !places[3].is(2) || !b.agree_along([(x, 0), (grid, 0)], &what, "and")
    {
        return Err(Diagnostic::new(what));
    }
    within(b, OP, &image, i32::MAX.into())?;
    let grid = b.cast(grid, dtype.compute())?;
    let along = |b: &mut Builder, coordinate: i64, size: &Dim| {
        let place = super::shape::get(b, grid, 3, &Dim::constant(coordinate))?;
        neighbours(b, place, size, how)
    };
    let (columns, rows) = (along(b, 0, &image[3])?, along(b, 1, &image[2])?);
    let pixels = b.permute(x, &[0, 2, 3, 1])?;
    let count = Shape(vec![image[0].clone(), image[2].clone(), image[3].clone()]).elements();
    let pixels = b.reshape(pixels, Shape(vec![count, image[1].clone()]))?;
    let mut sum: Option<NodeId> = None;
    for row in &rows {
        for column in &columns {
            let found = read(b, pixels, &image, [row, column])?;
            sum = Some(match sum {
                Some(sum) => b.binary(BinaryOp::Add, sum, found)?,
                None => found,
            });
        }
    }
    let sum = sum.unwrap_or_else(|| unreachable!("a place has a neighbour"));
    let sum = b.cast(sum, dtype)?;
    b.permute(sum, &[0, 3, 1, 2])
}

/// The pixels that places in `-1..1` are between along an axis of `size`.
fn neighbours(b: &mut Builder, place: NodeId, size: &Dim, how: Sampling) -> Result<Vec<Neighbour>> {
    let dtype = b.dtype(place);
    let (one, half, length) = (b.constant(1.0, dtype), b.constant(0.5, dtype), b.dim(size, dtype)?);
    let last = b.dim(&(size.clone() - Dim::constant(1)), dtype)?;
    let mut f = Formula(b);
    let along = f.add(place, one)?;
    let mut at = if how.corners {
        let whole = f.mul(along, last)?;
        f.mul(whole, half)?
    } else {
        let whole = f.mul(along, length)?;
        let whole = f.sub(whole, one)?;
        f.mul(whole, half)?
    };
    if how.border {
        let zero = f.number(0.0, at);
        at = f.0.binary(BinaryOp::Max, at, zero)?;
        at = f.0.binary(BinaryOp::Min, at, last)?;
    }
    if !how.bilinear {
        let nearest = f.apply(UnaryOp::Round, at)?;
        return Ok(vec![neighbour(b, nearest, last, None)?]);
    }
    let below = f.apply(UnaryOp::Floor, at)?;
    let above = f.add(below, one)?;
    let share = f.sub(at, below)?;
    let rest = f.sub(one, share)?;
    Ok(vec![neighbour(b, below, last, Some(rest))?, neighbour(b, above, last, Some(share))?])
}

fn neighbour(b: &mut Builder, at: NodeId, last: NodeId, share: Option<NodeId>) -> Result<Neighbour> {
    let zero = b.constant(0.0, b.dtype(at));
    let (from, to) = (b.compare(CompareOp::Ge, at, zero)?, b.compare(CompareOp::Le, at, last)?);
    let inside = b.binary(BinaryOp::And, from, to)?;
    let position = b.cast(at, DType::I32)?;
    Ok(Neighbour { position, inside, share })
}

/// The pixels `[n h w, c]` in a row and a column, times their shares; zeros where there is none.
fn read(b: &mut Builder, pixels: NodeId, image: &Shape, [row, column]: [&Neighbour; 2]) -> Result<NodeId> {
    let shape = b.shape(row.position).clone();
    let [height, width] = [2, 3].map(|axis| b.dim(&image[axis], DType::I32));
    let (height, width) = (height?, width?);
    let start = b.iota(&shape, 0, DType::I32)?;
    let start = b.binary(BinaryOp::Mul, start, height)?;
    let rows = b.binary(BinaryOp::Add, start, row.position)?;
    let start = b.binary(BinaryOp::Mul, rows, width)?;
    let place = b.binary(BinaryOp::Add, start, column.position)?;
    let (inside, nowhere) = (b.binary(BinaryOp::And, row.inside, column.inside)?, b.integer(-1, DType::I32)?);
    let place = b.select(inside, place, nowhere)?;
    let found = b.gather(pixels, place)?;
    let (Some(down), Some(across)) = (row.share, column.share) else {
        return Ok(found);
    };
    let found = b.cast(found, b.dtype(down))?;
    let share = b.binary(BinaryOp::Mul, down, across)?;
    let share = super::shape::unsqueeze(b, share, shape.rank())?;
    b.binary(BinaryOp::Mul, found, share)
}
