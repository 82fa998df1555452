//! What the interpreter computes at once.

use super::memory::{Slice, SliceMut};
use crate::graph::{BinaryOp, CompareOp, UnaryOp};

/// One operation. An operand of one value stands for that value everywhere; all others have the result's length.
#[derive(Debug)]
pub enum Operation<'a> {
    /// Elementwise function.
    Unary(UnaryOp, SliceMut<'a>, Slice<'a>),
    /// Elementwise function of two operands.
    Binary(BinaryOp, SliceMut<'a>, Slice<'a>, Slice<'a>),
    /// Left (`true`) or right shift of integers, by the distance modulo the number of bits.
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
    /// `out = out op x[t]` (`first`) or `x[t] op out` for `times` consecutive pieces of `x`, each of the length of `out`;
    /// an `x` of one piece or one value is taken that many times.
    Fold {
        /// What is done.
        op: BinaryOp,
        /// The accumulator.
        out: SliceMut<'a>,
        /// What is taken in.
        x: Slice<'a>,
        /// The accumulator is the first operand.
        first: bool,
        /// How often.
        times: usize,
    },
    /// `out = a[t] * b[t] + out`, as [`Operation::Fold`].
    FoldProduct {
        /// The accumulator.
        out: SliceMut<'a>,
        /// Factors.
        a: Slice<'a>,
        /// Factors.
        b: Slice<'a>,
        /// How often.
        times: usize,
    },
    /// Random numbers: counter, seed, stream.
    Philox(&'a mut [f32], &'a [u32], u32, u32),
}

/// Who computes.
pub type Engine = fn(Operation<'_>);
