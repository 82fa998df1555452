//! The arithmetic of the interpreter: operations on slices, in loops that compilers turn into vector instructions.
//!
//! [`compute`] is inlined into whoever calls it, so that a crate that may use `unsafe` can compile it once more for
//! wider vector registers and pass that as the [`Engine`].

use super::math::{Baseline, Isa, Real};
use super::memory::{Slice, SliceMut};
use super::rare;
use crate::graph::{BinaryOp, CompareOp, UnaryOp};
use crate::philox::philox4x32;

/// One operation. An operand of one value stands for that value everywhere; all others have the result's length.
#[derive(Debug)]
pub enum Operation<'a> {
    /// Elementwise function.
    Unary(UnaryOp, SliceMut<'a>, Slice<'a>),
    /// Elementwise function of two operands.
    Binary(BinaryOp, SliceMut<'a>, Slice<'a>, Slice<'a>),
    /// Left (`true`) or right shift of integers, by the distance modulo the number of bits.
    Shift(bool, SliceMut<'a>, Slice<'a>, Slice<'a>),
    /// `a * b + c`.
    MulAdd(SliceMut<'a>, Slice<'a>, Slice<'a>, Slice<'a>),
    /// Comparison.
    Compare(CompareOp, &'a mut [bool], Slice<'a>, Slice<'a>),
    /// `condition ? then : otherwise`.
    Select(SliceMut<'a>, &'a [bool], Slice<'a>, Slice<'a>),
    /// Conversion.
    Cast(SliceMut<'a>, Slice<'a>),
    /// The same bits.
    Bitcast(SliceMut<'a>, Slice<'a>),
    /// Random numbers: counter, seed, stream.
    Philox(&'a mut [f32], &'a [u32], u32, u32),
}

/// Who computes.
pub type Engine = fn(Operation<'_>);

/// [`compute`] for whatever the crate was compiled for.
pub fn baseline(operation: Operation<'_>) {
    compute::<Baseline>(operation);
}

/// Computes one operation. Operands of other types than the operation takes leave the result as it was: the verifier
/// lets no such kernel pass.
///
/// What kernels mostly do is inlined into the caller; the rest is compiled once, for the baseline.
#[inline(always)]
pub fn compute<I: Isa>(operation: Operation<'_>) {
    match operation {
        Operation::Unary(op, SliceMut::F32(out), Slice::F32(a)) => unary_real::<I, f32>(op, out, a),
        Operation::Binary(op, SliceMut::F32(out), Slice::F32(a), Slice::F32(b)) => {
            binary_real::<I, f32>(op, out, a, b);
        }
        Operation::Binary(op, SliceMut::I32(out), Slice::I32(a), Slice::I32(b)) => match (op, b) {
            (BinaryOp::Add, _) => zip(out, a, b, i32::wrapping_add),
            (BinaryOp::Sub, _) => zip(out, a, b, i32::wrapping_sub),
            (BinaryOp::Mul, _) => zip(out, a, b, i32::wrapping_mul),
            (BinaryOp::Max, _) => zip(out, a, b, |a, b| a.max(b)),
            (BinaryOp::Min, _) => zip(out, a, b, |a, b| a.min(b)),
            // The quotient of doubles, cut off, is exact for 32 bits, and vector registers divide doubles.
            (BinaryOp::Div, &[d]) if d != 0 => map(out, a, |a| (f64::from(a) / f64::from(d)) as i64 as i32),
            (BinaryOp::Rem, &[d]) if d != 0 => {
                map(out, a, |a| a.wrapping_sub(((f64::from(a) / f64::from(d)) as i64 as i32).wrapping_mul(d)));
            }
            _ => rare::compute(Operation::Binary(op, SliceMut::I32(out), Slice::I32(a), Slice::I32(b))),
        },
        Operation::Binary(op, SliceMut::U32(out), Slice::U32(a), Slice::U32(b)) => match (op, b) {
            (BinaryOp::Add, _) => zip(out, a, b, u32::wrapping_add),
            (BinaryOp::Mul, _) => zip(out, a, b, u32::wrapping_mul),
            (BinaryOp::Div, &[d]) if d != 0 => map(out, a, |a| (f64::from(a) / f64::from(d)) as u32),
            (BinaryOp::Rem, &[d]) if d != 0 => {
                map(out, a, |a| a.wrapping_sub(((f64::from(a) / f64::from(d)) as u32).wrapping_mul(d)));
            }
            _ => rare::compute(Operation::Binary(op, SliceMut::U32(out), Slice::U32(a), Slice::U32(b))),
        },
        Operation::MulAdd(SliceMut::F32(out), Slice::F32(a), Slice::F32(b), Slice::F32(c)) => {
            zip3(out, a, b, c, inlined!(|a, b, c| Real::fused::<I>(a, b, c)));
        }
        // Here because it rounds once or twice.
        Operation::MulAdd(SliceMut::F64(out), Slice::F64(a), Slice::F64(b), Slice::F64(c)) => {
            chunks(out, a, b, c, inlined!(|a, b, c| Real::fused::<I>(a, b, c)));
        }
        Operation::Compare(op, out, Slice::F32(a), Slice::F32(b)) => match op {
            CompareOp::Eq => zip(out, a, b, |a, b| a == b),
            CompareOp::Ne => zip(out, a, b, |a, b| a != b),
            CompareOp::Lt => zip(out, a, b, |a, b| a < b),
            CompareOp::Le => zip(out, a, b, |a, b| a <= b),
            CompareOp::Gt => zip(out, a, b, |a, b| a > b),
            CompareOp::Ge => zip(out, a, b, |a, b| a >= b),
        },
        Operation::Select(SliceMut::F32(out), condition, Slice::F32(a), Slice::F32(b)) => {
            zip3(out, condition, a, b, |condition, a, b| if condition { a } else { b });
        }
        Operation::Cast(SliceMut::F32(out), Slice::I32(a)) => map(out, a, |a| a as f32),
        Operation::Cast(SliceMut::I32(out), Slice::F32(a)) => map(out, a, |a| a as i32),
        Operation::Cast(SliceMut::I32(out), Slice::U32(a)) => map(out, a, |a| a as i32),
        Operation::Cast(SliceMut::U32(out), Slice::I32(a)) => map(out, a, |a| a as u32),
        Operation::Philox(out, counter, seed, stream) => {
            map(out, counter, inlined!(|counter| philox(counter, seed, stream)));
        }
        operation => rare::compute(operation),
    }
}

/// Values of a chunk of [`chunks`].
const CHUNK: usize = 64;

/// A closure that is inlined wherever it is called.
macro_rules! inlined {
    (|$($x:ident),*| $value:expr) => {
        #[inline(always)]
        |$($x),*| $value
    };
}
use inlined;

/// `out = f(a)`.
#[inline(always)]
pub(super) fn map<T: Copy, U: Copy>(out: &mut [U], a: &[T], f: impl Fn(T) -> U) {
    for (out, &a) in out.iter_mut().zip(a) {
        *out = f(a);
    }
    if a.len() == 1 && !out.is_empty() {
        let value = out[0];
        out[1..].fill(value);
    }
}

/// `out = f(a, b)`, with a loop for each way in which an operand may be one value.
#[inline(always)]
fn zip<A: Copy, B: Copy, U: Copy>(out: &mut [U], a: &[A], b: &[B], f: impl Fn(A, B) -> U) {
    match (a, b) {
        (&[a], _) => map(out, b, inlined!(|b| f(a, b))),
        (_, &[b]) => map(out, a, inlined!(|a| f(a, b))),
        _ => {
            for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
                *out = f(a, b);
            }
        }
    }
}

/// `out = f(a, b, c)`, as [`zip`].
#[inline(always)]
fn zip3<A: Copy, B: Copy, C: Copy, U: Copy>(out: &mut [U], a: &[A], b: &[B], c: &[C], f: impl Fn(A, B, C) -> U) {
    match (a, b, c) {
        (&[a], ..) => zip(out, b, c, inlined!(|b, c| f(a, b, c))),
        (_, &[b], _) => zip(out, a, c, inlined!(|a, c| f(a, b, c))),
        (.., &[c]) => zip(out, a, b, inlined!(|a, b| f(a, b, c))),
        _ => {
            for (((out, &a), &b), &c) in out.iter_mut().zip(a).zip(b).zip(c) {
                *out = f(a, b, c);
            }
        }
    }
}

/// `out = f(a, b, c)` with one loop: operands of one value are repeated first, a chunk at a time.
#[inline(always)]
pub(super) fn chunks<A: Copy, B: Copy, C: Copy, U: Copy>(
    out: &mut [U],
    a: &[A],
    b: &[B],
    c: &[C],
    f: impl Fn(A, B, C) -> U,
) {
    let (Some(&first_a), Some(&first_b), Some(&first_c)) = (a.first(), b.first(), c.first()) else { return };
    let (mut all_a, mut all_b, mut all_c) = ([first_a; CHUNK], [first_b; CHUNK], [first_c; CHUNK]);
    let mut start = 0;
    for out in out.chunks_mut(CHUNK) {
        let range = start..start + out.len();
        if a.len() > 1 {
            all_a[..out.len()].copy_from_slice(&a[range.clone()]);
        }
        if b.len() > 1 {
            all_b[..out.len()].copy_from_slice(&b[range.clone()]);
        }
        if c.len() > 1 {
            all_c[..out.len()].copy_from_slice(&c[range]);
        }
        start += out.len();
        for (((out, &a), &b), &c) in out.iter_mut().zip(&all_a).zip(&all_b).zip(&all_c) {
            *out = f(a, b, c);
        }
    }
}

/// `out = f(a, b)`, as [`chunks`].
#[inline(always)]
pub(super) fn pairs<A: Copy, B: Copy, U: Copy>(out: &mut [U], a: &[A], b: &[B], f: impl Fn(A, B) -> U) {
    chunks(out, a, b, &[()], inlined!(|a, b, _none| f(a, b)));
}

/// `out = f(a)` for functions that take all lanes at once.
#[inline(always)]
fn lanes<T: Copy>(out: &mut [T], a: &[T], f: impl Fn(&[T], &mut [T])) {
    let (own, rest) = out.split_at_mut(a.len().min(out.len()));
    f(a, own);
    if let [value] = *own {
        rest.fill(value);
    }
}

#[inline(always)]
pub(super) fn unary_real<I: Isa, T: Real + std::ops::Neg<Output = T> + std::ops::Div<Output = T>>(
    op: UnaryOp,
    out: &mut [T],
    a: &[T],
) {
    macro_rules! each {
        (|$x:ident| $value:expr) => {
            map(out, a, inlined!(|$x| $value))
        };
    }
    match op {
        UnaryOp::Neg => each!(|x| -x),
        UnaryOp::Abs => each!(|x| Real::abs(x)),
        UnaryOp::Sign => each!(|x| Real::sign(x)),
        UnaryOp::Exp => each!(|x| Real::exp::<I>(x)),
        UnaryOp::Exp2 => each!(|x| Real::exp2::<I>(x)),
        UnaryOp::Log => each!(|x| Real::log::<I>(x)),
        UnaryOp::Log2 => each!(|x| Real::log2::<I>(x)),
        UnaryOp::Log1p => each!(|x| Real::log1p::<I>(x)),
        UnaryOp::Expm1 => each!(|x| Real::expm1::<I>(x)),
        UnaryOp::Sqrt => each!(|x| Real::sqrt(x)),
        UnaryOp::Rsqrt => each!(|x| T::ONE / Real::sqrt(x)),
        UnaryOp::Tanh => each!(|x| Real::tanh::<I>(x)),
        UnaryOp::Erf => each!(|x| Real::erf::<I>(x)),
        UnaryOp::Floor => each!(|x| Real::floor(x)),
        UnaryOp::Ceil => each!(|x| Real::ceil(x)),
        UnaryOp::Round => each!(|x| Real::round(x)),
        UnaryOp::Recip => each!(|x| T::ONE / x),
        UnaryOp::Sin => lanes(out, a, inlined!(|a, out| T::sin_lanes::<I>(a, out))),
        UnaryOp::Cos => lanes(out, a, inlined!(|a, out| T::cos_lanes::<I>(a, out))),
        UnaryOp::Tan => lanes(out, a, inlined!(|a, out| T::tan_lanes::<I>(a, out))),
        UnaryOp::Not => {}
    }
}

#[inline(always)]
pub(super) fn binary_real<I: Isa, T>(op: BinaryOp, out: &mut [T], a: &[T], b: &[T])
where
    T: Real
        + std::ops::Add<Output = T>
        + std::ops::Sub<Output = T>
        + std::ops::Mul<Output = T>
        + std::ops::Div<Output = T>,
{
    macro_rules! each {
        (|$x:ident, $y:ident| $value:expr) => {
            zip(out, a, b, inlined!(|$x, $y| $value))
        };
    }
    match op {
        BinaryOp::Add => each!(|a, b| a + b),
        BinaryOp::Sub => each!(|a, b| a - b),
        BinaryOp::Mul => each!(|a, b| a * b),
        BinaryOp::Div => each!(|a, b| a / b),
        BinaryOp::Rem => pairs(out, a, b, Real::rem),
        BinaryOp::Pow => pairs(out, a, b, inlined!(|a, b| Real::pow::<I>(a, b))),
        BinaryOp::Max => each!(|a, b| Real::max(a, b)),
        BinaryOp::Min => each!(|a, b| Real::min(a, b)),
        BinaryOp::Atan2 => pairs(out, a, b, Real::atan2),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {}
    }
}

/// The uniform number of element `counter`, see [`crate::philox`]; one lane, without branches.
#[inline(always)]
pub fn philox(counter: u32, seed: u32, stream: u32) -> f32 {
    let words = philox4x32([counter / 4, 0, 0, 0], [seed, stream]);
    let pair = if counter & 1 == 0 { [words[0], words[2]] } else { [words[1], words[3]] };
    let word = if counter & 2 == 0 { pair[0] } else { pair[1] };
    (word >> 8) as f32 * (1.0 / 16_777_216.0)
}
