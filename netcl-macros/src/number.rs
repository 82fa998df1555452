//! Floats that are known while compiling.

use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::fold;

/// A float that is known while compiling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number {
    pub(crate) value: f64,
    /// Its type, where the text says one: `0.5f64`, `2.0 as f32`, `const HALF: f32`. Others are of the type of what they meet.
    pub(crate) ty: Option<DType>,
}

impl Number {
    /// The value as one of that type: `0.1f32` is not the `f64` of these digits.
    pub(crate) fn of(value: f64, ty: Option<DType>) -> Number {
        Number { value: if ty == Some(DType::F32) { f64::from(value as f32) } else { value }, ty }
    }

    /// The whole number as a float of that type, rounded once: by way of `f64` it would be twice.
    pub(crate) fn of_whole(value: i64, dtype: DType) -> Number {
        let value = fold::cast(Literal::Int(value, DType::I64), dtype.compute()).as_f64();
        Number { value, ty: Some(dtype) }
    }

    /// The value with the other sign.
    pub(crate) fn negated(self) -> Number {
        Number { value: -self.value, ..self }
    }

    /// The value converted. A literal without a type is one of the type that it is converted to, if that has it.
    pub(crate) fn converted(self, dtype: DType) -> Number {
        match self.ty {
            None if !dtype.reaches(self.value) => Number { ty: Some(dtype), ..self },
            _ => Number::of(self.value, Some(dtype)),
        }
    }

    /// `as` a type of whole numbers.
    pub(crate) fn whole(self, dtype: DType) -> i64 {
        match self.cast(dtype) {
            Literal::Int(value, _) => value,
            Literal::Bool(_) | Literal::Float(..) => self.value as i64,
        }
    }

    /// `as` any type. Rust takes a literal without a type for an `f64` there.
    pub(crate) fn cast(self, dtype: DType) -> Literal {
        fold::cast(Literal::float(self.value, self.ty.unwrap_or(DType::F64)), dtype)
    }

    /// The type of the value beside values of type `dtype`. Half precision computes in `f32`, and Rust has no literals of
    /// it: a number that is `f32` fits it.
    pub(crate) fn beside(self, dtype: DType) -> DType {
        match self.ty {
            Some(ty) if ty != dtype.compute() => ty,
            _ => dtype,
        }
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Number { value, ty: None }
    }
}
