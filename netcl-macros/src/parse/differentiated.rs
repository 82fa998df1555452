//! What a body asks derivatives in.

use super::names_in;
use crate::words;
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprCall, Local, LocalInit, Pat};

/// The names in what stands behind the value in each `grad(value, x)`, and those that they are other names of.
pub(crate) fn names(body: &Block) -> BTreeSet<String> {
    struct Calls {
        names: BTreeSet<String>,
        /// `let turned = &h;`
        renamed: Vec<(String, String)>,
    }
    impl<'ast> Visit<'ast> for Calls {
        fn visit_expr_call(&mut self, call: &'ast ExprCall) {
            if matches!(&*call.func, Expr::Path(path) if path.path.is_ident(words::GRAD)) {
                self.names.extend(call.args.iter().skip(1).flat_map(|wrt| names_in(wrt.to_token_stream())));
            }
            visit::visit_expr_call(self, call);
        }

        fn visit_local(&mut self, local: &'ast Local) {
            if let (Pat::Ident(new), Some(LocalInit { expr, .. })) = (&local.pat, &local.init)
                && let Expr::Path(old) = named(expr)
                && let Some(old) = old.path.get_ident()
            {
                self.renamed.push((super::name(&new.ident), super::name(old)));
            }
            visit::visit_local(self, local);
        }
    }
    let mut calls = Calls { names: BTreeSet::new(), renamed: Vec::new() };
    calls.visit_block(body);
    let Calls { mut names, renamed } = calls;
    for (new, old) in renamed.into_iter().rev() {
        if names.contains(&new) {
            names.insert(old);
        }
    }
    names
}

/// What is referred to.
fn named(expr: &Expr) -> &Expr {
    match expr {
        Expr::Reference(inner) => named(&inner.expr),
        Expr::Paren(inner) => named(&inner.expr),
        other => other,
    }
}
