//! Triangular systems, a work-item for each column of the right-hand side.

use super::call::{AxisSize, Cotangents, NumericKernel, Reverse, number};
use super::matrix::{minus, times_transposed, triangle};
use crate::graph::build::Builder;
use crate::graph::{CompareOp, Derivative, NodeId};
use crate::span::Result;

/// Substitution, from the first row on or from the last one back.
const SOLVE: &str = "
kernel solve_triangular
launch [R*M]
param a: read %T
param b: read %T
param upper: scalar i32
param x: read_write %T
param N: size
param M: size
var i: i32
var r: i32
var m: i32
var t: i32
var row: i32
var from: i32
var to: i32
var k: i32
var sum: %T
let $i = cast.i32(global_id.0)
let $r = div($i, @M)
let $m = rem($i, @M)
for $t in 0i32..@N step 1i32 {
  let $row = select(ne(@upper, 0i32), sub(sub(@N, 1i32), $t), $t)
  let $from = select(ne(@upper, 0i32), add($row, 1i32), 0i32)
  let $to = select(ne(@upper, 0i32), @N, $row)
  let $sum = load @b[add(mul(add(mul($r, @N), $row), @M), $m)]
  for $k in $from..$to step 1i32 {
    set $sum = sub($sum, mul(load @a[add(mul(add(mul($r, @N), $row), @N), $k)], load @x[add(mul(add(mul($r, @N), $k), @M), $m)]))
  }
  store @x[add(mul(add(mul($r, @N), $row), @M), $m)] = div($sum, load @a[add(mul(add(mul($r, @N), $row), @N), $row)])
}
";

/// `x` of `a x = b`, of matrices `a [r, n, n]`, of which one triangle is read, and `b [r, n, m]`.
pub(crate) fn solve(b: &mut Builder, a: NodeId, right: NodeId, upper: bool) -> Result<NodeId> {
    let square: &[AxisSize<'_>] = &[AxisSize::Symbol("R"), AxisSize::Symbol("N"), AxisSize::Symbol("N")];
    let columns: &[AxisSize<'_>] = &[AxisSize::Symbol("R"), AxisSize::Symbol("N"), AxisSize::Symbol("M")];
    let own = NumericKernel {
        name: "solve_triangular",
        text: SOLVE,
        derivative: Derivative::Triangular,
        dtype: b.dtype(a),
        symbols: &["R", "N", "M"],
        inputs: &[("a", square), ("b", columns)],
        numbers: &["upper"],
        results: &[("x", columns)],
        places: &[],
    };
    let sizes = b.shape(right).0.clone();
    Ok(own.call(b, &sizes, &[a, right], &[upper.into()])?[0])
}

/// `x` of `a^T x = b`.
pub(crate) fn solve_transposed(b: &mut Builder, a: NodeId, right: NodeId, upper: bool) -> Result<NodeId> {
    let a = b.transpose(a)?;
    solve(b, a, right, !upper)
}

/// `x` of `x a = b`.
pub(crate) fn solve_behind(b: &mut Builder, a: NodeId, right: NodeId, upper: bool) -> Result<NodeId> {
    let right = b.transpose(right)?;
    let x = solve_transposed(b, a, right, upper)?;
    b.transpose(x)
}

/// `B = A^-T X`, of which `A` gets `-B x^T` where it is read (capital letters are cotangents here).
pub(super) fn cotangents(b: &mut Builder, of: &Reverse<'_>) -> Result<Cotangents> {
    let (a, x, upper) = (of.operands[0], of.results[0], number(b, of.operands[2]) != 0);
    let Some(cotangent) = of.cotangents[0] else { return Ok(Vec::new()) };
    let right = solve_transposed(b, a, cotangent, upper)?;
    let matrix = times_transposed(b, right, x)?;
    let matrix = triangle(b, matrix, if upper { CompareOp::Ge } else { CompareOp::Le }, 0)?;
    Ok(vec![(0, minus(b, matrix)?), (1, right)])
}
