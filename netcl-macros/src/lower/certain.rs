//! Which expressions have a value of one kind, a tensor, a layer or that model, whichever way a body takes. What is chosen by a condition, or
//! is another one in each round, has a kind that only the way tells by which a body comes to it.

use super::{Lowering, Val, iterators};
use crate::parse;
use syn::{Expr, Pat};

impl<'a> Lowering<'a> {
    /// The value of `expr`. Where the body may not come by the way that has been taken so far, its kind counts only if it is certain.
    pub(super) fn as_certain(&self, value: Val<'a>, expr: &Expr) -> Val<'a> {
        // By other numbers a part may be another one, and hardly a tensor something else.
        let doubtful = self.doubtful || self.by_example && !computes(&value);
        if doubtful && !self.is_certain(expr) { Val::Unknown } else { value }
    }

    /// Whether the value is of one kind whichever way the body takes.
    pub(super) fn is_certain(&self, expr: &Expr) -> bool {
        let all =
            |args: &syn::punctuated::Punctuated<Expr, syn::Token![,]>| args.iter().all(|arg| self.is_certain(arg));
        match expr {
            Expr::Paren(inner) => self.is_certain(&inner.expr),
            Expr::Group(inner) => self.is_certain(&inner.expr),
            Expr::Reference(inner) => self.is_certain(&inner.expr),
            Expr::Unary(inner) => self.is_certain(&inner.expr),
            Expr::Cast(inner) => self.is_certain(&inner.expr),
            Expr::Field(field) => self.is_certain(&field.base),
            Expr::Index(index) => matches!(*index.index, Expr::Lit(_)) && self.is_certain(&index.expr),
            Expr::Binary(binary) => self.is_certain(&binary.left) && self.is_certain(&binary.right),
            Expr::Tuple(tuple) => all(&tuple.elems),
            Expr::Array(list) => all(&list.elems),
            Expr::Struct(given) => given.fields.iter().all(|field| self.is_certain(&field.expr)),
            Expr::MethodCall(call) => {
                !chooses(&parse::name(&call.method), call.args.len())
                    && self.is_certain(&call.receiver)
                    && all(&call.args)
            }
            Expr::Call(call) => {
                matches!(&*call.func, Expr::Path(path) if self.variable(path).is_none()) && all(&call.args)
            }
            // What a variable that changes is bound to changes its kind with the part that it is, and not otherwise.
            Expr::Path(path) => self
                .variable(path)
                .is_none_or(|variable| variable.fixed && (!variable.mutable || computes(&variable.value))),
            Expr::Lit(_) | Expr::Range(_) | Expr::Repeat(_) => true,
            _ => false,
        }
    }

    /// Binds the names of a pattern to what `expr` gives.
    pub(super) fn bind_given(&mut self, pattern: &'a Pat, value: Val<'a>, expr: &Expr) {
        let certain = self.is_certain(expr);
        self.bind_certain(certain, |this| this.bind_pattern(pattern, value));
    }

    /// Whether what is bound is certain.
    pub(super) fn bind_certain(&mut self, certain: bool, bind: impl FnOnce(&mut Self)) {
        let known = |this: &Self| this.frame().scopes.last().map_or(0, Vec::len);
        let before = known(self);
        bind(self);
        let scope = self.frame_mut().scopes.last_mut().into_iter().flatten();
        scope.skip(before).for_each(|variable| variable.fixed = certain);
    }

    fn variable(&self, path: &syn::ExprPath) -> Option<&super::LocalVar<'a>> {
        let name = parse::name(path.path.get_ident()?);
        self.frame().scopes.iter().flatten().rev().find(|variable| variable.name == name)
    }
}

/// Whether it is something to compute with, and no part of a model or list of such.
fn computes(value: &Val<'_>) -> bool {
    matches!(value, Val::Tensor(_) | Val::Dim(_) | Val::Number(_) | Val::Bool(_))
}

/// Whether a method gives one of several values, which may be unlike.
fn chooses(name: &str, given: usize) -> bool {
    let one = matches!((name, given), ("get" | "nth" | "or" | "xor" | "unwrap_or" | "chain", 1));
    one || iterators::is_adapter(name) && name != "iter"
}
