//! Householder's decomposition of matrices that are no wider than high, a work-item for each.

use super::call::{AxisSize, Cotangents, NumericKernel, Reverse};
use super::matrix::{minus, plus, times_transposed, transposed_times, triangle};
use super::triangular::solve;
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, CompareOp, Derivative, NodeId};
use crate::span::Result;

/// As LAPACK's `geqrf` and `orgqr`: a column is reflected to the other side of 0, unless there is nothing below its diagonal, or nothing
/// that is not lost in the rounding of what is on it. The reflections stay below the diagonal of `work`, as multiples whose first element
/// is 1, and of none zeros.
const QR: &str = "
kernel qr
launch [R]
param a: read %T
param q: read_write %T
param r: write %T
param work: read_write %T
param R: size
param M: size
param N: size
var lane: i32
var start: i32
var i: i32
var a1: i32
var a2: i32
var a3: i32
var a4: i32
var a5: i32
var a6: i32
var j: i32
var b1: i32
var b2: i32
var c1: i32
var c2: i32
var d1: i32
var s: i32
var e: i32
var f1: i32
var f2: i32
var f3: i32
var alpha: %T
var most: %T
var tail: %T
var part: %T
var beta: %T
var tau: %T
var sum: %T
var rest: %T
var back: %T
var total: %T
let $lane = cast.i32(global_id.0)
for $start in 0i32..mul(@M, @N) step 1i32 {
  store @work[add(mul($start, @R), $lane)] = load @a[add(mul($start, @R), $lane)]
  store @q[add(mul($start, @R), $lane)] = select(eq(div($start, @N), rem($start, @N)), 1.0%T, 0.0%T)
}
for $i in 0i32..@N step 1i32 {
  let $alpha = load @work[add(mul(add(mul($i, @N), $i), @R), $lane)]
  let $most = abs($alpha)
  for $a1 in add($i, 1i32)..@M step 1i32 {
    set $most = max($most, abs(load @work[add(mul(add(mul($a1, @N), $i), @R), $lane)]))
  }
  let $tail = 0.0%T
  for $a2 in add($i, 1i32)..@M step 1i32 {
    let $part = div(load @work[add(mul(add(mul($a2, @N), $i), @R), $lane)], $most)
    set $tail = add($tail, mul($part, $part))
  }
  if gt($tail, 0.0%T) {
    let $beta = mul($most, sqrt(add(mul(div($alpha, $most), div($alpha, $most)), $tail)))
    set $beta = select(lt($alpha, 0.0%T), $beta, neg($beta))
    for $a3 in add($i, 1i32)..@M step 1i32 {
      store @work[add(mul(add(mul($a3, @N), $i), @R), $lane)] = div(load @work[add(mul(add(mul($a3, @N), $i), @R), $lane)], sub($alpha, $beta))
    }
    let $tau = div(sub($beta, $alpha), $beta)
    store @work[add(mul(add(mul($i, @N), $i), @R), $lane)] = $beta
    for $j in add($i, 1i32)..@N step 1i32 {
      let $sum = load @work[add(mul(add(mul($i, @N), $j), @R), $lane)]
      for $a4 in add($i, 1i32)..@M step 1i32 {
        set $sum = add($sum, mul(load @work[add(mul(add(mul($a4, @N), $i), @R), $lane)], load @work[add(mul(add(mul($a4, @N), $j), @R), $lane)]))
      }
      set $sum = mul($sum, $tau)
      store @work[add(mul(add(mul($i, @N), $j), @R), $lane)] = sub(load @work[add(mul(add(mul($i, @N), $j), @R), $lane)], $sum)
      for $a5 in add($i, 1i32)..@M step 1i32 {
        store @work[add(mul(add(mul($a5, @N), $j), @R), $lane)] = sub(load @work[add(mul(add(mul($a5, @N), $j), @R), $lane)], mul(load @work[add(mul(add(mul($a5, @N), $i), @R), $lane)], $sum))
      }
    }
  } else {
    for $a6 in add($i, 1i32)..@M step 1i32 {
      store @work[add(mul(add(mul($a6, @N), $i), @R), $lane)] = 0.0%T
    }
  }
}
for $b1 in 0i32..@N step 1i32 {
  for $b2 in 0i32..@N step 1i32 {
    store @r[add(mul(add(mul($b1, @N), $b2), @R), $lane)] = select(ge($b2, $b1), load @work[add(mul(add(mul($b1, @N), $b2), @R), $lane)], 0.0%T)
  }
}
for $c1 in 0i32..@N step 1i32 {
  let $s = sub(sub(@N, 1i32), $c1)
  let $rest = 0.0%T
  for $c2 in add($s, 1i32)..@M step 1i32 {
    set $rest = add($rest, mul(load @work[add(mul(add(mul($c2, @N), $s), @R), $lane)], load @work[add(mul(add(mul($c2, @N), $s), @R), $lane)]))
  }
  if gt($rest, 0.0%T) {
    let $back = div(2.0%T, add($rest, 1.0%T))
    for $e in $s..@N step 1i32 {
      let $total = load @q[add(mul(add(mul($s, @N), $e), @R), $lane)]
      for $f1 in add($s, 1i32)..@M step 1i32 {
        set $total = add($total, mul(load @work[add(mul(add(mul($f1, @N), $s), @R), $lane)], load @q[add(mul(add(mul($f1, @N), $e), @R), $lane)]))
      }
      set $total = mul($total, $back)
      store @q[add(mul(add(mul($s, @N), $e), @R), $lane)] = sub(load @q[add(mul(add(mul($s, @N), $e), @R), $lane)], $total)
      for $f2 in add($s, 1i32)..@M step 1i32 {
        store @q[add(mul(add(mul($f2, @N), $e), @R), $lane)] = sub(load @q[add(mul(add(mul($f2, @N), $e), @R), $lane)], mul(load @work[add(mul(add(mul($f2, @N), $s), @R), $lane)], $total))
      }
    }
  }
}
";

/// `q [r, m, n]` with orthonormal columns and an upper triangular `r [r, n, n]` whose product is `a [r, m, n]`, `m >= n`.
pub(crate) fn qr(b: &mut Builder, a: NodeId) -> Result<[NodeId; 2]> {
    let high: &[AxisSize<'_>] = &[AxisSize::Symbol("R"), AxisSize::Symbol("M"), AxisSize::Symbol("N")];
    let square: &[AxisSize<'_>] = &[AxisSize::Symbol("R"), AxisSize::Symbol("N"), AxisSize::Symbol("N")];
    let own = NumericKernel {
        name: "qr",
        text: QR,
        derivative: Derivative::Qr,
        dtype: b.dtype(a),
        symbols: &["R", "M", "N"],
        inputs: &[("a", high)],
        numbers: &[],
        results: &[("q", high), ("r", square), ("work", high)],
        places: &[],
    };
    let sizes = b.shape(a).0.clone();
    let results = own.call(b, &sizes, &[a], &[])?;
    Ok([results[0], results[1]])
}

/// `A = (Q + q S) r^-T`, where the symmetric `S` has the lower triangle of `r R^T - Q^T q` (Walter, Lehmann and Lamour 2012; capital
/// letters are cotangents).
pub(super) fn cotangents(b: &mut Builder, of: &Reverse<'_>) -> Result<Cotangents> {
    let (q, r) = (of.results[0], of.results[1]);
    let mut inner = None;
    if let Some(of_r) = of.cotangents[1] {
        inner = Some(times_transposed(b, r, of_r)?);
    }
    if let Some(of_q) = of.cotangents[0] {
        let product = transposed_times(b, of_q, q)?;
        let product = minus(b, product)?;
        inner = Some(plus(b, inner, product)?);
    }
    let Some(inner) = inner else { return Ok(Vec::new()) };
    let (with, below) = (triangle(b, inner, CompareOp::Le, 0)?, triangle(b, inner, CompareOp::Lt, 0)?);
    let above = b.transpose(below)?;
    let symmetric = b.binary(BinaryOp::Add, with, above)?;
    let product = b.matmul(q, symmetric)?;
    let sum = plus(b, of.cotangents[0], product)?;
    let sum = b.transpose(sum)?;
    let left = solve(b, r, sum, true)?;
    Ok(vec![(0, b.transpose(left)?)])
}
