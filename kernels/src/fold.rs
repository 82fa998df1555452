//! Arithmetic on literals: what a kernel would compute, computed while compiling.
//!
//! A literal keeps the digits that were written. Kernels compute with `f32` (for types of half precision too) or `f64`, so
//! that operands and results are rounded to that here as they are there.

use crate::dtype::{DType, Literal};
use crate::graph::{BinaryOp, CompareOp, UnaryOp};

/// `op(a)`, unless it is not exact to do so here.
pub fn unary(op: UnaryOp, a: Literal) -> Option<Literal> {
    match (a, op) {
        (Literal::Bool(value), UnaryOp::Not) => Some(Literal::Bool(!value)),
        (Literal::Int(value, dtype), UnaryOp::Neg) => Some(wrap(value.wrapping_neg(), dtype)),
        (Literal::Float(..), _) => Some(computed(Literal::float(unary_f64(op, computed(a).as_f64())?, a.dtype()))),
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
            let value = binary_f64(op, computed(a).as_f64(), computed(b).as_f64())?;
            Some(computed(Literal::float(value, a.dtype())))
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

/// The comparison of two literals of one type, as elements of that type.
pub fn compare_literals(op: CompareOp, a: Literal, b: Literal) -> bool {
    match (a, b) {
        (Literal::Bool(x), Literal::Bool(y)) => compare_ordered(op, &x, &y),
        (Literal::Int(x, _), Literal::Int(y, _)) => compare_ordered(op, &x, &y),
        _ => compare(op, stored(a).as_f64(), stored(b).as_f64()),
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

/// The literal as another type; float to integer truncates and saturates, a float type rounds as storing does.
pub fn cast(literal: Literal, to: DType) -> Literal {
    let literal = computed(literal);
    match (literal, to) {
        (_, DType::Bool) => Literal::Bool(literal.as_f64() != 0.0),
        (Literal::Int(value, _), _) if to.is_integer() => wrap(value, to),
        (_, DType::U8) => Literal::Int(i64::from(literal.as_f64() as u8), to),
        (_, DType::I32) => Literal::Int(i64::from(literal.as_f64() as i32), to),
        (_, DType::U32) => Literal::Int(i64::from(literal.as_f64() as u32), to),
        (_, DType::I64) => Literal::Int(literal.as_f64() as i64, to),
        // To F32 at once: by way of `f64` an integer of 64 bits would be rounded twice.
        (Literal::Int(value, _), DType::F16 | DType::BF16 | DType::F32) => {
            stored(Literal::float(f64::from(value as f32), to))
        }
        _ => stored(Literal::float(literal.as_f64(), to)),
    }
}

/// The literal as what kernels compute with: a float of at most 32 bits is rounded to `f32`.
fn computed(literal: Literal) -> Literal {
    match literal {
        Literal::Float(_, dtype) if dtype.compute() == DType::F32 => {
            Literal::float(f64::from(literal.as_f64() as f32), dtype)
        }
        _ => literal,
    }
}

/// The literal as an element of its type in memory: a float is rounded to it.
pub fn stored(literal: Literal) -> Literal {
    match literal {
        Literal::Float(_, DType::F32) => computed(literal),
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
    Literal::Int(dtype.wrap(value), dtype)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn single(value: f64) -> Literal {
        Literal::float(value, DType::F32)
    }

    #[test]
    fn floats_are_single_precision() {
        let sum = binary(BinaryOp::Add, single(0.1), single(0.2)).unwrap();
        assert_eq!(sum.as_f64() as f32, 0.1f32 + 0.2f32);
        assert!(compare_literals(CompareOp::Eq, sum, single(0.3)));
        let large = binary(BinaryOp::Add, single(16_777_216.0), single(1.0)).unwrap();
        assert_eq!(binary(BinaryOp::Sub, large, single(16_777_216.0)), Some(single(0.0)));
        assert_eq!(cast(single(16_777_217.0), DType::I32), Literal::Int(16_777_216, DType::I32));
        assert_eq!(cast(single(0.1), DType::F64).as_f64(), f64::from(0.1f32));
        assert_eq!(cast(Literal::float(0.1, DType::F64), DType::F32), single(f64::from(0.1f32)));
        assert_eq!(unary(UnaryOp::Exp, single(100.0)).unwrap().as_f64(), f64::INFINITY);
        // Doubles stay as they are.
        let double = |value| Literal::float(value, DType::F64);
        assert_eq!(binary(BinaryOp::Add, double(0.1), double(0.2)), Some(double(0.1 + 0.2)));
        assert!(!compare_literals(CompareOp::Eq, double(0.1 + 0.2), double(0.3)));
    }

    /// Half precision computes in single precision and is itself where it is compared.
    #[test]
    fn half_precision_computes_in_single() {
        let half = |value| Literal::float(value, DType::F16);
        assert_eq!(binary(BinaryOp::Mul, half(1e6), half(1e-6)).unwrap().as_f64(), f64::from(1e6f32 * 1e-6f32));
        assert!(compare_literals(CompareOp::Eq, half(0.1), half(half::f16::from_f32(0.1).to_f64())));
    }

    #[test]
    fn integers_are_exact() {
        let wide = |value| Literal::Int(value, DType::I64);
        assert!(compare_literals(CompareOp::Lt, wide(i64::MAX - 1), wide(i64::MAX)));
        assert!(compare_literals(CompareOp::Ne, wide((1 << 53) + 1), wide(1 << 53)));
        // 2^60 + 2^36 + 1 is above the middle between two neighbours, its nearest `f64` in the middle.
        let value = (1i64 << 60) + (1 << 36) + 1;
        assert_eq!(cast(wide(value), DType::F32).as_f64(), f64::from(value as f32));
    }
}
