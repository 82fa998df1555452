//! Operations that are called by their names alone.

use super::advice_kinds::Advice;
use super::{Lowering, Val};
use proc_macro2::Span;
use syn::ExprCall;

impl<'a> Lowering<'a> {
    /// What is called by its name alone: an operation, whatever function has that name too.
    pub(super) fn by_name(&mut self, name: String, args: Vec<Val<'a>>, call: &ExprCall, span: Span) -> Val<'a> {
        let tensors = self.axes.is_none() && !self.elementwise;
        let advice = Advice::own_is_meant(&name, call.args.len());
        self.advice = advice.filter(|advice| tensors || matches!(advice, Advice::Instead(_)));
        let value = self.builtin(&name, args, span);
        self.advice = None;
        if let (Val::Tensor(id), true) = (&value, tensors) {
            self.marks.named.insert(*id, name);
        }
        value
    }
}
