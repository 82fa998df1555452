//! The arithmetic of the interpreter: operations on slices, in loops that compilers turn into vector instructions.
//!
//! [`compute`] is inlined into whoever calls it, so that a crate that may use `unsafe` can compile it once more for
//! wider vector registers and pass that as the [`Engine`].

use super::math::{Baseline, Isa, Real};
use super::memory::{Slice, SliceMut};
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
#[inline(always)]
pub fn compute<I: Isa>(operation: Operation<'_>) {
    match operation {
        Operation::Unary(op, out, a) => unary::<I>(op, out, a),
        Operation::Binary(op, out, a, b) => binary::<I>(op, out, a, b),
        Operation::Shift(left, out, a, b) => shift(left, out, a, b),
        Operation::MulAdd(out, a, b, c) => mul_add::<I>(out, a, b, c),
        Operation::Compare(op, out, a, b) => compare(op, out, a, b),
        Operation::Select(out, condition, then, otherwise) => select(out, condition, then, otherwise),
        Operation::Cast(out, a) => cast(out, a),
        Operation::Bitcast(out, a) => bitcast(out, a),
        Operation::Philox(out, counter, seed, stream) => {
            map(
                out,
                counter,
                #[inline(always)]
                |counter| philox(counter, seed, stream),
            );
        }
    }
}

#[inline(always)]
fn map<T: Copy, U: Copy>(out: &mut [U], a: &[T], f: impl Fn(T) -> U) {
    if let [a] = a {
        let value = f(*a);
        out.fill(value);
    } else {
        for (out, &a) in out.iter_mut().zip(a) {
            *out = f(a);
        }
    }
}

#[inline(always)]
fn zip<A: Copy, B: Copy, U: Copy>(out: &mut [U], a: &[A], b: &[B], f: impl Fn(A, B) -> U) {
    match (a, b) {
        (&[a], _) => map(
            out,
            b,
            #[inline(always)]
            |b| f(a, b),
        ),
        (_, &[b]) => map(
            out,
            a,
            #[inline(always)]
            |a| f(a, b),
        ),
        _ => {
            for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
                *out = f(a, b);
            }
        }
    }
}

#[inline(always)]
fn zip3<A: Copy, B: Copy, C: Copy, U: Copy>(out: &mut [U], a: &[A], b: &[B], c: &[C], f: impl Fn(A, B, C) -> U) {
    match (a, b, c) {
        (&[a], ..) => zip(
            out,
            b,
            c,
            #[inline(always)]
            |b, c| f(a, b, c),
        ),
        (_, &[b], _) => zip(
            out,
            a,
            c,
            #[inline(always)]
            |a, c| f(a, b, c),
        ),
        (.., &[c]) => zip(
            out,
            a,
            b,
            #[inline(always)]
            |a, b| f(a, b, c),
        ),
        _ => {
            for (((out, &a), &b), &c) in out.iter_mut().zip(a).zip(b).zip(c) {
                *out = f(a, b, c);
            }
        }
    }
}

#[inline(always)]
fn unary<I: Isa>(op: UnaryOp, out: SliceMut<'_>, a: Slice<'_>) {
    match (out, a) {
        (SliceMut::F32(out), Slice::F32(a)) => unary_real::<I, f32>(op, out, a),
        (SliceMut::F64(out), Slice::F64(a)) => unary_real::<I, f64>(op, out, a),
        (SliceMut::I32(out), Slice::I32(a)) => {
            unary_signed(op, out, a, i32::wrapping_neg, i32::wrapping_abs, i32::signum)
        }
        (SliceMut::I64(out), Slice::I64(a)) => {
            unary_signed(op, out, a, i64::wrapping_neg, i64::wrapping_abs, i64::signum)
        }
        (SliceMut::U32(out), Slice::U32(a)) => unary_signed(op, out, a, u32::wrapping_neg, |a| a, |a| a.min(1)),
        (SliceMut::U8(out), Slice::U8(a)) => unary_signed(op, out, a, u8::wrapping_neg, |a| a, |a| a.min(1)),
        (SliceMut::Bool(out), Slice::Bool(a)) if op == UnaryOp::Not => map(out, a, |a| !a),
        _ => {}
    }
}

/// Integers: `Not` is bitwise, rounding does nothing.
#[inline(always)]
fn unary_signed<T: Copy + std::ops::Not<Output = T>>(
    op: UnaryOp,
    out: &mut [T],
    a: &[T],
    neg: impl Fn(T) -> T,
    abs: impl Fn(T) -> T,
    sign: impl Fn(T) -> T,
) {
    match op {
        UnaryOp::Neg => map(out, a, neg),
        UnaryOp::Abs => map(out, a, abs),
        UnaryOp::Sign => map(out, a, sign),
        UnaryOp::Not => map(out, a, |a| !a),
        UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Round => map(out, a, |a| a),
        _ => {}
    }
}

#[inline(always)]
fn unary_real<I: Isa, T: Real + std::ops::Neg<Output = T> + std::ops::Div<Output = T>>(
    op: UnaryOp,
    out: &mut [T],
    a: &[T],
) {
    /// Runs a loop with the function inlined into it.
    macro_rules! each {
        (|$x:ident| $value:expr) => {
            map(
                out,
                a,
                #[inline(always)]
                |$x| $value,
            )
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
        UnaryOp::Sin | UnaryOp::Cos | UnaryOp::Tan if a.len() == 1 && out.len() > 1 => {
            unary_real::<I, T>(op, &mut out[..1], a);
            out.fill(out[0]);
        }
        UnaryOp::Sin => T::sin_lanes::<I>(a, out),
        UnaryOp::Cos => T::cos_lanes::<I>(a, out),
        UnaryOp::Tan => T::tan_lanes::<I>(a, out),
        UnaryOp::Not => {}
    }
}

#[inline(always)]
fn binary<I: Isa>(op: BinaryOp, out: SliceMut<'_>, a: Slice<'_>, b: Slice<'_>) {
    match (out, a, b) {
        (SliceMut::F32(out), Slice::F32(a), Slice::F32(b)) => binary_real::<I, f32>(op, out, a, b),
        (SliceMut::F64(out), Slice::F64(a), Slice::F64(b)) => binary_real::<I, f64>(op, out, a, b),
        (SliceMut::I32(out), Slice::I32(a), Slice::I32(b)) => match (op, b) {
            // The quotient of doubles, cut off, is exact for 32 bits, and vector registers divide doubles.
            (BinaryOp::Div, &[d]) if d != 0 => map(out, a, |a| (f64::from(a) / f64::from(d)) as i64 as i32),
            (BinaryOp::Rem, &[d]) if d != 0 => {
                map(out, a, |a| a.wrapping_sub(((f64::from(a) / f64::from(d)) as i64 as i32).wrapping_mul(d)));
            }
            _ => integer!(i32, op, out, a, b),
        },
        (SliceMut::U32(out), Slice::U32(a), Slice::U32(b)) => match (op, b) {
            (BinaryOp::Div, &[d]) if d != 0 => map(out, a, |a| (f64::from(a) / f64::from(d)) as u32),
            (BinaryOp::Rem, &[d]) if d != 0 => {
                map(out, a, |a| a.wrapping_sub(((f64::from(a) / f64::from(d)) as u32).wrapping_mul(d)));
            }
            _ => integer!(u32, op, out, a, b),
        },
        (SliceMut::I64(out), Slice::I64(a), Slice::I64(b)) => integer!(i64, op, out, a, b),
        (SliceMut::U8(out), Slice::U8(a), Slice::U8(b)) => integer!(u8, op, out, a, b),
        (SliceMut::Bool(out), Slice::Bool(a), Slice::Bool(b)) => match op {
            BinaryOp::And | BinaryOp::Min | BinaryOp::Mul => zip(out, a, b, |a, b| a & b),
            BinaryOp::Or | BinaryOp::Max => zip(out, a, b, |a, b| a | b),
            BinaryOp::Xor => zip(out, a, b, |a, b| a ^ b),
            _ => {}
        },
        _ => {}
    }
}

/// Integers wrap; a division by zero gives zero.
macro_rules! integer {
    ($type:ident, $op:expr, $out:expr, $a:expr, $b:expr) => {
        match $op {
            BinaryOp::Add => zip($out, $a, $b, $type::wrapping_add),
            BinaryOp::Sub => zip($out, $a, $b, $type::wrapping_sub),
            BinaryOp::Mul => zip($out, $a, $b, $type::wrapping_mul),
            BinaryOp::Div => zip($out, $a, $b, |a, b| if b == 0 { 0 } else { a.wrapping_div(b) }),
            BinaryOp::Rem => zip($out, $a, $b, |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) }),
            BinaryOp::Max => zip($out, $a, $b, |a, b| a.max(b)),
            BinaryOp::Min => zip($out, $a, $b, |a, b| a.min(b)),
            BinaryOp::And => zip($out, $a, $b, |a, b| a & b),
            BinaryOp::Or => zip($out, $a, $b, |a, b| a | b),
            BinaryOp::Xor => zip($out, $a, $b, |a, b| a ^ b),
            BinaryOp::Pow | BinaryOp::Atan2 => {}
        }
    };
}
use integer;

#[inline(always)]
fn binary_real<I: Isa, T>(op: BinaryOp, out: &mut [T], a: &[T], b: &[T])
where
    T: Real
        + std::ops::Add<Output = T>
        + std::ops::Sub<Output = T>
        + std::ops::Mul<Output = T>
        + std::ops::Div<Output = T>,
{
    macro_rules! each {
        (|$x:ident, $y:ident| $value:expr) => {
            zip(
                out,
                a,
                b,
                #[inline(always)]
                |$x, $y| $value,
            )
        };
    }
    match op {
        BinaryOp::Add => each!(|a, b| a + b),
        BinaryOp::Sub => each!(|a, b| a - b),
        BinaryOp::Mul => each!(|a, b| a * b),
        BinaryOp::Div => each!(|a, b| a / b),
        BinaryOp::Rem => each!(|a, b| Real::rem(a, b)),
        BinaryOp::Pow => each!(|a, b| Real::pow::<I>(a, b)),
        BinaryOp::Max => each!(|a, b| Real::max(a, b)),
        BinaryOp::Min => each!(|a, b| Real::min(a, b)),
        BinaryOp::Atan2 => each!(|a, b| Real::atan2(a, b)),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {}
    }
}

#[inline(always)]
fn shift(left: bool, out: SliceMut<'_>, a: Slice<'_>, b: Slice<'_>) {
    macro_rules! shift {
        ($type:ident, $out:expr, $a:expr, $b:expr) => {
            if left {
                zip($out, $a, $b, |a, b| $type::wrapping_shl(a, b as u32));
            } else {
                zip($out, $a, $b, |a, b| $type::wrapping_shr(a, b as u32));
            }
        };
    }
    match (out, a, b) {
        (SliceMut::I32(out), Slice::I32(a), Slice::I32(b)) => shift!(i32, out, a, b),
        (SliceMut::U32(out), Slice::U32(a), Slice::U32(b)) => shift!(u32, out, a, b),
        (SliceMut::I64(out), Slice::I64(a), Slice::I64(b)) => shift!(i64, out, a, b),
        (SliceMut::U8(out), Slice::U8(a), Slice::U8(b)) => shift!(u8, out, a, b),
        _ => {}
    }
}

#[inline(always)]
fn mul_add<I: Isa>(out: SliceMut<'_>, a: Slice<'_>, b: Slice<'_>, c: Slice<'_>) {
    macro_rules! integer {
        ($out:expr, $a:expr, $b:expr, $c:expr) => {
            zip3($out, $a, $b, $c, |a, b, c| a.wrapping_mul(b).wrapping_add(c))
        };
    }
    match (out, a, b, c) {
        (SliceMut::F32(out), Slice::F32(a), Slice::F32(b), Slice::F32(c)) => {
            zip3(
                out,
                a,
                b,
                c,
                #[inline(always)]
                |a, b, c| Real::fused::<I>(a, b, c),
            );
        }
        (SliceMut::F64(out), Slice::F64(a), Slice::F64(b), Slice::F64(c)) => {
            zip3(
                out,
                a,
                b,
                c,
                #[inline(always)]
                |a, b, c| Real::fused::<I>(a, b, c),
            );
        }
        (SliceMut::I32(out), Slice::I32(a), Slice::I32(b), Slice::I32(c)) => integer!(out, a, b, c),
        (SliceMut::U32(out), Slice::U32(a), Slice::U32(b), Slice::U32(c)) => integer!(out, a, b, c),
        (SliceMut::I64(out), Slice::I64(a), Slice::I64(b), Slice::I64(c)) => integer!(out, a, b, c),
        (SliceMut::U8(out), Slice::U8(a), Slice::U8(b), Slice::U8(c)) => integer!(out, a, b, c),
        _ => {}
    }
}

#[inline(always)]
fn compare(op: CompareOp, out: &mut [bool], a: Slice<'_>, b: Slice<'_>) {
    macro_rules! compare {
        ($a:expr, $b:expr) => {
            match op {
                CompareOp::Eq => zip(out, $a, $b, |a, b| a == b),
                CompareOp::Ne => zip(out, $a, $b, |a, b| a != b),
                CompareOp::Lt => zip(out, $a, $b, |a, b| a < b),
                CompareOp::Le => zip(out, $a, $b, |a, b| a <= b),
                CompareOp::Gt => zip(out, $a, $b, |a, b| a > b),
                CompareOp::Ge => zip(out, $a, $b, |a, b| a >= b),
            }
        };
    }
    match (a, b) {
        (Slice::F32(a), Slice::F32(b)) => compare!(a, b),
        (Slice::F64(a), Slice::F64(b)) => compare!(a, b),
        (Slice::I32(a), Slice::I32(b)) => compare!(a, b),
        (Slice::U32(a), Slice::U32(b)) => compare!(a, b),
        (Slice::I64(a), Slice::I64(b)) => compare!(a, b),
        (Slice::U8(a), Slice::U8(b)) => compare!(a, b),
        (Slice::Bool(a), Slice::Bool(b)) => compare!(a, b),
        _ => {}
    }
}

#[inline(always)]
fn select(out: SliceMut<'_>, condition: &[bool], then: Slice<'_>, otherwise: Slice<'_>) {
    macro_rules! select {
        ($($kind:ident)*) => {
            match (out, then, otherwise) {
                $((SliceMut::$kind(out), Slice::$kind(then), Slice::$kind(otherwise)) => {
                    zip3(out, condition, then, otherwise, |condition, a, b| if condition { a } else { b });
                })*
                _ => {}
            }
        };
    }
    select!(F32 F64 I32 U32 I64 U8 Bool);
}

/// Float to integer truncates and saturates, NaN gives zero; integers wrap; anything but zero is true.
#[inline(always)]
fn cast(out: SliceMut<'_>, a: Slice<'_>) {
    macro_rules! from {
        ($a:expr, $zero:expr) => {
            match out {
                SliceMut::Bool(out) => map(out, $a, |a| a != $zero),
                SliceMut::U8(out) => map(out, $a, |a| a as u8),
                SliceMut::I32(out) => map(out, $a, |a| a as i32),
                SliceMut::U32(out) => map(out, $a, |a| a as u32),
                SliceMut::I64(out) => map(out, $a, |a| a as i64),
                SliceMut::F32(out) => map(out, $a, |a| a as f32),
                SliceMut::F64(out) => map(out, $a, |a| a as f64),
                SliceMut::U16(_) => {}
            }
        };
    }
    match a {
        Slice::Bool(a) => match out {
            SliceMut::Bool(out) => map(out, a, |a| a),
            SliceMut::U8(out) => map(out, a, u8::from),
            SliceMut::I32(out) => map(out, a, i32::from),
            SliceMut::U32(out) => map(out, a, u32::from),
            SliceMut::I64(out) => map(out, a, i64::from),
            SliceMut::F32(out) => map(out, a, |a| if a { 1.0 } else { 0.0 }),
            SliceMut::F64(out) => map(out, a, |a| if a { 1.0 } else { 0.0 }),
            SliceMut::U16(_) => {}
        },
        Slice::U8(a) => from!(a, 0),
        Slice::I32(a) => from!(a, 0),
        Slice::U32(a) => from!(a, 0),
        Slice::I64(a) => from!(a, 0),
        Slice::F32(a) => from!(a, 0.0),
        Slice::F64(a) => from!(a, 0.0),
        Slice::U16(_) => {}
    }
}

#[inline(always)]
fn bitcast(out: SliceMut<'_>, a: Slice<'_>) {
    match (out, a) {
        (SliceMut::F32(out), Slice::U32(a)) => map(out, a, f32::from_bits),
        (SliceMut::F32(out), Slice::I32(a)) => map(out, a, |a| f32::from_bits(a as u32)),
        (SliceMut::U32(out), Slice::F32(a)) => map(out, a, f32::to_bits),
        (SliceMut::I32(out), Slice::F32(a)) => map(out, a, |a| a.to_bits() as i32),
        (SliceMut::I32(out), Slice::U32(a)) => map(out, a, |a| a as i32),
        (SliceMut::U32(out), Slice::I32(a)) => map(out, a, |a| a as u32),
        (SliceMut::F64(out), Slice::I64(a)) => map(out, a, |a| f64::from_bits(a as u64)),
        (SliceMut::I64(out), Slice::F64(a)) => map(out, a, |a| a.to_bits() as i64),
        (out, a) => cast(out, a),
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
