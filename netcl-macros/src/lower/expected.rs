//! The types that numbers without a type of their own take from what is declared where they stand: a `let`, or results.

use crate::ast::TensorType;
use crate::parse::text;
use netcl_kernels::dtype::DType;
use syn::{Pat, Type};

/// What the expression that is evaluated next is declared to be.
#[derive(Clone, Copy)]
pub(super) enum Expected<'a> {
    One(DType),
    /// A value for each result.
    Each(&'a [TensorType]),
    /// What a `let` says.
    Written(&'a Type),
}

impl<'a> Expected<'a> {
    /// What a function that gives these results gives. That no number is a truth is said of the whole body.
    pub(super) fn results(results: &'a [TensorType]) -> Option<Self> {
        match results {
            [one] => Expected::result(one.dtype),
            many => Some(Expected::Each(many)),
        }
    }

    /// What a function with a result of that type gives.
    pub(super) fn result(dtype: DType) -> Option<Self> {
        (dtype != DType::Bool).then_some(Expected::One(dtype))
    }

    /// What a pattern declares.
    pub(super) fn declared(pattern: &'a Pat) -> Option<Self> {
        match pattern {
            Pat::Type(typed) => Some(Expected::Written(&typed.ty)),
            Pat::Paren(inner) => Expected::declared(&inner.pat),
            _ => None,
        }
    }

    /// The same where whole numbers are of types of their own; floats are what they are without it.
    pub(super) fn whole(self) -> Option<Self> {
        match self {
            Expected::One(dtype) => dtype.is_integer().then_some(self),
            Expected::Each(_) => Some(self),
            Expected::Written(_) => self.number().is_none_or(DType::is_integer).then_some(self),
        }
    }

    /// The same of what stands behind a minus, which no unsigned number has.
    pub(super) fn negated(self) -> Option<Self> {
        (!matches!(self.number(), Some(DType::U8 | DType::U32))).then_some(self)
    }

    /// The type of a number.
    pub(super) fn number(self) -> Option<DType> {
        match self {
            Expected::One(dtype) => Some(dtype),
            Expected::Each(_) => None,
            Expected::Written(ty) => DType::from_name(&text(ty)),
        }
    }

    /// What the part of a tuple or list at `position` is.
    pub(super) fn part(self, position: usize) -> Option<Self> {
        match self {
            Expected::One(_) => None,
            Expected::Each(results) => Expected::result(results.get(position)?.dtype),
            Expected::Written(Type::Tuple(tuple)) => tuple.elems.get(position).map(Expected::Written),
            Expected::Written(Type::Array(array)) => Some(Expected::Written(&array.elem)),
            Expected::Written(Type::Paren(inner)) => Expected::Written(&inner.elem).part(position),
            Expected::Written(_) => None,
        }
    }
}
