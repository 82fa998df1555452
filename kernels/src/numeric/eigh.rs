//! Eigenvalues and eigenvectors of symmetric matrices by Jacobi's rotations, a work-item for each matrix.

use super::call::{AxisSize, Cotangents, NumericKernel, Reverse};
use super::matrix::{of_diagonal, plus, times_transposed, transposed_times, triangle, with_ones};
use crate::graph::build::Builder;
use crate::graph::{AxisIndex, BinaryOp, CompareOp, Derivative, NodeId, UnaryOp};
use crate::span::Result;

/// Rotations that make elements beside the diagonal 0, one after the other, until none is left that is not lost in the rounding of
/// the largest element. Then the eigenvalues are put in order, and of each vector the largest element is made positive.
const EIGH: &str = "
kernel eigh
launch [R]
param a: read %T
param w: read_write %T
param v: read_write %T
param work: read_write %T
param R: size
param N: size
var lane: i32
var start: i32
var p: i32
var q: i32
var k1: i32
var k2: i32
var k3: i32
var i: i32
var j: i32
var k4: i32
var d: i32
var c1: i32
var c2: i32
var c3: i32
var least: i32
var sweep: i32
var turned: bool
var size: %T
var across: %T
var theta: %T
var t: %T
var c: %T
var s: %T
var x1: %T
var y1: %T
var x2: %T
var y2: %T
var x3: %T
var y3: %T
var held: %T
var value: %T
var most: %T
var factor: %T
let $lane = cast.i32(global_id.0)
let $size = 0.0%T
for $start in 0i32..mul(@N, @N) step 1i32 {
  store @work[add(mul($start, @R), $lane)] = load @a[add(mul($start, @R), $lane)]
  store @v[add(mul($start, @R), $lane)] = select(eq(div($start, @N), rem($start, @N)), 1.0%T, 0.0%T)
  set $size = max($size, abs(load @a[add(mul($start, @R), $lane)]))
}
let $sweep = 0i32
let $turned = true
while and($turned, lt($sweep, 40i32)) {
  set $turned = false
  set $sweep = add($sweep, 1i32)
  for $p in 0i32..@N step 1i32 {
    for $q in add($p, 1i32)..@N step 1i32 {
      let $across = load @work[add(mul(add(mul($p, @N), $q), @R), $lane)]
      if ne(add($size, abs($across)), $size) {
        set $turned = true
        let $theta = div(sub(load @work[add(mul(add(mul($q, @N), $q), @R), $lane)], load @work[add(mul(add(mul($p, @N), $p), @R), $lane)]), mul(2.0%T, $across))
        let $t = div(1.0%T, add(abs($theta), sqrt(add(mul($theta, $theta), 1.0%T))))
        set $t = select(lt($theta, 0.0%T), neg($t), $t)
        let $c = div(1.0%T, sqrt(add(mul($t, $t), 1.0%T)))
        let $s = mul($t, $c)
        for $k1 in 0i32..@N step 1i32 {
          let $x1 = load @work[add(mul(add(mul($k1, @N), $p), @R), $lane)]
          let $y1 = load @work[add(mul(add(mul($k1, @N), $q), @R), $lane)]
          store @work[add(mul(add(mul($k1, @N), $p), @R), $lane)] = sub(mul($c, $x1), mul($s, $y1))
          store @work[add(mul(add(mul($k1, @N), $q), @R), $lane)] = add(mul($s, $x1), mul($c, $y1))
        }
        for $k2 in 0i32..@N step 1i32 {
          let $x2 = load @work[add(mul(add(mul($p, @N), $k2), @R), $lane)]
          let $y2 = load @work[add(mul(add(mul($q, @N), $k2), @R), $lane)]
          store @work[add(mul(add(mul($p, @N), $k2), @R), $lane)] = sub(mul($c, $x2), mul($s, $y2))
          store @work[add(mul(add(mul($q, @N), $k2), @R), $lane)] = add(mul($s, $x2), mul($c, $y2))
        }
        store @work[add(mul(add(mul($p, @N), $q), @R), $lane)] = 0.0%T
        store @work[add(mul(add(mul($q, @N), $p), @R), $lane)] = 0.0%T
        for $k3 in 0i32..@N step 1i32 {
          let $x3 = load @v[add(mul(add(mul($k3, @N), $p), @R), $lane)]
          let $y3 = load @v[add(mul(add(mul($k3, @N), $q), @R), $lane)]
          store @v[add(mul(add(mul($k3, @N), $p), @R), $lane)] = sub(mul($c, $x3), mul($s, $y3))
          store @v[add(mul(add(mul($k3, @N), $q), @R), $lane)] = add(mul($s, $x3), mul($c, $y3))
        }
      }
    }
  }
}
for $d in 0i32..@N step 1i32 {
  store @w[add(mul($d, @R), $lane)] = load @work[add(mul(add(mul($d, @N), $d), @R), $lane)]
}
for $i in 0i32..@N step 1i32 {
  let $least = $i
  for $j in add($i, 1i32)..@N step 1i32 {
    if lt(load @w[add(mul($j, @R), $lane)], load @w[add(mul($least, @R), $lane)]) {
      set $least = $j
    }
  }
  let $held = load @w[add(mul($i, @R), $lane)]
  store @w[add(mul($i, @R), $lane)] = load @w[add(mul($least, @R), $lane)]
  store @w[add(mul($least, @R), $lane)] = $held
  for $k4 in 0i32..@N step 1i32 {
    let $value = load @v[add(mul(add(mul($k4, @N), $i), @R), $lane)]
    store @v[add(mul(add(mul($k4, @N), $i), @R), $lane)] = load @v[add(mul(add(mul($k4, @N), $least), @R), $lane)]
    store @v[add(mul(add(mul($k4, @N), $least), @R), $lane)] = $value
  }
}
for $c1 in 0i32..@N step 1i32 {
  let $most = 0.0%T
  let $factor = 1.0%T
  for $c2 in 0i32..@N step 1i32 {
    if gt(abs(load @v[add(mul(add(mul($c2, @N), $c1), @R), $lane)]), $most) {
      set $most = abs(load @v[add(mul(add(mul($c2, @N), $c1), @R), $lane)])
      set $factor = select(lt(load @v[add(mul(add(mul($c2, @N), $c1), @R), $lane)], 0.0%T), -1.0%T, 1.0%T)
    }
  }
  for $c3 in 0i32..@N step 1i32 {
    store @v[add(mul(add(mul($c3, @N), $c1), @R), $lane)] = mul($factor, load @v[add(mul(add(mul($c3, @N), $c1), @R), $lane)])
  }
}
";

/// The eigenvalues `[r, n]` of symmetric matrices `[r, n, n]`, the smallest first, and their vectors as columns.
pub(crate) fn eigh(b: &mut Builder, a: NodeId) -> Result<[NodeId; 2]> {
    let square: &[AxisSize<'_>] = &[AxisSize::Symbol("R"), AxisSize::Symbol("N"), AxisSize::Symbol("N")];
    let own = NumericKernel {
        name: "eigh",
        text: EIGH,
        derivative: Derivative::Eigh,
        dtype: b.dtype(a),
        symbols: &["R", "N"],
        inputs: &[("a", square)],
        numbers: &[],
        results: &[("w", &square[..2]), ("v", square), ("work", square)],
        places: &[],
    };
    let sizes = b.shape(a).0[..2].to_vec();
    let results = own.call(b, &sizes, &[a], &[])?;
    Ok([results[0], results[1]])
}

/// `x[k] - x[j]` at `[j, k]`, with ones on the diagonal, for `x [r, n]`.
pub(super) fn differences(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    let mut shape = b.shape(x).clone();
    shape.0.push(shape[1].clone());
    let column = b.view(x, shape.clone(), [0, 2].map(AxisIndex::axis).to_vec())?;
    let row = b.view(x, shape, [0, 1].map(AxisIndex::axis).to_vec())?;
    let differences = b.binary(BinaryOp::Sub, column, row)?;
    with_ones(b, differences)
}

/// `A = v (W + F * (v^T V)) v^T` with `F = 1 / (w[k] - w[j])` beside its diagonal of zeros (Giles 2008, "An extended collection of matrix
/// derivative results"; capital letters are cotangents). Where eigenvalues are equal, that of the vectors is infinite.
pub(super) fn cotangents(b: &mut Builder, of: &Reverse<'_>) -> Result<Cotangents> {
    let (w, v) = (of.results[0], of.results[1]);
    let mut inner = match of.cotangents[0] {
        Some(values) => Some(of_diagonal(b, values)?),
        None => None,
    };
    if let Some(vectors) = of.cotangents[1] {
        let product = transposed_times(b, v, vectors)?;
        let product = triangle(b, product, CompareOp::Ne, 0)?;
        let differences = differences(b, w)?;
        let factor = b.unary(UnaryOp::Recip, differences)?;
        let product = b.binary(BinaryOp::Mul, product, factor)?;
        inner = Some(plus(b, inner, product)?);
    }
    let Some(inner) = inner else { return Ok(Vec::new()) };
    let left = b.matmul(v, inner)?;
    Ok(vec![(0, times_transposed(b, left, v)?)])
}
