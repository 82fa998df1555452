//! Operators by name, for one value; `None` where the type does not have the operator.

use super::arithmetic::{Bits, Integer};
use super::math::{Float, Isa};
use crate::graph::{BinaryOp, CompareOp, UnaryOp};

/// `op(x)` of a float.
pub fn unary_float<I: Isa, T: Float>(op: UnaryOp, x: T) -> Option<T> {
    let lane = |function: fn(&[T], &mut [T])| {
        let mut out = [x];
        function(&[x], &mut out);
        out[0]
    };
    Some(match op {
        UnaryOp::Neg => x.neg(),
        UnaryOp::Abs => x.abs(),
        UnaryOp::Sign => x.sign(),
        UnaryOp::Exp => x.exp::<I>(),
        UnaryOp::Exp2 => x.exp2::<I>(),
        UnaryOp::Log => x.log::<I>(),
        UnaryOp::Log2 => x.log2::<I>(),
        UnaryOp::Log1p => x.log1p::<I>(),
        UnaryOp::Expm1 => x.expm1::<I>(),
        UnaryOp::Sqrt => x.sqrt(),
        UnaryOp::Rsqrt => x.rsqrt(),
        UnaryOp::Sin => lane(T::sin_lanes::<I>),
        UnaryOp::Cos => lane(T::cos_lanes::<I>),
        UnaryOp::Tan => lane(T::tan_lanes::<I>),
        UnaryOp::Tanh => x.tanh::<I>(),
        UnaryOp::Erf => x.erf::<I>(),
        UnaryOp::Floor => x.floor(),
        UnaryOp::Ceil => x.ceil(),
        UnaryOp::Round => x.round(),
        UnaryOp::Recip => x.recip(),
        UnaryOp::Not => return None,
    })
}

/// `op(x)` of an integer.
pub fn unary_integer<T: Integer>(op: UnaryOp, x: T) -> Option<T> {
    Some(match op {
        UnaryOp::Neg => x.neg(),
        UnaryOp::Abs => x.abs(),
        UnaryOp::Sign => x.sign(),
        UnaryOp::Not => x.not(),
        _ => return None,
    })
}

/// `op(a, b)` of floats.
pub fn binary_float<I: Isa, T: Float>(op: BinaryOp, a: T, b: T) -> Option<T> {
    Some(match op {
        BinaryOp::Add => a.add(b),
        BinaryOp::Sub => a.sub(b),
        BinaryOp::Mul => a.mul(b),
        BinaryOp::Div => a.div(b),
        BinaryOp::Rem => a.rem(b),
        BinaryOp::Pow => a.pow::<I>(b),
        BinaryOp::Max => a.max(b),
        BinaryOp::Min => a.min(b),
        BinaryOp::Atan2 => a.atan2(b),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shl | BinaryOp::Shr => return None,
    })
}

/// `op(a, b)` of integers.
pub fn binary_integer<T: Integer>(op: BinaryOp, a: T, b: T) -> Option<T> {
    Some(match op {
        BinaryOp::Add => a.add(b),
        BinaryOp::Sub => a.sub(b),
        BinaryOp::Mul => a.mul(b),
        BinaryOp::Div => a.div(b),
        BinaryOp::Rem => a.rem(b),
        BinaryOp::Max => Ord::max(a, b),
        BinaryOp::Min => Ord::min(a, b),
        BinaryOp::Shl => a.shl(b),
        BinaryOp::Shr => a.shr(b),
        _ => return binary_bits(op, a, b),
    })
}

/// `op(a, b)` bit by bit: of integers and truth values.
pub fn binary_bits<T: Bits>(op: BinaryOp, a: T, b: T) -> Option<T> {
    Some(match op {
        BinaryOp::And => a.and(b),
        BinaryOp::Or => a.or(b),
        BinaryOp::Xor => a.xor(b),
        _ => return None,
    })
}

/// The comparison of two values of one type.
#[inline(always)]
pub fn compare<T: PartialOrd>(op: CompareOp, a: T, b: T) -> bool {
    match op {
        CompareOp::Eq => a == b,
        CompareOp::Ne => a != b,
        CompareOp::Lt => a < b,
        CompareOp::Le => a <= b,
        CompareOp::Gt => a > b,
        CompareOp::Ge => a >= b,
    }
}
