//! Calls, and arguments, as they are written.

use crate::ast::FunctionItem;
use crate::parse::text;
use crate::parts::Param;
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

    /// What is called: `self.loss`; a function that nobody wrote the call of by its name.
    pub(super) fn called(&self, name: &proc_macro2::Ident) -> String {
        if self.called.is_empty() { name.to_string() } else { self.called.clone() }
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

/// How each argument of a function is written in Rust: `batch.x` of a struct.
pub(super) fn arguments(function: &FunctionItem) -> Vec<String> {
    let reads = function.params.iter().flat_map(Param::reads);
    let written: Vec<String> = reads.map(|read| text(&read).replace("r#", "")).collect();
    match written.len() == function.args.len() {
        true => written,
        // Of a pattern that is wrong it has been said.
        false => function.args.iter().map(|arg| crate::parse::name(&arg.name)).collect(),
    }
}
