//! Names that a pattern binds, each once, as in Rust: what is compiled in place rustc never sees.

use crate::diag::Diag;
use crate::messages as m;
use proc_macro2::Ident;
use std::collections::BTreeMap;
use syn::visit::{self, Visit};
use syn::{Block, Pat, PatIdent, PatOr};

/// Rule: a name stands once in a pattern, and once between the `|` of a closure. Wrong: `let (h, h) = pair;`, `|a, a| a`.
pub(crate) fn once(diag: &Diag, body: &Block) {
    Patterns(diag).visit_block(body);
}

/// The patterns of a body. Items in it are no part of it.
struct Patterns<'d>(&'d Diag);

impl Patterns<'_> {
    fn judge<'p>(&self, patterns: impl IntoIterator<Item = &'p Pat>, whole: &str) {
        let mut known: BTreeMap<String, Ident> = BTreeMap::new();
        for pattern in patterns {
            let mut names = BoundNames::default();
            names.visit_pat(pattern);
            names.twice.iter().for_each(|name| self.report(name, "pattern"));
            if let Some((_, name)) = names.seen.iter().find(|(name, _)| known.contains_key(*name)) {
                self.report(name, whole);
            }
            known.append(&mut names.seen);
        }
    }

    fn report(&self, name: &Ident, whole: &str) {
        self.0.report(name.span(), &m::BOUND_TWICE, &[name, &whole]);
    }
}

impl<'a> Visit<'a> for Patterns<'_> {
    fn visit_item(&mut self, _: &'a syn::Item) {}

    fn visit_local(&mut self, local: &'a syn::Local) {
        self.judge([&local.pat], "pattern");
        visit::visit_local(self, local);
    }

    fn visit_expr_let(&mut self, chosen: &'a syn::ExprLet) {
        self.judge([&*chosen.pat], "pattern");
        visit::visit_expr_let(self, chosen);
    }

    fn visit_arm(&mut self, arm: &'a syn::Arm) {
        self.judge([&arm.pat], "pattern");
        visit::visit_arm(self, arm);
    }

    fn visit_expr_for_loop(&mut self, each: &'a syn::ExprForLoop) {
        self.judge([&*each.pat], "pattern");
        visit::visit_expr_for_loop(self, each);
    }

    fn visit_expr_closure(&mut self, closure: &'a syn::ExprClosure) {
        self.judge(&closure.inputs, "parameter list");
        visit::visit_expr_closure(self, closure);
    }
}

/// The names of a pattern, and those that stand in it again.
#[derive(Default)]
struct BoundNames {
    seen: BTreeMap<String, Ident>,
    twice: Vec<Ident>,
}

impl<'a> Visit<'a> for BoundNames {
    fn visit_pat_ident(&mut self, bound: &'a PatIdent) {
        // Those in capitals are values, which a pattern compares with.
        let name = super::name(&bound.ident);
        if !name.starts_with(char::is_uppercase) && self.seen.insert(name, bound.ident.clone()).is_some() {
            self.twice.push(bound.ident.clone());
        }
        visit::visit_pat_ident(self, bound);
    }

    /// Each case binds all of them.
    fn visit_pat_or(&mut self, either: &'a PatOr) {
        let before = self.seen.clone();
        let mut all = BTreeMap::new();
        for case in &either.cases {
            self.seen.clone_from(&before);
            self.visit_pat(case);
            all.append(&mut self.seen);
        }
        self.seen = all;
    }

    /// What is computed in it binds nothing of it.
    fn visit_expr(&mut self, _: &'a syn::Expr) {}
}
