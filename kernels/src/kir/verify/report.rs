//! The errors of a kernel, and where the verifier is.

use crate::kir::Kernel;
use crate::span::{Diagnostic, Span};

/// Collects errors; knows where the checker is.
pub(super) struct DiagnosticSink {
    pub(super) errors: Vec<Diagnostic>,
    pub(super) spans: Vec<Span>,
    pub(super) at: Span,
    pub(super) inside: Option<String>,
    names: Vec<String>,
    fp64_reported: bool,
}

impl DiagnosticSink {
    pub(super) fn new(kernel: &Kernel) -> Self {
        DiagnosticSink {
            errors: Vec::new(),
            spans: kernel.spans.clone(),
            at: Span::NONE,
            inside: None,
            names: kernel.functions.iter().map(|function| function.name.clone()).collect(),
            fp64_reported: false,
        }
    }

    /// What follows concerns that expression of the kernel or of one of its functions.
    pub(super) fn locate(&mut self, function: Option<usize>, expr: usize) {
        self.at = match function {
            None => self.spans.get(expr).copied().unwrap_or_default(),
            Some(_) => Span::NONE,
        };
        self.inside = function.and_then(|function| self.names.get(function).cloned());
    }

    /// What follows concerns no expression.
    pub(super) fn nowhere(&mut self) {
        self.at = Span::NONE;
        self.inside = None;
    }

    pub(super) fn error(&mut self, rule: &str, message: impl std::fmt::Display) {
        let inside = self.inside.as_ref().map(|name| format!("in `{name}`: ")).unwrap_or_default();
        self.errors.push(Diagnostic::new(format!("{inside}{message} [{rule}]")).at(self.at));
    }

    pub(super) fn fail<T>(&mut self, rule: &str, message: String) -> Option<T> {
        self.error(rule, message);
        None
    }

    pub(super) fn hint(&mut self, hint: &str) {
        if let Some(last) = self.errors.pop() {
            self.errors.push(last.hint(hint));
        }
    }

    /// The device has no `f64`: said once.
    pub(super) fn fp64(&mut self) {
        if !std::mem::replace(&mut self.fp64_reported, true) {
            self.error("K07", "the device has no double precision (f64)");
            self.hint("use f32, or another device");
        }
    }
}
