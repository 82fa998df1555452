//! What can be called without a declaration.

use super::{Lowering, Val};
use crate::words;
use netcl_kernels::graph::{BinaryOp, UnaryOp};
use netcl_kernels::ops;
use proc_macro2::Span;
use syn::ExprCall;

/// Whether `name` can be called without a declaration.
pub(crate) fn is_builtin(name: &str) -> bool {
    builtins().contains(&name)
}

/// How that begins which is said beside something else.
pub(super) const ALSO: &str = "a function or a kernel of your own";

/// What is said of an operation that is called by its name alone: a function may be meant.
pub(super) fn own_is_called(name: &str) -> String {
    format!("{ALSO} by that name is called as `self::{name}(..)`")
}

/// What to write where an operation is called with another number of arguments than it has, or does not fit: a function may be meant.
fn own_is_meant(name: &str, given: usize) -> Option<String> {
    let operation = ops::find(name)?;
    if operation.args.len() == given {
        return Some(own_is_called(name));
    }
    let args = operation.args.iter().map(|arg| arg.name).collect::<Vec<_>>().join(", ");
    Some(format!(
        "the operation is called as `{name}({args})`, a function or a kernel of your own by that name as `self::{name}(..)`"
    ))
}

impl<'a> Lowering<'a> {
    /// What is called by its name alone: an operation, whatever function has that name too.
    pub(super) fn by_name(&mut self, name: String, args: Vec<Val<'a>>, call: &ExprCall, span: Span) -> Val<'a> {
        let tensors = self.axes.is_none() && !self.elementwise;
        let advice = own_is_meant(&name, call.args.len());
        self.advice = advice.filter(|advice| tensors || !advice.starts_with(ALSO));
        let value = self.builtin(&name, args, span);
        self.advice = None;
        if let (Val::Tensor(id), true) = (&value, tensors) {
            self.named.insert(*id, name);
        }
        value
    }
}

pub(super) fn builtins() -> Vec<&'static str> {
    let unary = UnaryOp::ALL.into_iter().map(UnaryOp::name);
    let binary = BinaryOp::ALL.into_iter().map(BinaryOp::name);
    let own = words::REDUCTIONS.into_iter().chain([words::PAD, "select"]);
    unary.chain(binary).chain(own).chain(ops::names()).chain(super::float::rust_names()).collect()
}
