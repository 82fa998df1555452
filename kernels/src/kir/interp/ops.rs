//! The arithmetic of the interpreter: operations on slices.
//!
//! [`compute`] is inlined into whoever calls it, so that a crate that may use `unsafe` can compile it once more for
//! wider vector registers and pass that as the [`Engine`].

use super::loops::{chunks, fold_product, inlined, map, zip, zip3};
use super::memory::{Slice, SliceMut};
use super::rare;
use super::real::{binary_real, unary_real};
use crate::graph::{BinaryOp, CompareOp};
use crate::philox::philox4x32;
use crate::scalar::{self, Arithmetic, Baseline, Convert, Float, Isa};

pub use super::operation::{Engine, Operation};

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
            (BinaryOp::Add, _) => zip(out, a, b, <i32 as Arithmetic>::add),
            (BinaryOp::Sub, _) => zip(out, a, b, <i32 as Arithmetic>::sub),
            (BinaryOp::Mul, _) => zip(out, a, b, <i32 as Arithmetic>::mul),
            (BinaryOp::Max, _) => zip(out, a, b, Arithmetic::max),
            (BinaryOp::Min, _) => zip(out, a, b, Arithmetic::min),
            // The quotient of doubles, cut off, is exact for 32 bits, and vector registers divide doubles.
            (BinaryOp::Div, &[d]) if d != 0 => map(out, a, |a| (f64::from(a) / f64::from(d)) as i64 as i32),
            (BinaryOp::Rem, &[d]) if d != 0 => {
                map(out, a, |a| a.wrapping_sub(((f64::from(a) / f64::from(d)) as i64 as i32).wrapping_mul(d)));
            }
            _ => rare::compute(Operation::Binary(op, SliceMut::I32(out), Slice::I32(a), Slice::I32(b))),
        },
        Operation::Binary(op, SliceMut::U32(out), Slice::U32(a), Slice::U32(b)) => match (op, b) {
            (BinaryOp::Add, _) => zip(out, a, b, <u32 as Arithmetic>::add),
            (BinaryOp::Mul, _) => zip(out, a, b, <u32 as Arithmetic>::mul),
            (BinaryOp::Div, &[d]) if d != 0 => map(out, a, |a| (f64::from(a) / f64::from(d)) as u32),
            (BinaryOp::Rem, &[d]) if d != 0 => {
                map(out, a, |a| a.wrapping_sub(((f64::from(a) / f64::from(d)) as u32).wrapping_mul(d)));
            }
            _ => rare::compute(Operation::Binary(op, SliceMut::U32(out), Slice::U32(a), Slice::U32(b))),
        },
        Operation::MulAdd(SliceMut::F32(out), Slice::F32(a), Slice::F32(b), Slice::F32(c)) => {
            zip3(out, a, b, c, inlined!(|a, b, c| a.fused::<I>(b, c)));
        }
        // Here because it rounds once or twice.
        Operation::MulAdd(SliceMut::F64(out), Slice::F64(a), Slice::F64(b), Slice::F64(c)) => {
            chunks(out, a, b, c, inlined!(|a, b, c| a.fused::<I>(b, c)));
        }
        Operation::Compare(op, out, Slice::F32(a), Slice::F32(b)) => match op {
            CompareOp::Eq => zip(out, a, b, inlined!(|a, b| scalar::compare(CompareOp::Eq, a, b))),
            CompareOp::Ne => zip(out, a, b, inlined!(|a, b| scalar::compare(CompareOp::Ne, a, b))),
            CompareOp::Lt => zip(out, a, b, inlined!(|a, b| scalar::compare(CompareOp::Lt, a, b))),
            CompareOp::Le => zip(out, a, b, inlined!(|a, b| scalar::compare(CompareOp::Le, a, b))),
            CompareOp::Gt => zip(out, a, b, inlined!(|a, b| scalar::compare(CompareOp::Gt, a, b))),
            CompareOp::Ge => zip(out, a, b, inlined!(|a, b| scalar::compare(CompareOp::Ge, a, b))),
        },
        Operation::Select(SliceMut::F32(out), condition, Slice::F32(a), Slice::F32(b)) => {
            zip3(out, condition, a, b, |condition, a, b| if condition { a } else { b });
        }
        Operation::Cast(SliceMut::F32(out), Slice::I32(a)) => map(out, a, Convert::convert),
        Operation::Cast(SliceMut::I32(out), Slice::F32(a)) => map(out, a, Convert::convert),
        Operation::Cast(SliceMut::I32(out), Slice::U32(a)) => map(out, a, Convert::convert),
        Operation::Cast(SliceMut::U32(out), Slice::I32(a)) => map(out, a, Convert::convert),
        Operation::Philox(out, counter, seed, stream) => {
            map(out, counter, inlined!(|counter| philox(counter, seed, stream)));
        }
        Operation::Fold { op, out: SliceMut::F32(out), x: Slice::F32(x), first, times } => {
            rare::fold_numbers(op, out, x, first, times);
        }
        Operation::FoldProduct { out: SliceMut::F32(out), a: Slice::F32(a), b: Slice::F32(b), times } => {
            fold_product(out, a, b, times, inlined!(|a, b, c| a.fused::<I>(b, c)));
        }
        // Here because it rounds once or twice.
        Operation::FoldProduct { out: SliceMut::F64(out), a: Slice::F64(a), b: Slice::F64(b), times } => {
            fold_product(out, a, b, times, inlined!(|a, b, c| a.fused::<I>(b, c)));
        }
        operation => rare::compute(operation),
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
