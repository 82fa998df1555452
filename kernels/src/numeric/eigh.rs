//! Eigenvalues and eigenvectors of symmetric matrices by Jacobi's rotations, a work-item for each matrix.

use super::call::{AxisSize, NumericKernel, Reverse};
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
param N: size
var at: i32
var rows: i32
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
let $rows = mul(cast.i32(global_id.0), @N)
let $at = mul($rows, @N)
let $size = 0.0%T
for $start in 0i32..mul(@N, @N) step 1i32 {
  store @work[add($at, $start)] = load @a[add($at, $start)]
  store @v[add($at, $start)] = select(eq(div($start, @N), rem($start, @N)), 1.0%T, 0.0%T)
  set $size = max($size, abs(load @a[add($at, $start)]))
}
let $sweep = 0i32
let $turned = true
while and($turned, lt($sweep, 40i32)) {
  set $turned = false
  set $sweep = add($sweep, 1i32)
  for $p in 0i32..@N step 1i32 {
    for $q in add($p, 1i32)..@N step 1i32 {
      let $across = load @work[add($at, add(mul($p, @N), $q))]
      if ne(add($size, abs($across)), $size) {
        set $turned = true
        let $theta = div(sub(load @work[add($at, add(mul($q, @N), $q))], load @work[add($at, add(mul($p, @N), $p))]), mul(2.0%T, $across))
        let $t = div(1.0%T, add(abs($theta), sqrt(add(mul($theta, $theta), 1.0%T))))
        set $t = select(lt($theta, 0.0%T), neg($t), $t)
        let $c = div(1.0%T, sqrt(add(mul($t, $t), 1.0%T)))
        let $s = mul($t, $c)
        for $k1 in 0i32..@N step 1i32 {
          let $x1 = load @work[add($at, add(mul($k1, @N), $p))]
          let $y1 = load @work[add($at, add(mul($k1, @N), $q))]
          store @work[add($at, add(mul($k1, @N), $p))] = sub(mul($c, $x1), mul($s, $y1))
          store @work[add($at, add(mul($k1, @N), $q))] = add(mul($s, $x1), mul($c, $y1))
        }
        for $k2 in 0i32..@N step 1i32 {
          let $x2 = load @work[add($at, add(mul($p, @N), $k2))]
          let $y2 = load @work[add($at, add(mul($q, @N), $k2))]
          store @work[add($at, add(mul($p, @N), $k2))] = sub(mul($c, $x2), mul($s, $y2))
          store @work[add($at, add(mul($q, @N), $k2))] = add(mul($s, $x2), mul($c, $y2))
        }
        store @work[add($at, add(mul($p, @N), $q))] = 0.0%T
        store @work[add($at, add(mul($q, @N), $p))] = 0.0%T
        for $k3 in 0i32..@N step 1i32 {
          let $x3 = load @v[add($at, add(mul($k3, @N), $p))]
          let $y3 = load @v[add($at, add(mul($k3, @N), $q))]
          store @v[add($at, add(mul($k3, @N), $p))] = sub(mul($c, $x3), mul($s, $y3))
          store @v[add($at, add(mul($k3, @N), $q))] = add(mul($s, $x3), mul($c, $y3))
        }
      }
    }
  }
}
for $d in 0i32..@N step 1i32 {
  store @w[add($rows, $d)] = load @work[add($at, add(mul($d, @N), $d))]
}
for $i in 0i32..@N step 1i32 {
  let $least = $i
  for $j in add($i, 1i32)..@N step 1i32 {
    if lt(load @w[add($rows, $j)], load @w[add($rows, $least)]) {
      set $least = $j
    }
  }
  let $held = load @w[add($rows, $i)]
  store @w[add($rows, $i)] = load @w[add($rows, $least)]
  store @w[add($rows, $least)] = $held
  for $k4 in 0i32..@N step 1i32 {
    let $value = load @v[add($at, add(mul($k4, @N), $i))]
    store @v[add($at, add(mul($k4, @N), $i))] = load @v[add($at, add(mul($k4, @N), $least))]
    store @v[add($at, add(mul($k4, @N), $least))] = $value
  }
}
for $c1 in 0i32..@N step 1i32 {
  let $most = 0.0%T
  let $factor = 1.0%T
  for $c2 in 0i32..@N step 1i32 {
    if gt(abs(load @v[add($at, add(mul($c2, @N), $c1))]), $most) {
      set $most = abs(load @v[add($at, add(mul($c2, @N), $c1))])
      set $factor = select(lt(load @v[add($at, add(mul($c2, @N), $c1))], 0.0%T), -1.0%T, 1.0%T)
    }
  }
  for $c3 in 0i32..@N step 1i32 {
    store @v[add($at, add(mul($c3, @N), $c1))] = mul($factor, load @v[add($at, add(mul($c3, @N), $c1))])
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
pub(super) fn cotangents(b: &mut Builder, of: &Reverse<'_>) -> Result<Vec<(usize, NodeId)>> {
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
