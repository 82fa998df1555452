//! Discrete Fourier transforms, a factor of the length at a time.
//!
//! Stockham's order: before a step, of which `done` is the product of the factors so far, the row holds, for each `k < done` and
//! `q < n / done`, the transform of every `n / done`th element from the `q`th on, at `k n / done + q`. The step joins `radix` of these
//! transforms into one that is `radix` times as long, so that nothing is put in another order at the end.
//!
//! The roots of unity are computed where they are used, from whole numbers that are reduced to an eighth of a turn: their error is
//! that of one sine, at any length.

use super::call::{AxisSize, Cotangents, NumericKernel, Reverse, number};
use crate::graph::build::Builder;
use crate::graph::{Derivative, NodeId};
use crate::span::Result;

/// `WALK` says where the terms of an element stand and which roots they are multiplied with: `at` and `turn` of the first, and the
/// steps to the next.
const STEP: &str = "
kernel fourier
launch [R*N]
param x: read %T
param radix: scalar i32
param done: scalar i32
param sign: scalar i32
param y: write %T
param N: size
var i: i32
var place: i32
var long: i32
var rest: i32
var k: i32
var q: i32
var j: i32
var t: i32
var at: i32
var turn: i32
var next_at: i32
var next_turn: i32
var quarter: i32
var part: i32
var far: bool
var angle: %T
var near: %T
var side: %T
var c: %T
var s: %T
var a: %T
var b: %T
var real: %T
var imaginary: %T
let $i = cast.i32(global_id.0)
let $place = rem($i, @N)
let $long = mul(@done, @radix)
let $rest = div(@N, $long)
WALK
let $real = 0.0%T
let $imaginary = 0.0%T
for $t in 0i32..@radix step 1i32 {
  let $quarter = div(mul($turn, 4i32), $long)
  let $part = sub(mul($turn, 4i32), mul($quarter, $long))
  let $far = gt(mul($part, 2i32), $long)
  set $part = select($far, sub($long, $part), $part)
  let $angle = mul(div(cast.%T($part), cast.%T($long)), 1.5707963267948966%T)
  let $near = cos($angle)
  let $side = sin($angle)
  let $c = select($far, $side, $near)
  let $s = select($far, $near, $side)
  set $near = select(eq(rem($quarter, 2i32), 0i32), $c, neg($s))
  set $side = select(eq(rem($quarter, 2i32), 0i32), $s, $c)
  set $c = select(lt($quarter, 2i32), $near, neg($near))
  set $s = select(lt($quarter, 2i32), $side, neg($side))
  set $s = select(lt(@sign, 0i32), neg($s), $s)
  let $a = load @x[mul($at, 2i32)]
  let $b = load @x[add(mul($at, 2i32), 1i32)]
  set $real = add($real, sub(mul($a, $c), mul($b, $s)))
  set $imaginary = add($imaginary, add(mul($a, $s), mul($b, $c)))
  set $at = add($at, $next_at)
  set $turn = add($turn, $next_turn)
  set $turn = select(ge($turn, $long), sub($turn, $long), $turn)
}
store @y[mul($i, 2i32)] = $real
store @y[add(mul($i, 2i32), 1i32)] = $imaginary
";

/// The terms of frequency `k` are its root to the power of `j` times what the `j`th transform has at `k`.
const JOIN: &str = "
let $k = div($place, $rest)
let $q = rem($place, $rest)
let $at = add(add(sub($i, $place), mul(rem($k, @done), mul(@radix, $rest))), $q)
let $turn = 0i32
let $next_at = $rest
let $next_turn = $k
";

/// What the `j`th transform has at `k` is a term of `radix` frequencies, each `done` behind the last.
const SPREAD: &str = "
let $k = div($place, mul(@radix, $rest))
let $j = rem($place, mul(@radix, $rest))
let $q = rem($j, $rest)
set $j = div($j, $rest)
let $at = add(add(sub($i, $place), mul($k, $rest)), $q)
let $turn = mul($j, $k)
let $next_at = mul(@done, $rest)
let $next_turn = mul($j, @done)
";

/// A step: `radix` transforms of `done` elements become one, for each row of `x [r, n, 2]`. `sign` is that of the exponent.
#[derive(Clone, Copy)]
pub(crate) struct FourierStep {
    pub(crate) radix: i64,
    pub(crate) done: i64,
    pub(crate) sign: i64,
}

/// The step on `x [r, n, 2]`.
pub(crate) fn step(b: &mut Builder, x: NodeId, step: FourierStep) -> Result<NodeId> {
    call(b, x, step, ("fourier", JOIN, Derivative::Fourier))
}

/// Its transposed matrix with the roots of a step whose sign is that.
pub(crate) fn adjoint(b: &mut Builder, x: NodeId, step: FourierStep) -> Result<NodeId> {
    call(b, x, step, ("fourier_adjoint", SPREAD, Derivative::FourierAdjoint))
}

fn call(
    b: &mut Builder,
    x: NodeId,
    step: FourierStep,
    (name, walk, derivative): (&str, &str, Derivative),
) -> Result<NodeId> {
    let axes: &[AxisSize<'_>] = &[AxisSize::Symbol("R"), AxisSize::Symbol("N"), AxisSize::Known(2)];
    let text = STEP.replace("WALK", walk.trim());
    let own = NumericKernel {
        name,
        text: &text,
        derivative,
        dtype: b.dtype(x),
        symbols: &["R", "N"],
        inputs: &[("x", axes)],
        numbers: &["radix", "done", "sign"],
        results: &[("y", axes)],
        places: &[],
    };
    let sizes = b.shape(x).0[..2].to_vec();
    Ok(own.call(b, &sizes, &[x], &[step.radix, step.done, step.sign])?[0])
}

/// The cotangent of a step's operand: real parts and imaginary ones count as numbers of their own, so that it is of the other kind,
/// with conjugate roots.
pub(crate) fn cotangents(
    b: &mut Builder,
    of: &Reverse<'_>,
    other: fn(&mut Builder, NodeId, FourierStep) -> Result<NodeId>,
) -> Result<Cotangents> {
    let Some(cotangent) = of.cotangents[0] else { return Ok(Vec::new()) };
    let number = |position: usize| number(b, of.operands[position]);
    let step = FourierStep { radix: number(1), done: number(2), sign: -number(3) };
    Ok(vec![(0, other(b, cotangent, step)?)])
}
