//! Plain arguments by which a body decides what it computes: where what is passed is none, the mistake is where it is passed.

use super::passed::{PassedValue, PlainPassed};
use super::{Lowering, Val};
use crate::ast::ArgDecl;
use crate::callee::Callee;
use crate::messages as m;
use crate::parse;
use netcl_kernels::dim::Dim;
use proc_macro2::Span;

impl<'a> Lowering<'a> {
    /// Rule: what a body decides is known while compiling. Wrong: `if N > 2 { .. }`, and `pick(x, N)` of a function with `if k > 2 { .. }`:
    /// where one of the sizes is passed, the mistake is there.
    pub(super) fn known_later(&self, condition: &str, [a, b]: [&Dim; 2], span: Span) -> Val<'a> {
        let is_it = |passed: &&PlainPassed| matches!(&passed.value, PassedValue::Size(size) if size == a || size == b);
        // Of the function that has the condition: what others were passed it does not speak of.
        let found = self.frames.last().and_then(|frame| Some((frame, frame.passed.iter().find(is_it)?)));
        let Some((frame, PlainPassed { parameter, value: PassedValue::Size(size), place })) = found else {
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
        Some(size.into())
    }

    /// Rule: what is passed is a variant that the body knows. Wrong: `self.g(x, Way::Upp)`.
    ///
    /// Reports the value of a `match` without an arm for it, where that is passed.
    pub(super) fn without_arm(&self, matched: &syn::Expr, value: &Val<'a>) -> bool {
        let (Val::Variant(ty, name), Some(frame)) = (value, self.frames.last()) else { return false };
        let parameter = parse::text(parse::unparenthesized(matched));
        let is_it = |passed: &&PlainPassed| {
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
