//! What a call must give to a function that the user has declared: one check and one wording for calls in models, in
//! index-form kernels and in kernels in SIMT form.

use crate::ast::Helper;
use crate::diag::Diag;
use crate::messages as m;
use crate::parse::name as name_of;
use netcl_kernels::dtype::DType;
use proc_macro2::{Ident, Span};
use std::fmt::Display;
use syn::Expr;
use syn::spanned::Spanned;

/// A declared function, at a call of it.
pub(crate) struct Callee<'a> {
    diag: &'a Diag,
    pub(crate) name: String,
    span: Span,
}

impl<'a> Callee<'a> {
    pub(crate) fn new(diag: &'a Diag, name: &Ident, span: Span) -> Self {
        Callee { diag, name: name_of(name), span }
    }

    /// Rule: a call has as many arguments as the declaration. Wrong: `gelu(x, y)`.
    ///
    /// `parameters` are those of the declaration, as they are written.
    pub(crate) fn takes(&self, parameters: &[String], given: usize) -> bool {
        let declared = parameters.len();
        if declared != given {
            let plural = if declared == 1 { "" } else { "s" };
            let example = match parameters {
                [] => "none".to_string(),
                all => format!("as many as its declaration has: `{}`", all.join(", ")),
            };
            self.diag.report(self.span, &m::CALL_ARGUMENTS, &[&self.name, &declared, &plural, &given, &example]);
        }
        declared == given
    }

    /// Rule: an argument is what its parameter is declared as.
    /// `instead` is what to write.
    pub(crate) fn mismatch(
        &self,
        (parameter, place): (&Ident, Span),
        expected: &dyn Display,
        found: &dyn Display,
        instead: &dyn Display,
    ) {
        self.diag.report(place, &m::CALL_ARGUMENT_SHAPE, &[&self.name, expected, parameter, found, instead]);
    }

    /// The arguments of a function of scalars, under the names of its parameters. `scalar` makes a value one of a type,
    /// or says which type it has; it gives `None` where that is not known, and has then said why. `None` too where
    /// something is wrong, which is reported.
    pub(crate) fn bind<'p, V, S>(
        &self,
        helper: &Helper,
        given: Vec<V>,
        passed: impl IntoIterator<Item = &'p Expr>,
        mut scalar: impl FnMut(V, DType) -> Option<Result<S, String>>,
    ) -> Option<Vec<(String, S)>> {
        let parameters: Vec<String> = helper.args.iter().map(|(name, dtype)| format!("{name}: {dtype}")).collect();
        if !self.takes(&parameters, given.len()) {
            return None;
        }
        let pairs = helper.args.iter().zip(given).zip(passed);
        pairs
            .map(|(((parameter, dtype), value), passed)| match scalar(value, *dtype)? {
                Ok(value) => Some((name_of(parameter), value)),
                Err(found) => {
                    let instead = converted(passed, &found, *dtype);
                    let place = (parameter, passed.span());
                    self.mismatch(place, &format!("`{dtype}`"), &format!("`{found}`"), &instead);
                    None
                }
            })
            .collect()
    }
}

/// What to write for a value of another type than that of its parameter.
fn converted(passed: &Expr, found: &str, wanted: DType) -> String {
    let bare = matches!(
        passed,
        Expr::Path(_) | Expr::Lit(_) | Expr::Index(_) | Expr::Call(_) | Expr::MethodCall(_) | Expr::Paren(_)
    );
    let text = crate::parse::index::text_of(passed);
    let value = if bare { text } else { format!("({text})") };
    let number = |one: &str, zero: &str| format!("choose with `if`: write `if {value} {{ {one} }} else {{ {zero} }}`");
    match (found, wanted) {
        ("bool", DType::F32) => number("1.0", "0.0"),
        ("bool", _) => number("1", "0"),
        (_, DType::Bool) => {
            format!("compare it with something: write `{value} != {}`", if found.contains('f') { "0.0" } else { "0" })
        }
        _ => format!("convert it: write `{value} as {wanted}`"),
    }
}
