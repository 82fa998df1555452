//! Text of PyTorch, NumPy and JAX as it is pasted, and what is called as there.

use super::{Lowering, Val, named};
use crate::parse::{self, text};
use crate::{foreign, messages as m};
use proc_macro2::Ident;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprMethodCall, Member};

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
        let hint = self.of_module(call).unwrap_or_else(|| "operations are methods: write `x.relu()`".to_string());
        let written = format!("{}.{name}", text(&call.receiver));
        Some(self.report(call.span(), &m::ELSEWHERE_CALLED, &[&written, &hint]))
    }

    /// What to write for a function of a module, in whose arguments there may be others, which come first.
    fn of_module(&mut self, call: &ExprMethodCall) -> Option<String> {
        let names = modules(&call.receiver)?;
        let method = &call.method;
        let args = call.args.iter().map(|arg| match arg {
            Expr::MethodCall(inner) if self.is_of_module(inner) => {
                self.of_module(inner).as_deref().and_then(named::written_in).unwrap_or_else(|| arg.clone())
            }
            arg => arg.clone(),
        });
        let args: Vec<Expr> = args.collect();
        let called = syn::parse2(quote!(#(#names::)* #method(#(#args),*))).ok()?;
        self.in_order(&called, None)
    }

    fn is_of_module(&self, call: &ExprMethodCall) -> bool {
        let first = modules(&call.receiver).and_then(|names| names.first().cloned());
        first.is_some_and(|first| foreign::is_module(&first) && self.lookup(&parse::name(&first)).is_none())
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
