//! Arithmetic on literals: what a kernel would compute, computed while compiling.
//!
//! A literal keeps the digits that were written. Kernels compute with `f32` (for types of half precision too) or `f64`, so
//! that operands and results are rounded to that here as they are there.

use crate::dtype::{DType, Literal};
use crate::graph::{BinaryOp, CompareOp, UnaryOp};
use crate::scalar::{self, Baseline, Convert};

/// `op(a)`, unless it is not exact to do so here.
pub fn unary(op: UnaryOp, a: Literal) -> Option<Literal> {
    match (a, op) {
        (Literal::Bool(value), UnaryOp::Not) => Some(Literal::Bool(!value)),
        (Literal::Int(value, dtype), UnaryOp::Neg) => Some(wrap(scalar::unary_integer(op, value)?, dtype)),
        (Literal::Float(..), _) => Some(computed(Literal::float(unary_f64(op, computed(a).as_f64())?, a.dtype()))),
        _ => None,
    }
}

/// The function on `f64`; `None` for `erf`, which no kernel computes to the same bits, and for those of truth values.
pub fn unary_f64(op: UnaryOp, x: f64) -> Option<f64> {
    if op == UnaryOp::Erf { None } else { scalar::unary_float::<Baseline, f64>(op, x) }
}

/// `op(a, b)`, unless it is not exact to do so here.
pub fn binary(op: BinaryOp, a: Literal, b: Literal) -> Option<Literal> {
    match (a, b) {
        (Literal::Bool(x), Literal::Bool(y)) => Some(Literal::Bool(scalar::binary_bits(op, x, y)?)),
        (Literal::Int(x, dtype), Literal::Int(y, _)) => {
            // A shift's distance is taken modulo the type's width.
            let shifts = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
            let y = if shifts { y & (dtype.size() as i64 * 8 - 1) } else { y };
            Some(wrap(binary_i64(op, x, y)?, dtype))
        }
        (Literal::Float(..), Literal::Float(..)) => {
            let value = binary_f64(op, computed(a).as_f64(), computed(b).as_f64())?;
            Some(computed(Literal::float(value, a.dtype())))
        }
        _ => None,
    }
}

/// The function on `f64`.
pub fn binary_f64(op: BinaryOp, x: f64, y: f64) -> Option<f64> {
    scalar::binary_float::<Baseline, f64>(op, x, y)
}

/// The function on integers, wrapping; division by zero gives zero.
pub fn binary_i64(op: BinaryOp, x: i64, y: i64) -> Option<i64> {
    scalar::binary_integer(op, x, y)
}

/// The comparison of two literals of one type, as elements of that type.
pub fn compare_literals(op: CompareOp, a: Literal, b: Literal) -> bool {
    match (a, b) {
        (Literal::Bool(x), Literal::Bool(y)) => scalar::compare(op, x, y),
        (Literal::Int(x, _), Literal::Int(y, _)) => scalar::compare(op, x, y),
        _ => scalar::compare(op, stored(a).as_f64(), stored(b).as_f64()),
    }
}

/// The literal as another type, as [`crate::scalar`] converts.
pub fn cast(literal: Literal, to: DType) -> Literal {
    match computed(literal) {
        Literal::Bool(value) => convert(value, to),
        Literal::Int(value, _) => convert(value, to),
        literal => convert(literal.as_f64(), to),
    }
}

fn convert<T>(value: T, to: DType) -> Literal
where
    T: Convert<bool> + Convert<u8> + Convert<i32> + Convert<u32> + Convert<i64> + Convert<f32> + Convert<f64>,
{
    match to {
        DType::Bool => Literal::Bool(value.convert()),
        DType::U8 => Literal::Int(Convert::<u8>::convert(value).into(), to),
        DType::I32 => Literal::Int(Convert::<i32>::convert(value).into(), to),
        DType::U32 => Literal::Int(Convert::<u32>::convert(value).into(), to),
        DType::I64 => Literal::Int(value.convert(), to),
        DType::F64 => Literal::float(value.convert(), to),
        DType::F16 | DType::BF16 | DType::F32 => Literal::float(scalar::rounded(value.convert(), to).into(), to),
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
        Literal::Float(_, dtype) if dtype != DType::F64 => {
            Literal::float(scalar::rounded(literal.as_f64() as f32, dtype).into(), dtype)
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
