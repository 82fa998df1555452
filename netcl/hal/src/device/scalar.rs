//! Numbers passed to kernels by value.

use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::fold;

/// A number that changes from call to call: a seed, a learning rate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the variants are the element types")]
pub enum Scalar {
    Bool(bool),
    U8(u8),
    I32(i32),
    U32(u32),
    I64(i64),
    F32(f32),
    F64(f64),
}

impl Scalar {
    /// Its type.
    pub fn dtype(self) -> DType {
        match self {
            Scalar::Bool(_) => DType::Bool,
            Scalar::U8(_) => DType::U8,
            Scalar::I32(_) => DType::I32,
            Scalar::U32(_) => DType::U32,
            Scalar::I64(_) => DType::I64,
            Scalar::F32(_) => DType::F32,
            Scalar::F64(_) => DType::F64,
        }
    }

    /// `value` as a scalar that kernels take for `dtype`; the storage types are passed as `F32`.
    pub fn of(value: f64, dtype: DType) -> Scalar {
        Scalar::from_literal(Literal::of(value, dtype.compute()))
    }

    /// The literal's value, of the type in which kernels compute with it.
    pub fn from_literal(literal: Literal) -> Scalar {
        match fold::cast(literal, literal.dtype().compute()) {
            Literal::Bool(value) => Scalar::Bool(value),
            Literal::Int(value, DType::U8) => Scalar::U8(value as u8),
            Literal::Int(value, DType::I32) => Scalar::I32(value as i32),
            Literal::Int(value, DType::U32) => Scalar::U32(value as u32),
            Literal::Int(value, _) => Scalar::I64(value),
            Literal::Float(bits, DType::F64) => Scalar::F64(f64::from_bits(bits)),
            Literal::Float(bits, _) => Scalar::F32(f64::from_bits(bits) as f32),
        }
    }

    /// The value as the interpreter takes it.
    pub fn literal(self) -> Literal {
        match self {
            Scalar::Bool(value) => Literal::Bool(value),
            Scalar::U8(value) => Literal::Int(i64::from(value), DType::U8),
            Scalar::I32(value) => Literal::Int(i64::from(value), DType::I32),
            Scalar::U32(value) => Literal::Int(i64::from(value), DType::U32),
            Scalar::I64(value) => Literal::Int(value, DType::I64),
            Scalar::F32(value) => Literal::float(f64::from(value), DType::F32),
            Scalar::F64(value) => Literal::float(value, DType::F64),
        }
    }

    /// The bytes as a kernel parameter takes them (a truth value as one byte), and how many there are.
    pub fn bytes(self) -> ([u8; 8], usize) {
        let mut bytes = [0; 8];
        let mut put = |own: &[u8]| {
            bytes[..own.len()].copy_from_slice(own);
            own.len()
        };
        let size = match self {
            Scalar::Bool(value) => put(&[u8::from(value)]),
            Scalar::U8(value) => put(&[value]),
            Scalar::I32(value) => put(&value.to_ne_bytes()),
            Scalar::U32(value) => put(&value.to_ne_bytes()),
            Scalar::I64(value) => put(&value.to_ne_bytes()),
            Scalar::F32(value) => put(&value.to_ne_bytes()),
            Scalar::F64(value) => put(&value.to_ne_bytes()),
        };
        (bytes, size)
    }

    /// Whether both are the same bits of one type (a NaN equals itself here).
    pub fn same(self, other: Scalar) -> bool {
        self.dtype() == other.dtype() && self.bytes() == other.bytes()
    }
}
