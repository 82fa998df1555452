//! Conversions by `as`.

use super::value::{ChosenWhole, Integer, WholeNumber};
use super::{Lowering, Val};
use crate::literal;
use crate::messages as m;
use crate::number::ConstFloat;
use crate::parse::{self, text};
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::DType;
use proc_macro2::Span;
use syn::spanned::Spanned;

impl<'a> Lowering<'a> {
    /// `x as f32`.
    pub(super) fn cast(&mut self, cast: &'a syn::ExprCast) -> Val<'a> {
        // Numbers without a type are of the one that they are converted to.
        self.read_as = match parse::unparenthesized(&cast.expr) {
            syn::Expr::Index(_) => DType::from_name(&text(&cast.ty)).filter(|dtype| *dtype != DType::Bool),
            _ => None,
        };
        let value = self.expr(&cast.expr);
        self.read_as = None;
        let span = cast.span();
        if value.is_unknown() {
            return Val::Unknown;
        }
        let to = text(&cast.ty);
        if to == "bool" && self.is_number(&value) {
            let instead = literal::compared_with_zero(&cast.expr, self.is_float(&value));
            return self.report(span, &m::CAST_TRUTH, &[&text(&cast.expr), &instead]);
        }
        if let (Val::Tensor(id), Some(ChosenWhole::Wrapped)) = (&value, self.chosen_whole(&value)) {
            let own = self.builder.dtype(*id);
            if own.is_integer() && DType::from_name(&to) != Some(own) {
                return self.report(span, &m::WHOLE_WRAPPED, &[&"as", &own]);
            }
        }
        let value = self.whole_of_float(value, DType::from_name(&to));
        let value = self.wrapped_size(value, DType::from_name(&to), span);
        let whole = |size: Dim| Val::Dim(WholeNumber { size, ty: Integer::named(&to) });
        match (DType::from_name(&to), value) {
            (Some(dtype), Val::Number(number)) if dtype.is_float() => Val::Number(number.converted(dtype)),
            (Some(dtype), Val::Number(number)) if dtype.is_integer() => {
                let result = self.builder.integer(number.whole(dtype), dtype);
                self.check(result, span)
            }
            (Some(dtype), Val::Dim(dim)) if !dtype.is_float() => match (dim.as_constant(), dtype) {
                (Some(value), _) if dtype.is_integer() => whole(Dim::constant(dtype.wrap(value))),
                // A size that may be no byte: what wraps is no size.
                (None, DType::U8) => self.tensor(Val::Dim(dim), Some(dtype), span).map_or(Val::Unknown, Val::Tensor),
                // Nor one below zero.
                (None, DType::U32) if !self.never_negative(&dim) && !self.is_open(&dim) => {
                    let Some(exact) = self.tensor(Val::Dim(dim), Some(DType::I64), span) else { return Val::Unknown };
                    self.at(span);
                    let result = self.builder.cast(exact, dtype);
                    self.check(result, span)
                }
                _ => whole(dim.size),
            },
            (Some(dtype), Val::Bool(value)) if dtype.is_integer() => whole(Dim::constant(i64::from(value))),
            (None, Val::Dim(dim)) if to == "usize" && dim.as_constant().is_some_and(|number| number < 0) => {
                self.report(span, &m::NUMBER_RANGE, &[&dim, &to, &"from 0 on", &"one that is not negative"])
            }
            (None, Val::Dim(dim)) if to == "usize" => whole(dim.size),
            // As Rust's lists want it; indices here are whole numbers of any type.
            (None, index @ Val::Index(_)) if to == "usize" => index,
            (None, Val::Tensor(id)) if to == "usize" && self.marks.exact.contains_key(&id) => Val::Tensor(id),
            (None, Val::Tensor(id)) if to == "usize" && self.builder.dtype(id) == DType::U32 => Val::Tensor(id),
            // What is computed with a byte is none. What is negative is beyond every size, as in Rust: -1 reads zero, and is no index
            // that another is compared with.
            (None, Val::Tensor(id)) if to == "usize" && matches!(self.builder.dtype(id), DType::I32 | DType::U8) => {
                self.at(span);
                let result = self.builder.cast(id, DType::U32);
                self.check(result, span)
            }
            (Some(dtype), Val::Dim(dim)) if dim.as_constant().is_some() => {
                Val::Number(ConstFloat::of_whole(dim.as_constant().unwrap_or_default(), dtype))
            }
            // From here on it is a float.
            (Some(dtype), Val::Tensor(id)) if dtype.is_float() && self.marks.exact.contains_key(&id) => {
                self.at(span);
                let result = self.builder.cast(self.marks.exact[&id], dtype);
                match self.check(result, span) {
                    Val::Tensor(float) if self.marks.exact.contains_key(&float) => {
                        Val::Tensor(self.builder.distinct(float))
                    }
                    value => value,
                }
            }
            (Some(dtype), value @ (Val::Tensor(_) | Val::Dim(_) | Val::Index(_) | Val::Number(_))) => {
                let from = match &value {
                    Val::Tensor(id) => self.builder.dtype(*id),
                    Val::Number(number) => number.ty.unwrap_or(DType::F32),
                    _ => dtype,
                };
                let typed = self.chosen_whole(&value).is_some() && from == dtype;
                let Some(id) = self.tensor(value, Some(from), span) else { return Val::Unknown };
                self.at(span);
                if typed {
                    return Val::Tensor(self.builder.distinct(id));
                }
                let result = self.builder.cast(id, dtype);
                self.check(result, span)
            }
            (None, _) => self.report(cast.ty.span(), &m::UNKNOWN_DTYPE, &[&to, &crate::parse::types::near_type(&to)]),
            (_, Val::Plain(tokens, ty)) => self.plain_in_tensor(&text(&tokens), ty, span),
            (_, value) => self.report(span, &m::OPERAND, &[&"as", &value.kind()]),
        }
    }

    /// A size as the number that its type has for it, where it may be none of that type or of the one that it becomes: it goes round.
    fn wrapped_size(&mut self, value: Val<'a>, to: Option<DType>, span: Span) -> Val<'a> {
        let Val::Dim(size) = &value else { return value };
        if !is_large(size) || self.is_open(size) {
            return value;
        }
        let own = value.whole_dtype().unwrap_or(DType::I64);
        let narrow = |dtype: DType| matches!(dtype, DType::I32 | DType::U32 | DType::U8);
        if narrow(own) || to.is_some_and(narrow) {
            return self.tensor(value, Some(own), span).map_or(Val::Unknown, Val::Tensor);
        }
        value
    }

    /// A whole number that a float holds, as one of 64 bits where it becomes one of an integer type: casts between these wrap,
    /// and those of floats saturate.
    fn whole_of_float(&mut self, value: Val<'a>, to: Option<DType>) -> Val<'a> {
        match (&value, to) {
            (Val::Tensor(id), Some(to)) if to.is_integer() && self.marks.exact.contains_key(id) => {
                Val::Tensor(self.marks.exact[id])
            }
            (Val::Tensor(id), Some(to))
                if to.is_integer() && self.is_float(&value) && self.chosen_whole(&value).is_some() =>
            {
                self.builder.cast(*id, DType::I64).map_or(value, Val::Tensor)
            }
            _ => value,
        }
    }

    /// Whether it is a number, or elements that are, and no truth.
    fn is_number(&self, value: &Val<'a>) -> bool {
        match value {
            Val::Tensor(id) => self.builder.dtype(*id) != DType::Bool,
            Val::Dim(_) | Val::Index(_) | Val::Number(_) => true,
            _ => false,
        }
    }

    pub(super) fn is_float(&self, value: &Val<'a>) -> bool {
        match value {
            Val::Tensor(id) => self.builder.dtype(*id).is_float(),
            value => matches!(value, Val::Number(_)),
        }
    }
}

/// Whether a size is a multiple of one so large that types of 32 bits may not hold it. Others are taken for what they are.
fn is_large(size: &Dim) -> bool {
    size.as_constant().is_none() && size.terms().any(|(_, times)| times.unsigned_abs() > 1 << 15)
}
