//! Arithmetic on literals: what a kernel would compute, computed while compiling.

use crate::dtype::{DType, Literal};
use crate::graph::{BinaryOp, CompareOp, UnaryOp};

/// `op(a)`, unless it is not exact to do so here.
pub fn unary(op: UnaryOp, a: Literal) -> Option<Literal> {
    match (a, op) {
        (Literal::Bool(value), UnaryOp::Not) => Some(Literal::Bool(!value)),
        (Literal::Int(value, dtype), UnaryOp::Neg) => Some(wrap(value.wrapping_neg(), dtype)),
        (Literal::Float(..), _) => Some(Literal::float(unary_f64(op, a.as_f64())?, a.dtype())),
        _ => None,
    }
}

/// The function on `f64`; `None` for those that need a library (`erf`) or a truth value.
pub fn unary_f64(op: UnaryOp, x: f64) -> Option<f64> {
    Some(match op {
        UnaryOp::Neg => -x,
        UnaryOp::Abs => x.abs(),
        UnaryOp::Sign if x == 0.0 || x.is_nan() => x,
        UnaryOp::Sign => x.signum(),
        UnaryOp::Exp => x.exp(),
        UnaryOp::Exp2 => x.exp2(),
        UnaryOp::Log => x.ln(),
        UnaryOp::Log2 => x.log2(),
        UnaryOp::Log1p => x.ln_1p(),
        UnaryOp::Expm1 => x.exp_m1(),
        UnaryOp::Sqrt => x.sqrt(),
        UnaryOp::Rsqrt => 1.0 / x.sqrt(),
        UnaryOp::Sin => x.sin(),
        UnaryOp::Cos => x.cos(),
        UnaryOp::Tan => x.tan(),
        UnaryOp::Tanh => x.tanh(),
        UnaryOp::Floor => x.floor(),
        UnaryOp::Ceil => x.ceil(),
        UnaryOp::Round => x.round_ties_even(),
        UnaryOp::Recip => 1.0 / x,
        UnaryOp::Erf | UnaryOp::Not => return None,
    })
}

/// `op(a, b)`, unless it is not exact to do so here.
pub fn binary(op: BinaryOp, a: Literal, b: Literal) -> Option<Literal> {
    match (a, b) {
        (Literal::Bool(x), Literal::Bool(y)) => Some(Literal::Bool(match op {
            BinaryOp::And => x && y,
            BinaryOp::Or => x || y,
            BinaryOp::Xor => x != y,
            _ => return None,
        })),
        (Literal::Int(x, dtype), Literal::Int(y, _)) => Some(wrap(binary_i64(op, x, y)?, dtype)),
        (Literal::Float(..), Literal::Float(..)) => {
            Some(Literal::float(binary_f64(op, a.as_f64(), b.as_f64())?, a.dtype()))
        }
        _ => None,
    }
}

/// The function on `f64`.
pub fn binary_f64(op: BinaryOp, x: f64, y: f64) -> Option<f64> {
    Some(match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        BinaryOp::Div => x / y,
        BinaryOp::Rem => x % y,
        BinaryOp::Pow => x.powf(y),
        BinaryOp::Max if x.is_nan() || y.is_nan() => f64::NAN,
        BinaryOp::Max => x.max(y),
        BinaryOp::Min if x.is_nan() || y.is_nan() => f64::NAN,
        BinaryOp::Min => x.min(y),
        BinaryOp::Atan2 => x.atan2(y),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => return None,
    })
}

/// The function on integers, wrapping; division by zero gives zero.
pub fn binary_i64(op: BinaryOp, x: i64, y: i64) -> Option<i64> {
    Some(match op {
        BinaryOp::Add => x.wrapping_add(y),
        BinaryOp::Sub => x.wrapping_sub(y),
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::Div => {
            if y == 0 {
                0
            } else {
                x.wrapping_div(y)
            }
        }
        BinaryOp::Rem => {
            if y == 0 {
                0
            } else {
                x.wrapping_rem(y)
            }
        }
        BinaryOp::Max => x.max(y),
        BinaryOp::Min => x.min(y),
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        BinaryOp::Pow | BinaryOp::Atan2 => return None,
    })
}

/// The comparison on `f64`.
pub fn compare(op: CompareOp, x: f64, y: f64) -> bool {
    match op {
        CompareOp::Eq => x == y,
        CompareOp::Ne => x != y,
        CompareOp::Lt => x < y,
        CompareOp::Le => x <= y,
        CompareOp::Gt => x > y,
        CompareOp::Ge => x >= y,
    }
}

/// The comparison on integers or truth values.
pub fn compare_ordered<T: Ord>(op: CompareOp, x: &T, y: &T) -> bool {
    match op {
        CompareOp::Eq => x == y,
        CompareOp::Ne => x != y,
        CompareOp::Lt => x < y,
        CompareOp::Le => x <= y,
        CompareOp::Gt => x > y,
        CompareOp::Ge => x >= y,
    }
}

/// The literal as another type; float to integer truncates and saturates, a type of half precision rounds as storing does.
pub fn cast(literal: Literal, to: DType) -> Literal {
    match (literal, to) {
        (_, DType::Bool) => Literal::Bool(literal.as_f64() != 0.0),
        (Literal::Int(value, _), _) if to.is_integer() => wrap(value, to),
        (_, DType::U8) => Literal::Int(i64::from(literal.as_f64() as u8), to),
        (_, DType::I32) => Literal::Int(i64::from(literal.as_f64() as i32), to),
        (_, DType::U32) => Literal::Int(i64::from(literal.as_f64() as u32), to),
        (_, DType::I64) => Literal::Int(literal.as_f64() as i64, to),
        (_, DType::F16 | DType::BF16) => stored(Literal::float(literal.as_f64(), to)),
        _ => Literal::float(literal.as_f64(), to),
    }
}

/// The literal as an element of its type in memory: a float of half precision is rounded.
pub fn stored(literal: Literal) -> Literal {
    match literal {
        Literal::Float(_, DType::F16) => {
            Literal::float(half::f16::from_f32(literal.as_f64() as f32).to_f64(), DType::F16)
        }
        Literal::Float(_, DType::BF16) => {
            Literal::float(half::bf16::from_f32(literal.as_f64() as f32).to_f64(), DType::BF16)
        }
        _ => literal,
    }
}

/// The integer wrapped to the width of `dtype`.
pub fn wrap(value: i64, dtype: DType) -> Literal {
    let value = match dtype {
        DType::U8 => i64::from(value as u8),
        DType::I32 => i64::from(value as i32),
        DType::U32 => i64::from(value as u32),
        _ => value,
    };
    Literal::Int(value, dtype)
}
