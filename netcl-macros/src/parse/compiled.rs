//! Which functions of a block are compiled though no `Tensor` stands in their signatures, but structs alone.
//!
//! Whether those are structs of tensors no macro knows where it decides. A body that reads a field of the model, or calls a
//! function that is compiled, is none of Rust's own, where a model has no fields and such calls give a `Result`.

use super::{function, mode, parts};
use crate::words;
use quote::format_ident;
use std::collections::BTreeSet;
use syn::visit::{self, Visit};
use syn::{Expr, FnArg, ImplItem, ImplItemFn, ItemImpl, Pat, Path, ReturnType, Signature};

/// Marks those functions.
pub(crate) fn mark(block: &mut ItemImpl) {
    let mark = format_ident!("{}", words::OF_STRUCTS);
    // What calls one that is marked may be one as well.
    loop {
        let compiled = names(block);
        let mut changed = false;
        for item in &mut block.items {
            if let ImplItem::Fn(f) = item
                && is_ordinary(f)
                && may_be_of_structs(f)
                && (f.attrs.iter().any(function::is_helper) || uses(f, &compiled).compiled)
            {
                f.attrs.push(syn::parse_quote!(#[#mark]));
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

/// Whether the body alone tells that the function is compiled.
pub(crate) fn is_meant(f: &ImplItemFn) -> bool {
    may_be_of_structs(f) && uses(f, &BTreeSet::new()).compiled
}

/// Functions that stay Rust's own as far as a macro can know, and a struct of each that tells otherwise if it is of tensors. What
/// handles the failure of a compiled function is Rust's own in any case.
pub(crate) fn in_doubt(block: &ItemImpl) -> impl Iterator<Item = (&ImplItemFn, Path)> {
    let own = |path: &Path| block.generics.type_params().any(|own| path.is_ident(&own.ident));
    let compiled = names(block);
    functions(block)
        .filter(move |f| is_ordinary(f) && may_be_of_structs(f) && !uses(f, &compiled).handles)
        .filter_map(move |f| Some((f, parts::result_structs(&f.sig).into_iter().find(|path| !own(path))?)))
}

/// The names of the functions that are compiled.
pub(super) fn names(block: &ItemImpl) -> BTreeSet<String> {
    functions(block).filter(|f| !is_ordinary(f)).map(name).collect()
}

/// Whether a body goes on with layers, or with what a compiled function gives, as ordinary Rust cannot. What it borrows to change it, and
/// what it calls for gradients, are parts of the model that ordinary Rust has too.
pub(super) fn uses_layers(f: &ImplItemFn, compiled: &BTreeSet<String>) -> bool {
    let mut visit = Bodies { uses: UseOfModel::default(), known: compiled, parts: true };
    visit.visit_block(&f.block);
    visit.uses.compiled
}

fn functions(block: &ItemImpl) -> impl Iterator<Item = &ImplItemFn> {
    block.items.iter().filter_map(|item| match item {
        ImplItem::Fn(f) => Some(f),
        _ => None,
    })
}

fn name(f: &ImplItemFn) -> String {
    super::name(&f.sig.ident)
}

fn is_ordinary(f: &ImplItemFn) -> bool {
    function::is_ordinary(&f.attrs, &f.sig)
}

/// Whether it gives structs of the user's, alone, in tuples or in arrays, and is none that stays Rust's own by its form or by
/// what its author says.
fn may_be_of_structs(f: &ImplItemFn) -> bool {
    let shared = |sig: &Signature| matches!(sig.inputs.first(), Some(FnArg::Receiver(given)) if matches!(given.kind, syn::ReceiverKind::Reference(_, _, None)));
    let whole = matches!(&f.sig.output, ReturnType::Type(_, ty) if parts::is_of_structs(ty));
    !f.attrs.iter().any(mode::is_dynamic) && shared(&f.sig) && f.sig.generics.params.is_empty() && whole
}

/// How a body uses the model, whose compiled functions are these.
fn uses(f: &ImplItemFn, compiled: &BTreeSet<String>) -> UseOfModel {
    let mut visit = Bodies { uses: UseOfModel::default(), known: compiled, parts: false };
    visit.visit_block(&f.block);
    visit.uses
}

#[derive(Default)]
struct UseOfModel {
    /// It reads a field, or goes on with what a compiled function gives.
    compiled: bool,
    /// It handles the failure of one.
    handles: bool,
}

struct Bodies<'c> {
    uses: UseOfModel,
    known: &'c BTreeSet<String>,
    /// Whether fields that ordinary Rust has too, which are parts, are none that count.
    parts: bool,
}

impl Bodies<'_> {
    fn is_call(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::MethodCall(call) if is_self(&call.receiver) && self.known.contains(&super::name(&call.method)))
    }
}

impl<'ast> Visit<'ast> for Bodies<'_> {
    fn visit_expr_field(&mut self, field: &'ast syn::ExprField) {
        let core = matches!(&field.member, syn::Member::Named(name) if *name == crate::paths::scope_field());
        self.uses.compiled |= is_self(&field.base) && !core;
        visit::visit_expr_field(self, field);
    }

    fn visit_expr_reference(&mut self, borrowed: &'ast syn::ExprReference) {
        if !self.parts || borrowed.mutability.is_none() {
            visit::visit_expr_reference(self, borrowed);
        }
    }

    /// `let Self { hidden } = self;`
    fn visit_local(&mut self, local: &'ast syn::Local) {
        let given = local.init.as_ref().map(|init| &*init.expr);
        self.uses.compiled |= given.is_some_and(is_self) && takes_apart(&local.pat);
        visit::visit_local(self, local);
    }

    fn visit_expr_try(&mut self, tried: &'ast syn::ExprTry) {
        match self.is_call(&tried.expr) {
            true => self.uses.handles = true,
            false => visit::visit_expr_try(self, tried),
        }
    }

    fn visit_expr_match(&mut self, taken: &'ast syn::ExprMatch) {
        self.uses.compiled |= is_self(&taken.expr) && taken.arms.iter().any(|arm| takes_apart(&arm.pat));
        match self.is_call(&taken.expr) && taken.arms.iter().any(|arm| is_result(&arm.pat)) {
            true => self.uses.handles = true,
            false => visit::visit_expr_match(self, taken),
        }
    }

    fn visit_expr_let(&mut self, taken: &'ast syn::ExprLet) {
        self.uses.compiled |= is_self(&taken.expr) && takes_apart(&taken.pat);
        match self.is_call(&taken.expr) && is_result(&taken.pat) {
            true => self.uses.handles = true,
            false => visit::visit_expr_let(self, taken),
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        const HANDLE: [&str; 13] = [
            "and_then",
            "err",
            "expect",
            "is_err",
            "is_ok",
            "map",
            "map_err",
            "ok",
            "or_else",
            "unwrap",
            "unwrap_or",
            "unwrap_or_default",
            "unwrap_or_else",
        ];
        if HANDLE.iter().any(|name| call.method == name) && self.is_call(&call.receiver) {
            self.uses.handles = true;
            return;
        }
        self.uses.compiled |= is_self(&call.receiver) && self.known.contains(&super::name(&call.method));
        if self.parts && super::name(&call.method).ends_with("_with_gradients") {
            return call.args.iter().for_each(|argument| self.visit_expr(argument));
        }
        visit::visit_expr_method_call(self, call);
    }
}

/// Whether a `Result` is taken apart: `Ok(state)`, `Err(error)`.
fn is_result(pat: &Pat) -> bool {
    matches!(pat, Pat::TupleStruct(taken) if taken.path.is_ident("Ok") || taken.path.is_ident("Err"))
}

/// Whether the pattern names fields or variants of a model, which it has none of in Rust.
fn takes_apart(pat: &Pat) -> bool {
    match pat {
        Pat::Struct(parts) => !parts.fields.is_empty() || parts.path.segments.len() > 1,
        Pat::TupleStruct(parts) => parts.path.segments.len() > 1,
        Pat::Path(variant) => variant.path.segments.len() > 1,
        Pat::Or(either) => either.cases.iter().any(takes_apart),
        Pat::Paren(inner) => takes_apart(&inner.pat),
        Pat::Reference(inner) => takes_apart(&inner.pat),
        Pat::Type(typed) => takes_apart(&typed.pat),
        Pat::Ident(name) => name.subpat.as_ref().is_some_and(|(_, inner)| takes_apart(inner)),
        _ => false,
    }
}

fn is_self(expr: &Expr) -> bool {
    match super::unparenthesized(expr) {
        Expr::Path(path) => path.path.is_ident("self"),
        Expr::Reference(inner) => is_self(&inner.expr),
        Expr::Unary(inner) => matches!(inner.op, syn::UnOp::Deref(_)) && is_self(&inner.expr),
        _ => false,
    }
}
