//! Floats that are known while compiling.

use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::fold;

/// A float that is known while compiling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ConstFloat {
    /// In its type; without one, as `f64` has it.
    pub(crate) value: f64,
    /// Without a type, as `f32` has it: Rust computes `0.1 + 0.2` in the type of what it meets in the end.
    single: f64,
    /// Its type, where the text says one: `0.5f64`, `2.0 as f32`, `const HALF: f32`. Others are of the type of what they meet.
    pub(crate) ty: Option<DType>,
}

impl ConstFloat {
    /// The value as one of that type: `0.1f32` is not the `f64` of these digits.
    pub(crate) fn of(value: f64, ty: Option<DType>) -> ConstFloat {
        let rounded = f64::from(value as f32);
        // A number beyond `f32` is none of it, and no infinity either.
        let single = if DType::F32.reaches(value) { rounded } else { value };
        ConstFloat { value: if ty == Some(DType::F32) { rounded } else { value }, single, ty }
    }

    /// A whole number where a float is computed with.
    pub(crate) fn whole_literal(value: i64) -> ConstFloat {
        ConstFloat { value: value as f64, single: f64::from(value as f32), ty: None }
    }

    /// What `function` gives for numbers of type `ty`; if they have none, in each that they may be of.
    pub(crate) fn computed(
        numbers: &[ConstFloat],
        ty: Option<DType>,
        function: impl Fn(&[f64]) -> Option<f64>,
    ) -> Option<ConstFloat> {
        let of = |dtype: DType| function(&numbers.iter().map(|number| number.meeting(dtype)).collect::<Vec<_>>());
        Some(match ty {
            Some(dtype) => ConstFloat::of(of(dtype)?, ty),
            None => ConstFloat { value: of(DType::F64)?, single: f64::from(of(DType::F32)? as f32), ty },
        })
    }

    /// The value beside one of type `dtype`, which is its own if it has none.
    pub(crate) fn meeting(self, dtype: DType) -> f64 {
        match (self.ty, dtype.compute()) {
            (None, DType::F32) => self.single,
            _ => self.value,
        }
    }

    /// The whole number as a float of that type, rounded once: by way of `f64` it would be twice.
    pub(crate) fn of_whole(value: i64, dtype: DType) -> ConstFloat {
        let value = fold::cast(Literal::Int(value, DType::I64), dtype.compute()).as_f64();
        ConstFloat { value, single: value, ty: Some(dtype) }
    }

    /// Whether it is the same, to the bit.
    pub(crate) fn is(self, other: ConstFloat) -> bool {
        let bits = |number: ConstFloat| [number.value, number.single].map(f64::to_bits);
        bits(self) == bits(other) && self.ty == other.ty
    }

    /// The value with the other sign.
    pub(crate) fn negated(self) -> ConstFloat {
        ConstFloat { value: -self.value, single: -self.single, ..self }
    }

    /// `as` a type of floats. A literal is of the type that it is converted to, if that has it.
    pub(crate) fn converted(self, dtype: DType) -> ConstFloat {
        self.with(self.value, dtype)
    }

    /// The value of `let x: dtype = ..` and of a function whose result is of that type.
    pub(crate) fn declared(self, dtype: DType) -> ConstFloat {
        self.with(self.meeting(dtype), dtype)
    }

    fn with(self, value: f64, dtype: DType) -> ConstFloat {
        match self.ty {
            // An error where it is used.
            None if !dtype.reaches(self.value) => ConstFloat { ty: Some(dtype), ..self },
            _ => ConstFloat::of(value, Some(dtype)),
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

impl From<f64> for ConstFloat {
    fn from(value: f64) -> Self {
        ConstFloat::of(value, None)
    }
}
