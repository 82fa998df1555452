//! The functions of floats, over slices.

use super::loops::{inlined, lanes, map, pairs, zip};
use crate::graph::{BinaryOp, UnaryOp};
use crate::scalar::{Float, Isa};

#[inline(always)]
pub(super) fn unary_real<I: Isa, T: Float>(op: UnaryOp, out: &mut [T], a: &[T]) {
    macro_rules! each {
        (|$x:ident| $value:expr) => {
            map(out, a, inlined!(|$x| $value))
        };
    }
    match op {
        UnaryOp::Neg => each!(|x| x.neg()),
        UnaryOp::Abs => each!(|x| x.abs()),
        UnaryOp::Sign => each!(|x| x.sign()),
        UnaryOp::Exp => each!(|x| x.exp::<I>()),
        UnaryOp::Exp2 => each!(|x| x.exp2::<I>()),
        UnaryOp::Log => each!(|x| x.log::<I>()),
        UnaryOp::Log2 => each!(|x| x.log2::<I>()),
        UnaryOp::Log1p => each!(|x| x.log1p::<I>()),
        UnaryOp::Expm1 => each!(|x| x.expm1::<I>()),
        UnaryOp::Sqrt => each!(|x| x.sqrt()),
        UnaryOp::Rsqrt => each!(|x| x.rsqrt()),
        UnaryOp::Tanh => each!(|x| x.tanh::<I>()),
        UnaryOp::Erf => each!(|x| x.erf::<I>()),
        UnaryOp::Floor => each!(|x| x.floor()),
        UnaryOp::Ceil => each!(|x| x.ceil()),
        UnaryOp::Round => each!(|x| x.round()),
        UnaryOp::Recip => each!(|x| x.recip()),
        UnaryOp::Sin => lanes(out, a, inlined!(|a, out| T::sin_lanes::<I>(a, out))),
        UnaryOp::Cos => lanes(out, a, inlined!(|a, out| T::cos_lanes::<I>(a, out))),
        UnaryOp::Tan => lanes(out, a, inlined!(|a, out| T::tan_lanes::<I>(a, out))),
        UnaryOp::Not => {}
    }
}

#[inline(always)]
pub(super) fn binary_real<I: Isa, T: Float>(op: BinaryOp, out: &mut [T], a: &[T], b: &[T]) {
    macro_rules! each {
        (|$x:ident, $y:ident| $value:expr) => {
            zip(out, a, b, inlined!(|$x, $y| $value))
        };
    }
    match op {
        BinaryOp::Add => each!(|a, b| a.add(b)),
        BinaryOp::Sub => each!(|a, b| a.sub(b)),
        BinaryOp::Mul => each!(|a, b| a.mul(b)),
        BinaryOp::Div => each!(|a, b| a.div(b)),
        BinaryOp::Rem => pairs(out, a, b, T::rem),
        BinaryOp::Pow => pairs(out, a, b, inlined!(|a, b| a.pow::<I>(b))),
        BinaryOp::Max => each!(|a, b| a.max(b)),
        BinaryOp::Min => each!(|a, b| a.min(b)),
        BinaryOp::Atan2 => pairs(out, a, b, T::atan2),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shl | BinaryOp::Shr => {}
    }
}
