//! Gauss's elimination with partial pivoting, a work-item for each matrix.

use super::call::{AxisSize, Cotangents, NumericKernel, Reverse};
use super::matrix::{plus, times_transposed, transposed_times, triangle, with_ones};
use super::triangular::{solve, solve_transposed};
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{AxisIndex, BinaryOp, CompareOp, Derivative, NodeId};
use crate::span::Result;

/// A column of zeros is left as it is.
const LU: &str = "
kernel lu
launch [R]
param a: read %T
param lu: read_write %T
param parity: write %T
param order: read_write i32
param R: size
param N: size
var lane: i32
var start: i32
var row: i32
var k: i32
var i: i32
var t: i32
var j: i32
var from: i32
var held: i32
var m: i32
var most: %T
var size: %T
var pivot: %T
var factor: %T
var value: %T
var sign: %T
let $lane = cast.i32(global_id.0)
let $sign = 1.0%T
for $start in 0i32..mul(@N, @N) step 1i32 {
  store @lu[add(mul($start, @R), $lane)] = load @a[add(mul($start, @R), $lane)]
}
for $row in 0i32..@N step 1i32 {
  store @order[add(mul($row, @R), $lane)] = $row
}
for $k in 0i32..@N step 1i32 {
  let $from = $k
  let $most = abs(load @lu[add(mul(add(mul($k, @N), $k), @R), $lane)])
  for $i in add($k, 1i32)..@N step 1i32 {
    let $size = abs(load @lu[add(mul(add(mul($i, @N), $k), @R), $lane)])
    if gt($size, $most) {
      set $most = $size
      set $from = $i
    }
  }
  if ne($from, $k) {
    set $sign = neg($sign)
    let $held = load @order[add(mul($k, @R), $lane)]
    store @order[add(mul($k, @R), $lane)] = load @order[add(mul($from, @R), $lane)]
    store @order[add(mul($from, @R), $lane)] = $held
    for $j in 0i32..@N step 1i32 {
      let $value = load @lu[add(mul(add(mul($k, @N), $j), @R), $lane)]
      store @lu[add(mul(add(mul($k, @N), $j), @R), $lane)] = load @lu[add(mul(add(mul($from, @N), $j), @R), $lane)]
      store @lu[add(mul(add(mul($from, @N), $j), @R), $lane)] = $value
    }
  }
  let $pivot = load @lu[add(mul(add(mul($k, @N), $k), @R), $lane)]
  if ne($pivot, 0.0%T) {
    for $t in add($k, 1i32)..@N step 1i32 {
      let $factor = div(load @lu[add(mul(add(mul($t, @N), $k), @R), $lane)], $pivot)
      store @lu[add(mul(add(mul($t, @N), $k), @R), $lane)] = $factor
      for $m in add($k, 1i32)..@N step 1i32 {
        store @lu[add(mul(add(mul($t, @N), $m), @R), $lane)] = sub(load @lu[add(mul(add(mul($t, @N), $m), @R), $lane)], mul($factor, load @lu[add(mul(add(mul($k, @N), $m), @R), $lane)]))
      }
    }
  }
}
store @parity[$lane] = $sign
";

/// A decomposition `p a = l u` of matrices `[r, n, n]`.
pub(crate) struct Lu {
    /// `u`, and below its diagonal `l`, whose own is of ones.
    pub(crate) packed: NodeId,
    /// The determinant of `p`, `[r]`.
    pub(crate) parity: NodeId,
    /// Which rows of `a` those of `p a` are, as i32 `[r, n]`.
    pub(crate) order: NodeId,
}

/// The decomposition.
pub(crate) fn lu(b: &mut Builder, a: NodeId) -> Result<Lu> {
    let square: &[AxisSize<'_>] = &[AxisSize::Symbol("R"), AxisSize::Symbol("N"), AxisSize::Symbol("N")];
    let own = NumericKernel {
        name: "lu",
        text: LU,
        derivative: Derivative::Lu,
        dtype: b.dtype(a),
        symbols: &["R", "N"],
        inputs: &[("a", square)],
        numbers: &[],
        results: &[("lu", square), ("parity", &square[..1])],
        places: &[("order", &square[..2])],
    };
    let sizes = b.shape(a).0[..2].to_vec();
    let results = own.call(b, &sizes, &[a], &[])?;
    Ok(Lu { packed: results[0], parity: results[1], order: results[2] })
}

/// `l` of what is packed.
pub(crate) fn lower(b: &mut Builder, packed: NodeId) -> Result<NodeId> {
    let below = triangle(b, packed, CompareOp::Lt, 0)?;
    with_ones(b, below)
}

/// `p x`, whose rows are those of `x [r, n, m]` in that order.
pub(crate) fn permuted(b: &mut Builder, order: NodeId, x: NodeId) -> Result<NodeId> {
    let shape = b.shape(x).clone();
    let (rows, all) = flat(&shape);
    let x = b.reshape(x, all)?;
    let places = places(b, order, rows)?;
    let taken = b.gather(x, places)?;
    b.reshape(taken, shape)
}

/// `[r, n, m]` as rows.
fn flat(shape: &Shape) -> (Dim, Shape) {
    let rows = shape[0].clone() * shape[1].clone();
    (rows.clone(), Shape(vec![rows, shape[2].clone()]))
}

/// The order as numbers among the rows of all matrices.
fn places(b: &mut Builder, order: NodeId, rows: Dim) -> Result<NodeId> {
    let shape = b.shape(order).clone();
    let (matrix, size) = (b.iota(&shape, 0, DType::I32)?, b.dim(&shape[1], DType::I32)?);
    let size = b.view(size, shape, Vec::<AxisIndex>::new())?;
    let first = b.binary(BinaryOp::Mul, matrix, size)?;
    let places = b.binary(BinaryOp::Add, first, order)?;
    b.reshape(places, Shape(vec![rows]))
}

/// `A = p^T l^-T F u^-T` with `F` the strictly lower triangle of `l^T L` and the upper one of `U u^T` (capital letters are
/// cotangents): from `l^-1 d(p a) u^-1 = l^-1 dl + du u^-1`, whose summands are such triangles.
pub(super) fn cotangents(b: &mut Builder, of: &Reverse<'_>) -> Result<Cotangents> {
    let (packed, order) = (of.results[0], of.results[2]);
    let Some(cotangent) = of.cotangents[0] else { return Ok(Vec::new()) };
    let (l, u) = (lower(b, packed)?, triangle(b, packed, CompareOp::Ge, 0)?);
    let (of_l, of_u) = (triangle(b, cotangent, CompareOp::Lt, 0)?, triangle(b, cotangent, CompareOp::Ge, 0)?);
    let below = transposed_times(b, l, of_l)?;
    let below = triangle(b, below, CompareOp::Lt, 0)?;
    let above = times_transposed(b, of_u, u)?;
    let above = triangle(b, above, CompareOp::Ge, 0)?;
    let both = plus(b, Some(below), above)?;
    let left = solve_transposed(b, l, both, false)?;
    let left = b.transpose(left)?;
    let right = solve(b, u, left, true)?;
    let permuted = b.transpose(right)?;
    let shape = b.shape(permuted).clone();
    let (rows, all) = flat(&shape);
    let permuted = b.reshape(permuted, all.clone())?;
    let places = places(b, order, rows)?;
    let sum = b.scatter_add(places, permuted, &all)?;
    Ok(vec![(0, b.reshape(sum, shape)?)])
}
