//! The functions of floats, over slices.

use super::loops::{inlined, lanes, map, pairs, zip};
use super::math::{Isa, Real};
use crate::graph::{BinaryOp, UnaryOp};

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
