//! Literals: the type that a suffix gives them, and what that type holds. One rule and one wording for bodies of every kind.

use crate::ast::Constant;
use crate::constants::Constants;
use crate::diag::Diag;
use crate::messages as m;
use crate::parse::{self, constant, text};
use crate::words;
use netcl_kernels::dtype::{DType, Literal};
use proc_macro2::Span;
use std::cell::RefCell;
use syn::spanned::Spanned;
use syn::{Expr, Lit, UnOp};

/// The value of a literal, and the type that its suffix names. `negative`: there is a minus before it.
///
/// `None` where it is no number, or none that its own type holds; that is reported.
pub(crate) fn value(diag: &Diag, lit: &Lit, negative: bool) -> Option<(Constant, Option<DType>)> {
    let span = lit.span();
    let Some(value) = constant::literal(lit) else {
        match lit {
            Lit::Str(given) => diag.report(span, &m::TEXT, &[&text(lit), &instead_of_text(&given.value())]),
            _ => diag.report(span, &m::NOT_A_NUMBER, &[&text(lit)]),
        }
        return None;
    };
    let suffix = suffix(lit);
    let ty = DType::from_name(suffix);
    if ty.is_none() && !matches!(suffix, "" | "usize") {
        diag.report(span, &m::UNKNOWN_DTYPE, &[&suffix, &crate::parse::types::near_type(suffix)]);
        return None;
    }
    let fits = match (value, ty) {
        (Constant::Integer(value), Some(dtype)) => {
            let value = if negative { value.checked_neg() } else { Some(value) };
            value.is_some_and(|value| dtype.holds(value))
        }
        (Constant::Float(number), Some(dtype)) => dtype.reaches(number.value),
        _ => true,
    };
    if fits {
        return Some((value, ty));
    }
    if let Some(dtype) = ty {
        too_large(diag, &number(value, negative), dtype, span);
    }
    None
}

/// What to write for a text.
fn instead_of_text(given: &str) -> String {
    match given {
        "mean" | "sum" | "none" => "leave it out: a loss is the mean of all elements".to_string(),
        name if DType::from_name(name).is_some() => format!("an element type is a name: write `{name}`"),
        _ => "axes are numbers counted from 0, or from -1 backwards: `x.softmax(1)`; element types are names: `x.cast(f16)`; what chooses is a `bool`, a `usize` or an enum"
            .to_string(),
    }
}

/// What to do where types meet that do not convert.
pub(crate) const ONE_TYPE: &str =
    "convert one of them with `as`, a tensor with `.cast(..)`; a number without a suffix is of the other's type";

/// The same of a whole number that stands beside floats.
pub(crate) fn as_float(literal: Literal, other: DType) -> Option<String> {
    let Literal::Int(value, _) = literal else { return None };
    other.is_float().then(|| format!("write `{value}.0`, which is a float"))
}

/// What stands behind the digits of a number: `f32` in `1.5f32`.
fn suffix(lit: &Lit) -> &str {
    match lit {
        Lit::Int(int) => int.suffix(),
        Lit::Float(float) => float.suffix(),
        _ => "",
    }
}

/// The type that the expression has as a whole number with a suffix: `2u32`, `-(1i32)`.
pub(crate) fn whole_type(expr: &Expr) -> Option<DType> {
    match expr {
        Expr::Paren(inner) => whole_type(&inner.expr),
        Expr::Group(inner) => whole_type(&inner.expr),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => whole_type(&unary.expr),
        Expr::Lit(lit) => DType::from_name(suffix(&lit.lit)).filter(|dtype| dtype.is_integer()),
        _ => None,
    }
}

/// What to write for `expr as bool`.
pub(crate) fn compared_with_zero(expr: &Expr, is_float: bool) -> String {
    let number = parse::index::text_of(parse::unparenthesized(expr));
    format!("{number} != {}", if is_float { "0.0" } else { "0" })
}

/// Whether the type has not the number that is computed of `operand` as `written`, which is reported; `None` is beyond 64 bits.
pub(crate) fn overflows(diag: &Diag, value: Option<i64>, dtype: DType, (operand, written): (&Expr, &Expr)) -> bool {
    if value.is_some_and(|value| dtype.holds(value)) {
        return false;
    }
    let [own, whole] = [operand, written].map(parse::index::text_of);
    if value.is_none() {
        diag.report(written.span(), &m::TOO_LARGE, &[&whole]);
        return true;
    }
    let converted = whole.replacen(&own, &format!("({own} as i64)"), 1);
    diag.report(written.span(), &m::OVERFLOWS, &[&whole, &dtype, &converted]);
    true
}

fn number(value: Constant, negative: bool) -> String {
    let sign = if negative { "-" } else { "" };
    match value {
        Constant::Integer(value) => format!("{sign}{value}"),
        Constant::Float(number) => format!("{sign}{:?}", number.value),
        Constant::Bool(value) => value.to_string(),
    }
}

/// Which is the last element of so many, as a hint says it.
pub(crate) fn last_of(count: usize) -> String {
    match count.checked_sub(1) {
        Some(last) => format!("the last one is {last}"),
        None => "an empty list has none".to_string(),
    }
}

/// The numbers of a type, as a hint says them.
pub(crate) fn one_of(dtype: DType) -> String {
    match dtype.whole_range() {
        Some((least, greatest)) => format!("a number from {least} to {greatest}"),
        None => format!("a number that {dtype} holds"),
    }
}

/// The smallest type of whole numbers that has the number, for a hint beside one that has not.
pub(crate) fn wider(value: i64) -> DType {
    [DType::I32, DType::U32, DType::I64].into_iter().find(|dtype| dtype.holds(value)).unwrap_or(DType::I64)
}

fn too_large(diag: &Diag, number: &dyn std::fmt::Display, dtype: DType, span: Span) {
    let computed = dtype.compute();
    let (range, instead) = match computed.whole_range() {
        Some((least, greatest)) => (format!("from {least} to {greatest}"), "another suffix, or none"),
        None => (format!("up to {:?}", f32::MAX), "`f32::INFINITY` if infinity is meant, or a number that fits"),
    };
    diag.report(span, &m::NUMBER_RANGE, &[number, &computed, &range, &instead]);
}

/// Rule: all elements of a list, those of lists in it counted, can be written down. Wrong: `[[[x; 64]; 64]; 64]`.
pub(crate) fn list_fits(diag: &Diag, elements: usize, span: Span) -> bool {
    let fits = elements <= words::MAX_ALL_ROUNDS;
    if !fits {
        diag.report(span, &m::LIST_TOO_LARGE, &[&elements, &words::MAX_ALL_ROUNDS]);
    }
    fits
}

/// The length in `[x; length]`, if it is one of a list.
pub(crate) fn list_length(diag: &Diag, length: &Expr, constants: &Constants) -> Option<usize> {
    if let Some(Constant::Integer(length @ 0..=words::MAX_ROUNDS)) = constant::evaluate(length, constants) {
        return Some(length as usize);
    }
    diag.report(length.span(), &m::LIST_LENGTH, &[&words::MAX_ROUNDS, &text(length)]);
    None
}

/// The literals of a body that are beyond `f32`, with their places: whether they fit is known where they meet a type.
#[derive(Clone, Default)]
pub(crate) struct Large(RefCell<Vec<(f64, Span)>>);

impl Large {
    pub(crate) fn note(&self, value: f64, span: Span) {
        if !DType::F32.reaches(value) {
            self.0.borrow_mut().push((value, span));
        }
    }

    /// Rule: a literal is no infinity. Wrong: `x[n] * 1e50`, where `x` is of `f32`.
    ///
    /// Reports it at the literal. What is computed from literals may overflow, as in Rust.
    pub(crate) fn fits(&self, diag: &Diag, value: f64, dtype: DType) -> bool {
        if dtype.reaches(value) {
            return true;
        }
        let noted = self.0.borrow();
        let place = noted.iter().rev().find(|(known, _)| *known == value.abs());
        if let Some((_, span)) = place {
            too_large(diag, &format!("{value:?}"), dtype, *span);
        }
        place.is_none()
    }
}
