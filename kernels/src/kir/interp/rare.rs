//! The interpreter's arithmetic that kernels seldom do: compiled once, for the crate's baseline.

use super::loops::{chunks, fold, inlined, map, pairs};
use super::memory::{Slice, SliceMut};
use super::operation::Operation;
use super::real::{binary_real, unary_real};
use crate::graph::{BinaryOp, CompareOp, UnaryOp};
use crate::scalar::{self, Arithmetic, Baseline, Bitcast, Bits, Convert, Integer};

/// What is not worth compiling for each kind of processor.
#[inline(never)]
pub(super) fn compute(operation: Operation<'_>) {
    match operation {
        Operation::Unary(op, out, a) => unary(op, out, a),
        Operation::Binary(op, out, a, b) => binary(op, out, a, b),
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
        (SliceMut::I32(out), Slice::I32(a)) => unary_integer(op, out, a),
        (SliceMut::I64(out), Slice::I64(a)) => unary_integer(op, out, a),
        (SliceMut::U32(out), Slice::U32(a)) => unary_integer(op, out, a),
        (SliceMut::U8(out), Slice::U8(a)) => unary_integer(op, out, a),
        (SliceMut::Bool(out), Slice::Bool(a)) if op == UnaryOp::Not => map(out, a, Bits::not),
        _ => {}
    }
}

fn unary_integer<T: Integer>(op: UnaryOp, out: &mut [T], a: &[T]) {
    match op {
        UnaryOp::Neg => map(out, a, T::neg),
        UnaryOp::Abs => map(out, a, T::abs),
        UnaryOp::Sign => map(out, a, T::sign),
        UnaryOp::Not => map(out, a, T::not),
        _ => {}
    }
}

fn binary(op: BinaryOp, out: SliceMut<'_>, a: Slice<'_>, b: Slice<'_>) {
    match (out, a, b) {
        (SliceMut::F64(out), Slice::F64(a), Slice::F64(b)) => binary_real::<Baseline, f64>(op, out, a, b),
        (SliceMut::I32(out), Slice::I32(a), Slice::I32(b)) => binary_integer(op, out, a, b),
        (SliceMut::U32(out), Slice::U32(a), Slice::U32(b)) => binary_integer(op, out, a, b),
        (SliceMut::I64(out), Slice::I64(a), Slice::I64(b)) => binary_integer(op, out, a, b),
        (SliceMut::U8(out), Slice::U8(a), Slice::U8(b)) => binary_integer(op, out, a, b),
        (SliceMut::Bool(out), Slice::Bool(a), Slice::Bool(b)) => binary_bits(op, out, a, b),
        _ => {}
    }
}

fn binary_integer<T: Integer>(op: BinaryOp, out: &mut [T], a: &[T], b: &[T]) {
    match op {
        BinaryOp::Add => pairs(out, a, b, T::add),
        BinaryOp::Sub => pairs(out, a, b, T::sub),
        BinaryOp::Mul => pairs(out, a, b, T::mul),
        BinaryOp::Div => pairs(out, a, b, T::div),
        BinaryOp::Rem => pairs(out, a, b, T::rem),
        BinaryOp::Max => pairs(out, a, b, Arithmetic::max),
        BinaryOp::Min => pairs(out, a, b, Arithmetic::min),
        _ => binary_bits(op, out, a, b),
    }
}

fn binary_bits<T: Bits>(op: BinaryOp, out: &mut [T], a: &[T], b: &[T]) {
    match op {
        BinaryOp::And => pairs(out, a, b, T::and),
        BinaryOp::Or => pairs(out, a, b, T::or),
        BinaryOp::Xor => pairs(out, a, b, T::xor),
        BinaryOp::Shl => pairs(out, a, b, T::shl),
        BinaryOp::Shr => pairs(out, a, b, T::shr),
        _ => {}
    }
}

fn fold_any(op: BinaryOp, out: SliceMut<'_>, x: Slice<'_>, first: bool, times: usize) {
    match (out, x) {
        (SliceMut::F64(out), Slice::F64(x)) => fold_numbers(op, out, x, first, times),
        (SliceMut::I32(out), Slice::I32(x)) => fold_numbers(op, out, x, first, times),
        (SliceMut::U32(out), Slice::U32(x)) => fold_numbers(op, out, x, first, times),
        (SliceMut::I64(out), Slice::I64(x)) => fold_numbers(op, out, x, first, times),
        (SliceMut::U8(out), Slice::U8(x)) => fold_numbers(op, out, x, first, times),
        _ => {}
    }
}

/// Sums, products, maxima and minima; of two NaNs, and of 0 and -0, the order decides which is kept.
#[inline(always)]
pub(super) fn fold_numbers<T: Arithmetic>(op: BinaryOp, out: &mut [T], x: &[T], first: bool, times: usize) {
    match (op, first) {
        (BinaryOp::Max, true) => fold(out, x, times, inlined!(|a, x| Arithmetic::max(a, x))),
        (BinaryOp::Max, false) => fold(out, x, times, inlined!(|a, x| Arithmetic::max(x, a))),
        (BinaryOp::Min, true) => fold(out, x, times, inlined!(|a, x| Arithmetic::min(a, x))),
        (BinaryOp::Min, false) => fold(out, x, times, inlined!(|a, x| Arithmetic::min(x, a))),
        (BinaryOp::Mul, _) => fold(out, x, times, inlined!(|a, x| Arithmetic::mul(a, x))),
        _ => fold(out, x, times, inlined!(|a, x| Arithmetic::add(a, x))),
    }
}

/// Of integers; floats are not rare.
fn mul_add(out: SliceMut<'_>, a: Slice<'_>, b: Slice<'_>, c: Slice<'_>) {
    fn each<T: Integer>(out: &mut [T], a: &[T], b: &[T], c: &[T]) {
        chunks(out, a, b, c, |a, b, c| a.mul(b).add(c));
    }
    match (out, a, b, c) {
        (SliceMut::I32(out), Slice::I32(a), Slice::I32(b), Slice::I32(c)) => each(out, a, b, c),
        (SliceMut::U32(out), Slice::U32(a), Slice::U32(b), Slice::U32(c)) => each(out, a, b, c),
        (SliceMut::I64(out), Slice::I64(a), Slice::I64(b), Slice::I64(c)) => each(out, a, b, c),
        (SliceMut::U8(out), Slice::U8(a), Slice::U8(b), Slice::U8(c)) => each(out, a, b, c),
        _ => {}
    }
}

fn compare(op: CompareOp, out: &mut [bool], a: Slice<'_>, b: Slice<'_>) {
    match (a, b) {
        (Slice::F64(a), Slice::F64(b)) => compare_pairs(op, out, a, b),
        (Slice::I32(a), Slice::I32(b)) => compare_pairs(op, out, a, b),
        (Slice::U32(a), Slice::U32(b)) => compare_pairs(op, out, a, b),
        (Slice::I64(a), Slice::I64(b)) => compare_pairs(op, out, a, b),
        (Slice::U8(a), Slice::U8(b)) => compare_pairs(op, out, a, b),
        (Slice::Bool(a), Slice::Bool(b)) => compare_pairs(op, out, a, b),
        _ => {}
    }
}

/// With a loop for each comparison.
fn compare_pairs<T: Copy + PartialOrd>(op: CompareOp, out: &mut [bool], a: &[T], b: &[T]) {
    match op {
        CompareOp::Eq => pairs(out, a, b, |a, b| scalar::compare(CompareOp::Eq, a, b)),
        CompareOp::Ne => pairs(out, a, b, |a, b| scalar::compare(CompareOp::Ne, a, b)),
        CompareOp::Lt => pairs(out, a, b, |a, b| scalar::compare(CompareOp::Lt, a, b)),
        CompareOp::Le => pairs(out, a, b, |a, b| scalar::compare(CompareOp::Le, a, b)),
        CompareOp::Gt => pairs(out, a, b, |a, b| scalar::compare(CompareOp::Gt, a, b)),
        CompareOp::Ge => pairs(out, a, b, |a, b| scalar::compare(CompareOp::Ge, a, b)),
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

fn cast(out: SliceMut<'_>, a: Slice<'_>) {
    macro_rules! to_each {
        ($a:expr) => {
            match out {
                SliceMut::Bool(out) => map(out, $a, Convert::convert),
                SliceMut::U8(out) => map(out, $a, Convert::convert),
                SliceMut::I32(out) => map(out, $a, Convert::convert),
                SliceMut::U32(out) => map(out, $a, Convert::convert),
                SliceMut::I64(out) => map(out, $a, Convert::convert),
                SliceMut::F32(out) => map(out, $a, Convert::convert),
                SliceMut::F64(out) => map(out, $a, Convert::convert),
                SliceMut::U16(_) => {}
            }
        };
    }
    match a {
        Slice::Bool(a) => to_each!(a),
        Slice::U8(a) => to_each!(a),
        Slice::I32(a) => to_each!(a),
        Slice::U32(a) => to_each!(a),
        Slice::I64(a) => to_each!(a),
        Slice::F32(a) => to_each!(a),
        Slice::F64(a) => to_each!(a),
        Slice::U16(_) => {}
    }
}

fn bitcast(out: SliceMut<'_>, a: Slice<'_>) {
    macro_rules! bitcast {
        ($($to:ident $from:ident;)*) => {
            match (out, a) {
                $((SliceMut::$to(out), Slice::$from(a)) => map(out, a, Bitcast::bitcast),)*
                // To its own type.
                (out, a) => cast(out, a),
            }
        };
    }
    bitcast! {
        F32 U32; F32 I32; U32 F32; I32 F32; I32 U32; U32 I32; F64 I64; I64 F64;
    }
}
