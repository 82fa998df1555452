//! Closures that a body binds and calls where they stand: `let act = |x| x.relu(); act(y)`.

use super::expected::Expected;
use super::value::Closure;
use super::{Lowering, Val};
use crate::messages as m;
use crate::parse::{self, text, types};
use proc_macro2::{Ident, Span};
use quote::ToTokens;
use std::collections::BTreeSet;
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, ExprClosure, Pat};

impl<'a> Lowering<'a> {
    /// `|x| x.relu()`.
    pub(super) fn closure(&mut self, written: &'a ExprClosure) -> Val<'a> {
        if self.axes.is_some() && !self.in_function() {
            let instead = "write what it computes out where it is used; what takes numbers alone is a function above which `#[netcl::function]` \
                           stands";
            return self.report(written.span(), &m::UNSUPPORTED, &[&"a closure", &instead]);
        }
        Val::Closure(Rc::new(Closure { written, scopes: self.frame().scopes.clone() }))
    }

    /// Whether it is a closure: one that is written there, or the name of one.
    pub(super) fn is_closure(&self, expr: &Expr) -> bool {
        match super::misuse::bare(expr) {
            Expr::Closure(_) => true,
            Expr::Path(path) => path
                .path
                .get_ident()
                .is_some_and(|name| matches!(self.lookup(&parse::name(name)), Some((Val::Closure(_), _)))),
            _ => false,
        }
    }

    /// `act(y)`; `name` is how it is called.
    pub(super) fn call_closure(
        &mut self,
        closure: &Closure<'a>,
        args: Vec<Val<'a>>,
        (name, span): (&str, Span),
    ) -> Val<'a> {
        let written = closure.written;
        if written.inputs.len() != args.len() {
            let (wanted, given) = (written.inputs.len(), args.len());
            let plural = if wanted == 1 { "" } else { "s" };
            return self.report(
                span,
                &m::CALL_ARGUMENTS,
                &[&name, &wanted, &plural, &given, &"as many as stand between `|`"],
            );
        }
        if !self.affords(name, span) {
            return Val::Unknown;
        }
        let mut scopes = closure.scopes.clone();
        scopes.push(Vec::new());
        let outer = std::mem::replace(&mut self.frame_mut().scopes, scopes);
        let control = std::mem::take(&mut self.frame_mut().control);
        let before: Vec<usize> = self.frame().scopes.iter().flatten().map(|variable| variable.assigned).collect();
        for (input, value) in written.inputs.iter().zip(args) {
            self.bind_input(input, value);
        }
        let declared = match &written.output {
            syn::ReturnType::Type(_, ty) => Expected::Written(ty).whole(),
            syn::ReturnType::Default => None,
        };
        self.frame_mut().control.declared = declared;
        (self.expected, self.wanted) = (declared, true);
        let value = self.expr(&written.body);
        let value = self.with_returned(value, written.body.span());
        self.frame_mut().scopes.pop();
        let mut outside = self.frame().scopes.iter().flatten().zip(before);
        let assigned = outside.find(|(variable, before)| variable.assigned > *before).map(|(own, _)| own.name.clone());
        self.frame_mut().scopes = outer;
        self.frame_mut().control = control;
        if let Some(variable) = assigned {
            let place = super::carried::assigned_in(&written.body, &variable).unwrap_or(span);
            let what = format!("assigning to `{variable}`, which is outside of the closure,");
            let instead =
                format!("let the closure give the value, and assign it where it is called: `{variable} = {name}(..);`");
            return self.report(place, &m::UNSUPPORTED, &[&what, &instead]);
        }
        match &written.output {
            syn::ReturnType::Type(_, ty) if !is_any_tensor(ty) => self.declared_as(name, ty, value),
            _ => value,
        }
    }

    /// Binds a parameter; `&Tensor` without sizes is any tensor.
    fn bind_input(&mut self, input: &'a Pat, value: Val<'a>) {
        match input {
            Pat::Type(typed) => self.bind_typed((&typed.pat, &typed.ty), value),
            input => self.bind_pattern(input, value),
        }
    }

    /// The same of a pattern, or a part of one, and its type.
    fn bind_typed(&mut self, (pattern, ty): (&'a Pat, &'a syn::Type), value: Val<'a>) {
        match (pattern, ty, value) {
            (_, ty, value) if is_any_tensor(ty) => {
                let value = match value {
                    value @ (Val::Tensor(_) | Val::Unknown) => value,
                    other => {
                        let values = [text(pattern), text(ty), other.kind()];
                        self.report(ty.span(), &m::LET_VALUE, &[&values[0], &values[1], &values[2]])
                    }
                };
                self.bind_pattern(pattern, value);
            }
            (pattern, syn::Type::Reference(inner), value) if has_any_tensor(ty) => {
                self.bind_typed((pattern, &inner.elem), value);
            }
            (Pat::Tuple(parts), syn::Type::Tuple(types), Val::Tuple(values))
                if has_any_tensor(ty) && parts.elems.len() == values.len() && types.elems.len() == values.len() =>
            {
                for (pair, value) in parts.elems.iter().zip(&types.elems).zip(values) {
                    self.bind_typed(pair, value);
                }
            }
            (Pat::Tuple(_), syn::Type::Tuple(_), Val::Unknown) => self.bind_unknown(pattern, false),
            (pattern, ty, value) => {
                let value = self.declared_as(&text(pattern), ty, value);
                self.bind_pattern(pattern, value);
            }
        }
    }
}

/// `Tensor`, borrowed or not, of which nothing more is said.
fn is_any_tensor(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Reference(inner) => is_any_tensor(&inner.elem),
        syn::Type::Path(path) => path.path.is_ident(crate::words::TENSOR) && !types::is_tensor(ty),
        _ => false,
    }
}

/// The same of a part of it.
fn has_any_tensor(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Tuple(tuple) => tuple.elems.iter().any(has_any_tensor),
        syn::Type::Reference(inner) => has_any_tensor(&inner.elem),
        ty => is_any_tensor(ty),
    }
}

/// The two names of a `fold`'s closure, where what is carried is the index of a read, `|t, h| h + x[n, t]`, and the other is not.
pub(super) fn exchanged(closure: &ExprClosure) -> Option<(Ident, Ident)> {
    struct Indices {
        names: BTreeSet<String>,
        converts: bool,
    }
    impl<'ast> Visit<'ast> for Indices {
        fn visit_expr_index(&mut self, read: &'ast syn::ExprIndex) {
            self.names.extend(parse::names_in(read.index.to_token_stream()));
            self.converts |= read.index.to_token_stream().to_string().contains(" as ");
            visit::visit_expr_index(self, read);
        }
    }
    let mut names = closure.inputs.iter().map(|input| match input {
        Pat::Ident(ident) => Some(ident.ident.clone()),
        _ => None,
    });
    let (first, second) = (names.next()??, names.next()??);
    let mut indices = Indices { names: BTreeSet::new(), converts: false };
    indices.visit_expr(&closure.body);
    let is_index = |name: &Ident| indices.names.contains(&parse::name(name));
    (is_index(&first) && !is_index(&second) && !indices.converts).then_some((first, second))
}
