//! Singular values and vectors of matrices that are no wider than high by Jacobi's rotations of their columns (Hestenes 1958), a
//! work-item for each matrix.

use super::call::{AxisSize, Cotangents, NumericKernel, Reverse};
use super::eigh::differences;
use super::matrix::{minus, of_diagonal, plus, times_transposed, transposed_times};
use crate::graph::build::Builder;
use crate::graph::{AxisIndex, BinaryOp, Derivative, NodeId, UnaryOp};
use crate::span::Result;

/// Columns are rotated until each two are orthogonal but for rounding; what they are then long are the singular values. They are put in
/// order. A column that is lost in the rounding of the longest says no direction that is sure to be orthogonal: squares of it may be too
/// small for the type, and it may be zeros. It becomes what is left of it beside those before it, and if that is little, of a unit vector.
/// Of each vector of one side the largest element is made positive.
const SVD: &str = "
kernel svd
launch [R]
param a: read %T
param of_right: scalar i32
param u: read_write %T
param s: read_write %T
param v: read_write %T
param R: size
param M: size
param N: size
var lane: i32
var start: i32
var fill: i32
var b1: i32
var p: i32
var q: i32
var k1: i32
var k2: i32
var k3: i32
var d1: i32
var d2: i32
var i: i32
var j: i32
var k4: i32
var k5: i32
var e1: i32
var f1: i32
var f2: i32
var g1: i32
var g2: i32
var g3: i32
var g4: i32
var g5: i32
var g6: i32
var g7: i32
var h1: i32
var h2: i32
var h3: i32
var h4: i32
var h5: i32
var best: i32
var most_at: i32
var sweep: i32
var again: i32
var turned: bool
var size: %T
var unit: %T
var alpha: %T
var beta: %T
var gamma: %T
var limit: %T
var zeta: %T
var t: %T
var c: %T
var n: %T
var x1: %T
var y1: %T
var x2: %T
var y2: %T
var x3: %T
var y3: %T
var total: %T
var held: %T
var value: %T
var other: %T
var left: %T
var longest: %T
var part: %T
var long: %T
var dot: %T
var most: %T
var factor: %T
let $lane = cast.i32(global_id.0)
let $size = 0.0%T
for $start in 0i32..mul(@M, @N) step 1i32 {
  set $size = max($size, abs(load @a[add(mul($start, @R), $lane)]))
}
let $unit = select(eq($size, 0.0%T), 1.0%T, $size)
for $fill in 0i32..mul(@M, @N) step 1i32 {
  store @u[add(mul($fill, @R), $lane)] = div(load @a[add(mul($fill, @R), $lane)], $unit)
}
for $b1 in 0i32..mul(@N, @N) step 1i32 {
  store @v[add(mul($b1, @R), $lane)] = select(eq(div($b1, @N), rem($b1, @N)), 1.0%T, 0.0%T)
}
let $sweep = 0i32
let $turned = true
while and($turned, lt($sweep, 40i32)) {
  set $turned = false
  set $sweep = add($sweep, 1i32)
  for $p in 0i32..@N step 1i32 {
    for $q in add($p, 1i32)..@N step 1i32 {
      let $alpha = 0.0%T
      let $beta = 0.0%T
      let $gamma = 0.0%T
      for $k1 in 0i32..@M step 1i32 {
        let $x1 = load @u[add(mul(add(mul($k1, @N), $p), @R), $lane)]
        let $y1 = load @u[add(mul(add(mul($k1, @N), $q), @R), $lane)]
        set $alpha = add($alpha, mul($x1, $x1))
        set $beta = add($beta, mul($y1, $y1))
        set $gamma = add($gamma, mul($x1, $y1))
      }
      let $limit = mul(mul(sqrt($alpha), sqrt($beta)), cast.%T(add(@M, 4i32)))
      if ne(add($limit, abs($gamma)), $limit) {
        set $turned = true
        let $zeta = div(sub($beta, $alpha), mul(2.0%T, $gamma))
        let $t = div(1.0%T, add(abs($zeta), sqrt(add(mul($zeta, $zeta), 1.0%T))))
        set $t = select(lt($zeta, 0.0%T), neg($t), $t)
        let $c = div(1.0%T, sqrt(add(mul($t, $t), 1.0%T)))
        let $n = mul($t, $c)
        for $k2 in 0i32..@M step 1i32 {
          let $x2 = load @u[add(mul(add(mul($k2, @N), $p), @R), $lane)]
          let $y2 = load @u[add(mul(add(mul($k2, @N), $q), @R), $lane)]
          store @u[add(mul(add(mul($k2, @N), $p), @R), $lane)] = sub(mul($c, $x2), mul($n, $y2))
          store @u[add(mul(add(mul($k2, @N), $q), @R), $lane)] = add(mul($n, $x2), mul($c, $y2))
        }
        for $k3 in 0i32..@N step 1i32 {
          let $x3 = load @v[add(mul(add(mul($k3, @N), $p), @R), $lane)]
          let $y3 = load @v[add(mul(add(mul($k3, @N), $q), @R), $lane)]
          store @v[add(mul(add(mul($k3, @N), $p), @R), $lane)] = sub(mul($c, $x3), mul($n, $y3))
          store @v[add(mul(add(mul($k3, @N), $q), @R), $lane)] = add(mul($n, $x3), mul($c, $y3))
        }
      }
    }
  }
}
for $d1 in 0i32..@N step 1i32 {
  let $total = 0.0%T
  for $d2 in 0i32..@M step 1i32 {
    set $total = add($total, mul(load @u[add(mul(add(mul($d2, @N), $d1), @R), $lane)], load @u[add(mul(add(mul($d2, @N), $d1), @R), $lane)]))
  }
  store @s[add(mul($d1, @R), $lane)] = sqrt($total)
}
for $i in 0i32..@N step 1i32 {
  let $most_at = $i
  for $j in add($i, 1i32)..@N step 1i32 {
    if gt(load @s[add(mul($j, @R), $lane)], load @s[add(mul($most_at, @R), $lane)]) {
      set $most_at = $j
    }
  }
  let $held = load @s[add(mul($i, @R), $lane)]
  store @s[add(mul($i, @R), $lane)] = load @s[add(mul($most_at, @R), $lane)]
  store @s[add(mul($most_at, @R), $lane)] = $held
  for $k4 in 0i32..@M step 1i32 {
    let $value = load @u[add(mul(add(mul($k4, @N), $i), @R), $lane)]
    store @u[add(mul(add(mul($k4, @N), $i), @R), $lane)] = load @u[add(mul(add(mul($k4, @N), $most_at), @R), $lane)]
    store @u[add(mul(add(mul($k4, @N), $most_at), @R), $lane)] = $value
  }
  for $k5 in 0i32..@N step 1i32 {
    let $other = load @v[add(mul(add(mul($k5, @N), $i), @R), $lane)]
    store @v[add(mul(add(mul($k5, @N), $i), @R), $lane)] = load @v[add(mul(add(mul($k5, @N), $most_at), @R), $lane)]
    store @v[add(mul(add(mul($k5, @N), $most_at), @R), $lane)] = $other
  }
}
let $longest = load @s[$lane]
for $e1 in 0i32..@N step 1i32 {
  if ne(load @s[add(mul($e1, @R), $lane)], 0.0%T) {
    for $f1 in 0i32..@M step 1i32 {
      store @u[add(mul(add(mul($f1, @N), $e1), @R), $lane)] = div(load @u[add(mul(add(mul($f1, @N), $e1), @R), $lane)], load @s[add(mul($e1, @R), $lane)])
    }
  }
  if eq(add($longest, load @s[add(mul($e1, @R), $lane)]), $longest) {
    for $again in 0i32..3i32 step 1i32 {
      for $g3 in 0i32..$e1 step 1i32 {
        let $dot = 0.0%T
        for $g4 in 0i32..@M step 1i32 {
          set $dot = add($dot, mul(load @u[add(mul(add(mul($g4, @N), $g3), @R), $lane)], load @u[add(mul(add(mul($g4, @N), $e1), @R), $lane)]))
        }
        for $g5 in 0i32..@M step 1i32 {
          store @u[add(mul(add(mul($g5, @N), $e1), @R), $lane)] = sub(load @u[add(mul(add(mul($g5, @N), $e1), @R), $lane)], mul($dot, load @u[add(mul(add(mul($g5, @N), $g3), @R), $lane)]))
        }
      }
      let $long = 0.0%T
      for $g6 in 0i32..@M step 1i32 {
        set $long = add($long, mul(load @u[add(mul(add(mul($g6, @N), $e1), @R), $lane)], load @u[add(mul(add(mul($g6, @N), $e1), @R), $lane)]))
      }
      if and(eq($again, 0i32), lt($long, 0.25%T)) {
        let $best = 0i32
        let $left = 0.0%T
        for $f2 in 0i32..@M step 1i32 {
          let $part = 1.0%T
          for $g1 in 0i32..$e1 step 1i32 {
            set $part = sub($part, mul(load @u[add(mul(add(mul($f2, @N), $g1), @R), $lane)], load @u[add(mul(add(mul($f2, @N), $g1), @R), $lane)]))
          }
          if gt($part, $left) {
            set $left = $part
            set $best = $f2
          }
        }
        for $g2 in 0i32..@M step 1i32 {
          store @u[add(mul(add(mul($g2, @N), $e1), @R), $lane)] = select(eq($g2, $best), 1.0%T, 0.0%T)
        }
      } else {
        for $g7 in 0i32..@M step 1i32 {
          store @u[add(mul(add(mul($g7, @N), $e1), @R), $lane)] = div(load @u[add(mul(add(mul($g7, @N), $e1), @R), $lane)], sqrt($long))
        }
      }
    }
  }
  store @s[add(mul($e1, @R), $lane)] = mul(load @s[add(mul($e1, @R), $lane)], $size)
}
for $h1 in 0i32..@N step 1i32 {
  let $most = 0.0%T
  let $factor = 1.0%T
  if ne(@of_right, 0i32) {
    for $h2 in 0i32..@N step 1i32 {
      if gt(abs(load @v[add(mul(add(mul($h2, @N), $h1), @R), $lane)]), $most) {
        set $most = abs(load @v[add(mul(add(mul($h2, @N), $h1), @R), $lane)])
        set $factor = select(lt(load @v[add(mul(add(mul($h2, @N), $h1), @R), $lane)], 0.0%T), -1.0%T, 1.0%T)
      }
    }
  } else {
    for $h3 in 0i32..@M step 1i32 {
      if gt(abs(load @u[add(mul(add(mul($h3, @N), $h1), @R), $lane)]), $most) {
        set $most = abs(load @u[add(mul(add(mul($h3, @N), $h1), @R), $lane)])
        set $factor = select(lt(load @u[add(mul(add(mul($h3, @N), $h1), @R), $lane)], 0.0%T), -1.0%T, 1.0%T)
      }
    }
  }
  for $h4 in 0i32..@N step 1i32 {
    store @v[add(mul(add(mul($h4, @N), $h1), @R), $lane)] = mul($factor, load @v[add(mul(add(mul($h4, @N), $h1), @R), $lane)])
  }
  for $h5 in 0i32..@M step 1i32 {
    store @u[add(mul(add(mul($h5, @N), $h1), @R), $lane)] = mul($factor, load @u[add(mul(add(mul($h5, @N), $h1), @R), $lane)])
  }
}
";

/// `u [r, m, n]`, `s [r, n]` and `v [r, n, n]` of `a = u diag(s) v^T`, `m >= n`, the largest singular value first. The largest element of
/// each column of `u` is positive, or of `v` if `of_right`.
pub(crate) fn svd(b: &mut Builder, a: NodeId, of_right: bool) -> Result<[NodeId; 3]> {
    let high: &[AxisSize<'_>] = &[AxisSize::Symbol("R"), AxisSize::Symbol("M"), AxisSize::Symbol("N")];
    let square: &[AxisSize<'_>] = &[AxisSize::Symbol("R"), AxisSize::Symbol("N"), AxisSize::Symbol("N")];
    let own = NumericKernel {
        name: "svd",
        text: SVD,
        derivative: Derivative::Svd,
        dtype: b.dtype(a),
        symbols: &["R", "M", "N"],
        inputs: &[("a", high)],
        numbers: &["of_right"],
        results: &[("u", high), ("s", &square[..2]), ("v", square)],
        places: &[],
    };
    let sizes = b.shape(a).0.clone();
    let results = own.call(b, &sizes, &[a], &[of_right.into()])?;
    Ok([results[0], results[1], results[2]])
}

/// `A = u (E(u^T U) s + s E(v^T V) + S) v^T + (1 - u u^T) U s^-1 v^T` with `E(x) = (x - x^T) / (s[k]^2 - s[j]^2)` (Townsend 2016, "Differentiating
/// the singular value decomposition"; capital letters are cotangents). Where singular values are equal, that of the vectors is infinite.
pub(super) fn cotangents(b: &mut Builder, of: &Reverse<'_>) -> Result<Cotangents> {
    let [u, s, v] = [of.results[0], of.results[1], of.results[2]];
    let mut inner = match of.cotangents[1] {
        Some(values) => Some(of_diagonal(b, values)?),
        None => None,
    };
    let squares = b.binary(BinaryOp::Mul, s, s)?;
    let scale = of_diagonal(b, s)?;
    if let Some(left) = of.cotangents[0] {
        let turned = turning(b, squares, u, left)?;
        let product = b.matmul(turned, scale)?;
        inner = Some(plus(b, inner, product)?);
    }
    if let Some(right) = of.cotangents[2] {
        let turned = turning(b, squares, v, right)?;
        let product = b.matmul(scale, turned)?;
        inner = Some(plus(b, inner, product)?);
    }
    let Some(inner) = inner else { return Ok(Vec::new()) };
    let mut sum = b.matmul(u, inner)?;
    if let Some(left) = of.cotangents[0] {
        let along = transposed_times(b, u, left)?;
        let along = b.matmul(u, along)?;
        let across = minus(b, along)?;
        let across = plus(b, Some(left), across)?;
        let inverse = b.unary(UnaryOp::Recip, s)?;
        let shape = b.shape(across).clone();
        let inverse = b.view(inverse, shape, [0, 2].map(AxisIndex::axis).to_vec())?;
        let across = b.binary(BinaryOp::Mul, across, inverse)?;
        sum = b.binary(BinaryOp::Add, sum, across)?;
    }
    Ok(vec![(0, times_transposed(b, sum, v)?)])
}

/// `E(x^T X)`.
fn turning(b: &mut Builder, squares: NodeId, x: NodeId, cotangent: NodeId) -> Result<NodeId> {
    let product = transposed_times(b, x, cotangent)?;
    let other = b.transpose(product)?;
    let skew = b.binary(BinaryOp::Sub, product, other)?;
    let differences = differences(b, squares)?;
    b.binary(BinaryOp::Div, skew, differences)
}
