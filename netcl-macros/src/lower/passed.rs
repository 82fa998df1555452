//! What a function is given for its plain arguments that is no plain argument where it is called: a size, a variant that is written. Where
//! the body can do nothing with it, the mistake is where it is passed.

use super::{Lowering, Val};
use crate::ast::{ArgDecl, ArgType, PlainType};
use crate::callee::Callee;
use crate::messages as m;
use crate::parse;
use netcl_kernels::dim::Dim;
use proc_macro2::Span;

/// A value that is passed, with the name of its parameter and the place where it is passed.
#[derive(Clone)]
pub(super) struct Passed {
    parameter: String,
    value: PassedValue,
    place: Span,
}

/// What is passed.
#[derive(Clone)]
enum PassedValue {
    Size(Dim),
    Variant(String, String),
}

impl Passed {
    /// What is remembered of the value; `None` of what says itself where it is wrong.
    pub(super) fn of(arg: &ArgDecl, value: &Val<'_>, place: Span) -> Option<Passed> {
        let value = match (&arg.ty, value) {
            (ArgType::Plain(PlainType::Usize), Val::Dim(size)) if size.as_constant().is_none() => {
                PassedValue::Size(size.clone())
            }
            (ArgType::Enum(_), Val::Variant(ty, name)) => PassedValue::Variant(ty.clone(), name.clone()),
            _ => return None,
        };
        Some(Passed { parameter: parse::name(&arg.name), value, place })
    }
}

impl<'a> Lowering<'a> {
    /// Rule: what a body decides is known while compiling. Wrong: `if N > 2 { .. }`, and `pick(x, N)` of a function with `if k > 2 { .. }`:
    /// where one of the sizes is passed, the mistake is there.
    pub(super) fn known_later(&self, condition: &str, [a, b]: [&Dim; 2], span: Span) -> Val<'a> {
        let is_it = |passed: &&Passed| matches!(&passed.value, PassedValue::Size(size) if size == a || size == b);
        let found = self.frames.iter().rev().find_map(|frame| Some((frame, frame.passed.iter().find(is_it)?)));
        let Some((frame, Passed { parameter, value: PassedValue::Size(size), place })) = found else {
            return self.report(span, &m::CONDITION_SYMBOL, &[&condition]);
        };
        let (own, expected, found) = (own(&frame.function), "a plain `usize`", format!("the size `{size}`"));
        let instead = format!(
            "`{own}` is compiled for whether `{condition}` holds, which only a call knows: pass a number, or an argument \
             `{parameter}: usize` of the function that calls it"
        );
        self.report(*place, &m::CALL_ARGUMENT_SHAPE, &[&own, &expected, parameter, &found, &instead])
    }

    /// Rule: a plain `usize` is a number from 0 on. Wrong: `pick(x, -1)`.
    pub(super) fn as_usize(callee: &Callee<'_>, arg: &ArgDecl, size: Dim, span: Span) -> Option<Val<'a>> {
        if let Some(number) = size.as_constant().filter(|number| *number < 0) {
            let (expected, instead) = ("a plain `usize`", "a `usize` is a whole number from 0 on");
            callee.mismatch((&arg.name, span), &expected, &format!("`{number}`"), &instead);
            return None;
        }
        Some(Val::Dim(size))
    }

    /// Rule: what is passed is a variant that the body knows. Wrong: `self.g(x, Way::Upp)`.
    ///
    /// Reports the value of a `match` without an arm for it, where that is passed.
    pub(super) fn without_arm(&self, matched: &syn::Expr, value: &Val<'a>) -> bool {
        let (Val::Variant(ty, name), Some(frame)) = (value, self.frames.last()) else { return false };
        let parameter = parse::text(parse::unparenthesized(matched));
        let is_it = |passed: &&Passed| {
            passed.parameter == parameter
                && matches!(&passed.value, PassedValue::Variant(of, own) if of == ty && own == name)
        };
        let Some(passed) = frame.passed.iter().find(is_it) else { return false };
        let (own, expected, found) = (own(&frame.function), format!("a `{ty}`"), format!("`{ty}::{name}`"));
        let instead = format!(
            "its `match` has no arm for that: write a variant that `{ty}` has, or end the `match` with `_ => ..`"
        );
        self.report(passed.place, &m::CALL_ARGUMENT_SHAPE, &[&own, &expected, &passed.parameter, &found, &instead]);
        true
    }
}

/// The name of a function without that of its model.
fn own(function: &str) -> String {
    function.rsplit("::").next().unwrap_or_default().to_string()
}
