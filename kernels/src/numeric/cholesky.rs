//! Cholesky's decomposition, a work-item for each matrix.

use super::call::{AxisSize, Cotangents, NumericKernel, Reverse};
use super::matrix::{diagonal, half, of_diagonal, transposed_times, triangle};
use super::triangular::{solve_behind, solve_transposed};
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, CompareOp, Derivative, NodeId};
use crate::span::Result;

/// Row by row; of a matrix that is not positive definite all is NaN.
const CHOLESKY: &str = "
kernel cholesky
launch [R]
param a: read %T
param l: read_write %T
param R: size
param N: size
var lane: i32
var i: i32
var j: i32
var k: i32
var all: i32
var sum: %T
var definite: bool
let $lane = cast.i32(global_id.0)
let $definite = true
for $i in 0i32..@N step 1i32 {
  for $j in 0i32..@N step 1i32 {
    let $sum = load @a[add(mul(add(mul($i, @N), $j), @R), $lane)]
    for $k in 0i32..min($i, $j) step 1i32 {
      set $sum = sub($sum, mul(load @l[add(mul(add(mul($i, @N), $k), @R), $lane)], load @l[add(mul(add(mul($j, @N), $k), @R), $lane)]))
    }
    if lt($j, $i) {
      store @l[add(mul(add(mul($i, @N), $j), @R), $lane)] = div($sum, load @l[add(mul(add(mul($j, @N), $j), @R), $lane)])
    } else {
      if eq($i, $j) {
        set $definite = and($definite, gt($sum, 0.0%T))
        store @l[add(mul(add(mul($i, @N), $j), @R), $lane)] = sqrt($sum)
      } else {
        store @l[add(mul(add(mul($i, @N), $j), @R), $lane)] = 0.0%T
      }
    }
  }
}
if not($definite) {
  for $all in 0i32..mul(@N, @N) step 1i32 {
    store @l[add(mul($all, @R), $lane)] = nan.%T
  }
}
";

/// `l` of `a = l l^T`, lower triangular, of symmetric matrices `[r, n, n]`.
pub(crate) fn cholesky(b: &mut Builder, a: NodeId) -> Result<NodeId> {
    let square: &[AxisSize<'_>] = &[AxisSize::Symbol("R"), AxisSize::Symbol("N"), AxisSize::Symbol("N")];
    let own = NumericKernel {
        name: "cholesky",
        text: CHOLESKY,
        derivative: Derivative::Cholesky,
        dtype: b.dtype(a),
        symbols: &["R", "N"],
        inputs: &[("a", square)],
        numbers: &[],
        results: &[("l", square)],
        places: &[],
    };
    let sizes = b.shape(a).0[..2].to_vec();
    Ok(own.call(b, &sizes, &[a], &[])?[0])
}

/// `A = l^-T P l^-1` with the lower triangle `P` of `l^T L`, its diagonal halved, made symmetric (Murray 2016, "Differentiation of the
/// Cholesky decomposition"; capital letters are cotangents).
pub(super) fn cotangents(b: &mut Builder, of: &Reverse<'_>) -> Result<Cotangents> {
    let l = of.results[0];
    let Some(cotangent) = of.cotangents[0] else { return Ok(Vec::new()) };
    let product = transposed_times(b, l, cotangent)?;
    // Half of what is symmetric: a diagonal that is halved, and both triangles.
    let below = triangle(b, product, CompareOp::Lt, 0)?;
    let main = diagonal(b, product)?;
    let main = of_diagonal(b, main)?;
    let above = b.transpose(below)?;
    let sum = b.binary(BinaryOp::Add, below, above)?;
    let sum = b.binary(BinaryOp::Add, sum, main)?;
    let sum = half(b, sum)?;
    let left = solve_transposed(b, l, sum, false)?;
    Ok(vec![(0, solve_behind(b, l, left, false)?)])
}
