//! Text of PyTorch, NumPy and JAX as it is pasted, and names and calls that mean something in another form.

use super::{Lowering, Val, iterators, named};
use crate::messages as m;
use crate::parse::{self, suggestion, text};
use netcl_kernels::ops;
use proc_macro2::{Ident, Span};
use quote::quote;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprIf, ExprIndex, ExprMethodCall, Member};

/// What other frameworks' modules are called where they are imported.
const MODULES: [&str; 9] = ["torch", "F", "nn", "np", "numpy", "jnp", "jax", "tf", "keras"];

impl<'a> Lowering<'a> {
    /// Rule: operations are methods of tensors. Wrong: `torch.cat([a, b], 1)`, `F.gelu(x)`, as Python writes it.
    pub(super) fn pasted(&mut self, call: &'a ExprMethodCall, name: &str) -> Option<Val<'a>> {
        let names = modules(&call.receiver)?;
        let first = names.first().map(parse::name)?;
        let known = self.lookup(&first).is_some() || self.frame().symbols.contains_key(&first);
        if !known && names.len() == 1 && is_camel(&first) && !super::is_builtin(name) {
            return self.type_as_value(&first, call.receiver.span());
        }
        if known || !MODULES.contains(&first.as_str()) {
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
        let first = modules(&call.receiver).and_then(|names| names.first().map(parse::name));
        first.is_some_and(|first| MODULES.contains(&first.as_str()) && self.lookup(&first).is_none())
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

    /// What is said of an operation that there is not.
    pub(super) fn no_operation(&self, name: &str, receiver: &Val<'a>, span: Span) -> Val<'a> {
        match receiver {
            Val::Dim(size) if iterators::is_adapter(name) => {
                let instead = format!("a range stands in parentheses: write `(0..{size}).{name}()`");
                self.report(span, &m::UNSUPPORTED, &[&format!("`{name}` of a size"), &instead])
            }
            _ => self.report(span, &m::UNKNOWN_METHOD, &[&name, &suggestion(name, ops::names())]),
        }
    }

    /// Rule: a list in a list is read by one index after the other. Wrong: `TAPS[0, 1]`.
    pub(super) fn several_positions(&self, index: &ExprIndex) -> Val<'a> {
        let positions = match &*index.index {
            Expr::Tuple(tuple) => tuple.elems.iter().map(|at| format!("[{}]", text(at))).collect(),
            other => format!("[{}]", text(other)),
        };
        let instead = format!("one index after the other: write `{}{positions}`", text(&index.expr));
        self.report(index.span(), &m::UNSUPPORTED, &[&"an index of several numbers", &instead])
    }

    /// Rule: a type is called by its path. Wrong: `A.forward(x)`, `Softsign.forward(x)`, `Self.line`.
    pub(super) fn type_as_value(&self, name: &str, span: Span) -> Option<Val<'a>> {
        let is_parameter = self.frame().unit.types.contains_key(name);
        let instead = match name {
            "Self" => "the model is `self`, its fields `self.layer`".to_string(),
            _ if is_parameter => {
                format!("call the field that is of it, `self.part.forward(x)`, or `{name}::forward(x)`")
            }
            _ if is_camel(name) => format!("a function of a type is called by its path, `{name}::forward(x)`"),
            _ => return None,
        };
        Some(self.report(span, &m::TYPE_AS_VALUE, &[&name, &instead]))
    }

    /// Whether the branch gives a value where its condition holds, which does not here.
    pub(super) fn gives_value(&mut self, branch: &'a ExprIf) -> bool {
        let before = self.clone();
        let said = self.diag.only(&[]);
        self.bind_all_if_there(&branch.cond);
        self.wanted = true;
        let value = self.block(&branch.then_branch);
        self.diag.go_back(said);
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

/// Whether the name is written as those of types are.
fn is_camel(name: &str) -> bool {
    name.len() > 1 && name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase)
}
