//! Calls as they are written.

use crate::parse::text;
use proc_macro2::Span;
use syn::Expr;
use syn::spanned::Spanned;

/// A call of a function that the user has declared, as it is written.
#[derive(Clone, Default)]
pub(super) struct Written {
    /// What stands before the parentheses: `self.loss`.
    called: String,
    /// Where the arguments are, and their texts.
    args: Vec<(Span, String)>,
}

impl Written {
    pub(super) fn new<'e>(called: String, args: impl Iterator<Item = &'e Expr>) -> Self {
        Written { called, args: args.map(|arg| (arg.span(), text(arg))).collect() }
    }

    /// The same without its first argument, a method's `self`.
    pub(super) fn without_first(mut self) -> Self {
        self.args.drain(..1.min(self.args.len()));
        self
    }

    /// Where an argument is; `otherwise` where nobody wrote it.
    pub(super) fn place(&self, position: usize, otherwise: Span) -> Span {
        self.args.get(position).map_or(otherwise, |(span, _)| *span)
    }

    pub(super) fn text(&self, position: usize) -> Option<&str> {
        self.args.get(position).map(|(_, text)| text.as_str())
    }

    /// The call with two arguments in each other's place.
    pub(super) fn swapped(&self, one: usize, other: usize) -> Option<String> {
        let mut args: Vec<&str> = self.args.iter().map(|(_, text)| text.as_str()).collect();
        (one.max(other) < args.len()).then(|| args.swap(one, other))?;
        Some(format!("{}({})", self.called, args.join(", ")))
    }
}
