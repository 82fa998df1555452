//! The interpreter's arithmetic that kernels seldom do: compiled once, for the crate's baseline.

use super::loops::{chunks, fold, map, pairs};
use super::math::{Baseline, Real};
use super::memory::{Slice, SliceMut};
use super::operation::Operation;
use super::real::{binary_real, unary_real};
use crate::graph::{BinaryOp, CompareOp, UnaryOp};

/// What is not worth compiling for each kind of processor.
#[inline(never)]
pub(super) fn compute(operation: Operation<'_>) {
    match operation {
        Operation::Unary(op, out, a) => unary(op, out, a),
        Operation::Binary(op, out, a, b) => binary(op, out, a, b),
        Operation::Shift(left, out, a, b) => shift(left, out, a, b),
        Operation::MulAdd(out, a, b, c) => mul_add(out, a, b, c),
        Operation::Compare(op, out, a, b) => compare(op, out, a, b),
        Operation::Select(out, condition, then, otherwise) => select(out, condition, then, otherwise),
        Operation::Cast(out, a) => cast(out, a),
        Operation::Bitcast(out, a) => bitcast(out, a),
        Operation::Fold { op, out, x, first, times } => fold_any(op, out, x, first, times),
        // Products are of floats.
        Operation::FoldProduct { .. } | Operation::Philox(..) => {}
    }
}

fn unary(op: UnaryOp, out: SliceMut<'_>, a: Slice<'_>) {
    match (out, a) {
        (SliceMut::F64(out), Slice::F64(a)) => unary_real::<Baseline, f64>(op, out, a),
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

fn binary(op: BinaryOp, out: SliceMut<'_>, a: Slice<'_>, b: Slice<'_>) {
    match (out, a, b) {
        (SliceMut::F64(out), Slice::F64(a), Slice::F64(b)) => binary_real::<Baseline, f64>(op, out, a, b),
        (SliceMut::I32(out), Slice::I32(a), Slice::I32(b)) => integer!(i32, op, out, a, b),
        (SliceMut::U32(out), Slice::U32(a), Slice::U32(b)) => integer!(u32, op, out, a, b),
        (SliceMut::I64(out), Slice::I64(a), Slice::I64(b)) => integer!(i64, op, out, a, b),
        (SliceMut::U8(out), Slice::U8(a), Slice::U8(b)) => integer!(u8, op, out, a, b),
        (SliceMut::Bool(out), Slice::Bool(a), Slice::Bool(b)) => match op {
            BinaryOp::And | BinaryOp::Min | BinaryOp::Mul => pairs(out, a, b, |a, b| a & b),
            BinaryOp::Or | BinaryOp::Max => pairs(out, a, b, |a, b| a | b),
            BinaryOp::Xor => pairs(out, a, b, |a, b| a ^ b),
            _ => {}
        },
        _ => {}
    }
}

/// Integers wrap; a division by zero gives zero.
macro_rules! integer {
    ($type:ident, $op:expr, $out:expr, $a:expr, $b:expr) => {
        match $op {
            BinaryOp::Add => pairs($out, $a, $b, $type::wrapping_add),
            BinaryOp::Sub => pairs($out, $a, $b, $type::wrapping_sub),
            BinaryOp::Mul => pairs($out, $a, $b, $type::wrapping_mul),
            BinaryOp::Div => pairs($out, $a, $b, |a, b| if b == 0 { 0 } else { a.wrapping_div(b) }),
            BinaryOp::Rem => pairs($out, $a, $b, |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) }),
            BinaryOp::Max => pairs($out, $a, $b, |a, b| a.max(b)),
            BinaryOp::Min => pairs($out, $a, $b, |a, b| a.min(b)),
            BinaryOp::And => pairs($out, $a, $b, |a, b| a & b),
            BinaryOp::Or => pairs($out, $a, $b, |a, b| a | b),
            BinaryOp::Xor => pairs($out, $a, $b, |a, b| a ^ b),
            BinaryOp::Pow | BinaryOp::Atan2 => {}
        }
    };
}
use integer;

fn fold_any(op: BinaryOp, out: SliceMut<'_>, x: Slice<'_>, first: bool, times: usize) {
    macro_rules! integer {
        ($out:expr, $x:expr) => {
            match op {
                BinaryOp::Max => fold($out, $x, times, |a, x| a.max(x)),
                BinaryOp::Min => fold($out, $x, times, |a, x| a.min(x)),
                BinaryOp::Mul => fold($out, $x, times, |a, x| a.wrapping_mul(x)),
                _ => fold($out, $x, times, |a, x| a.wrapping_add(x)),
            }
        };
    }
    match (out, x) {
        (SliceMut::F64(out), Slice::F64(x)) => match (op, first) {
            (BinaryOp::Max, true) => fold(out, x, times, Real::max),
            (BinaryOp::Max, false) => fold(out, x, times, |a, x| Real::max(x, a)),
            (BinaryOp::Min, true) => fold(out, x, times, Real::min),
            (BinaryOp::Min, false) => fold(out, x, times, |a, x| Real::min(x, a)),
            (BinaryOp::Mul, _) => fold(out, x, times, |a, x| a * x),
            _ => fold(out, x, times, |a, x| a + x),
        },
        (SliceMut::I32(out), Slice::I32(x)) => integer!(out, x),
        (SliceMut::U32(out), Slice::U32(x)) => integer!(out, x),
        (SliceMut::I64(out), Slice::I64(x)) => integer!(out, x),
        (SliceMut::U8(out), Slice::U8(x)) => integer!(out, x),
        (SliceMut::Bool(out), Slice::Bool(x)) => match op {
            BinaryOp::Max | BinaryOp::Add => fold(out, x, times, |a, x| a | x),
            _ => fold(out, x, times, |a, x| a & x),
        },
        _ => {}
    }
}

fn shift(left: bool, out: SliceMut<'_>, a: Slice<'_>, b: Slice<'_>) {
    macro_rules! shift {
        ($type:ident, $out:expr, $a:expr, $b:expr) => {
            if left {
                pairs($out, $a, $b, |a, b| $type::wrapping_shl(a, b as u32));
            } else {
                pairs($out, $a, $b, |a, b| $type::wrapping_shr(a, b as u32));
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

/// Of integers; floats are not rare.
fn mul_add(out: SliceMut<'_>, a: Slice<'_>, b: Slice<'_>, c: Slice<'_>) {
    macro_rules! integer {
        ($out:expr, $a:expr, $b:expr, $c:expr) => {
            chunks($out, $a, $b, $c, |a, b, c| a.wrapping_mul(b).wrapping_add(c))
        };
    }
    match (out, a, b, c) {
        (SliceMut::I32(out), Slice::I32(a), Slice::I32(b), Slice::I32(c)) => integer!(out, a, b, c),
        (SliceMut::U32(out), Slice::U32(a), Slice::U32(b), Slice::U32(c)) => integer!(out, a, b, c),
        (SliceMut::I64(out), Slice::I64(a), Slice::I64(b), Slice::I64(c)) => integer!(out, a, b, c),
        (SliceMut::U8(out), Slice::U8(a), Slice::U8(b), Slice::U8(c)) => integer!(out, a, b, c),
        _ => {}
    }
}

fn compare(op: CompareOp, out: &mut [bool], a: Slice<'_>, b: Slice<'_>) {
    macro_rules! compare {
        ($a:expr, $b:expr) => {
            match op {
                CompareOp::Eq => pairs(out, $a, $b, |a, b| a == b),
                CompareOp::Ne => pairs(out, $a, $b, |a, b| a != b),
                CompareOp::Lt => pairs(out, $a, $b, |a, b| a < b),
                CompareOp::Le => pairs(out, $a, $b, |a, b| a <= b),
                CompareOp::Gt => pairs(out, $a, $b, |a, b| a > b),
                CompareOp::Ge => pairs(out, $a, $b, |a, b| a >= b),
            }
        };
    }
    match (a, b) {
        (Slice::F64(a), Slice::F64(b)) => compare!(a, b),
        (Slice::I32(a), Slice::I32(b)) => compare!(a, b),
        (Slice::U32(a), Slice::U32(b)) => compare!(a, b),
        (Slice::I64(a), Slice::I64(b)) => compare!(a, b),
        (Slice::U8(a), Slice::U8(b)) => compare!(a, b),
        (Slice::Bool(a), Slice::Bool(b)) => compare!(a, b),
        _ => {}
    }
}

fn select(out: SliceMut<'_>, condition: &[bool], then: Slice<'_>, otherwise: Slice<'_>) {
    macro_rules! select {
        ($($kind:ident)*) => {
            match (out, then, otherwise) {
                $((SliceMut::$kind(out), Slice::$kind(then), Slice::$kind(otherwise)) => {
                    chunks(out, condition, then, otherwise, |condition, a, b| if condition { a } else { b });
                })*
                _ => {}
            }
        };
    }
    select!(F64 I32 U32 I64 U8 Bool);
}

/// Float to integer truncates and saturates, NaN gives zero; integers wrap; anything but zero is true.
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
