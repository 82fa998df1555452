//! Text of PyTorch, NumPy and JAX as it is pasted, and what is called as there.

use super::{Lowering, Val};
use crate::parse::{self, text};
use crate::{foreign, messages as m};
use proc_macro2::Ident;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Block, Expr, ExprCall, ExprMethodCall, Member};

impl<'a> Lowering<'a> {
    /// Rule: operations are methods of tensors. Wrong: `torch.cat([a, b], 1)`, `F.gelu(x)`, as Python writes it.
    pub(super) fn pasted(&mut self, call: &'a ExprMethodCall, name: &str) -> Option<Val<'a>> {
        let names = modules(&call.receiver)?;
        let module = names.first()?;
        let first = parse::name(module);
        let known = self.lookup(&first).is_some() || self.frame().symbols.contains_key(&first);
        if !known && names.len() == 1 && super::wrong_receiver::is_camel(&first) && !super::is_builtin(name) {
            return self.type_as_value(&first, call.receiver.span());
        }
        if known || !foreign::is_module(module) {
            return None;
        }
        let (method, args) = (&call.method, &call.args);
        let hint = syn::parse2(quote!(#(#names::)* #method(#args))).ok().and_then(|called| self.hint_about(called));
        let hint = hint.unwrap_or_else(|| "operations are methods: write `x.relu()`".to_string());
        let written = format!("{}.{name}", text(&call.receiver));
        Some(self.report(call.span(), &m::ELSEWHERE_CALLED, &[&written, &hint]))
    }

    /// Rule: a model is called by its functions, and has no parent. Wrong: `self(x)`, `super().forward(x)`.
    pub(super) fn called_itself(&mut self, name: &str, call: &ExprCall) -> Option<Val<'a>> {
        let instead = match name {
            "self" => format!("a model is called by its functions: write `self.forward({})`", text(&call.args)),
            "super" => {
                "a model has no other one that it extends: what it calls are its fields, `self.part.forward(x)`".into()
            }
            _ => return None,
        };
        Some(self.report(call.span(), &m::ELSEWHERE_CALLED, &[&name, &instead]))
    }

    /// Whether the block gives a value.
    pub(super) fn gives_value(&mut self, block: &'a Block) -> bool {
        let before = self.clone();
        let all = self.diag.only(Some(&[]));
        self.wanted = true;
        let value = self.block(block);
        self.diag.only(all);
        *self = before;
        !matches!(value, Val::Unit | Val::Unknown)
    }
}

/// The names of `torch.nn.functional`.
fn modules(expr: &Expr) -> Option<Vec<Ident>> {
    match expr {
        Expr::Path(path) => path.path.get_ident().map(|name| vec![name.clone()]),
        Expr::Field(field) => {
            let Member::Named(name) = &field.member else { return None };
            let mut all = modules(&field.base)?;
            all.push(name.clone());
            Some(all)
        }
        _ => None,
    }
}
