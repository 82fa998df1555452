//! Attributes inside of what is compiled: above statements, expressions, arms, elements and arguments. Macros see them before rustc has
//! decided any `#[cfg(..)]`, and none of the others changes what a body computes.

use super::{attr, condition, stray};
use crate::diag::Diag;
use crate::messages::{self as m, Message};
use crate::{recover, words};
use quote::format_ident;
use std::collections::BTreeSet;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Expr, ImplItem, ItemImpl, Signature};

/// Whether a function can be compiled as far as attributes say: what is not decided, above it or inside, is reported. `whole` is what is
/// said of a condition that is the whole function's; such attributes are taken away.
pub(crate) fn function(
    diag: &Diag,
    attrs: &mut Vec<Attribute>,
    (sig, body): (&Signature, &Block),
    whole: &Message,
) -> bool {
    let before = diag.count();
    condition::decided(diag, attrs, whole);
    attrs.retain(|attr| !condition::is_condition(attr));
    // Arguments are there or not as the function is.
    let mut inside = Inside { diag, condition: whole, undecided: diag.count() > before };
    inside.visit_signature(sig);
    inside.condition = &m::CFG_INSIDE;
    inside.visit_block(body);
    !inside.undecided
}

/// The same of the value of a constant.
pub(crate) fn value(diag: &Diag, value: &Expr) -> bool {
    let mut inside = Inside { diag, condition: &m::CFG, undecided: false };
    inside.visit_expr(value);
    !inside.undecided
}

/// The same of a block's functions that are compiled, which are marked as half-typed where something is not decided. Of several of one
/// name the first one's condition is spoken of.
pub(crate) fn block(diag: &Diag, block: &mut ItemImpl) {
    let mut undecided = BTreeSet::new();
    let mark = format_ident!("{}", words::HALF_TYPED);
    block.items.retain_mut(|item| {
        let ImplItem::Fn(f) = item else { return true };
        if super::function::is_ordinary(&f.attrs, &f.sig) || f.attrs.iter().any(recover::is_half_typed) {
            return true;
        }
        if undecided.contains(&f.sig.ident) {
            return false;
        }
        if !function(diag, &mut f.attrs, (&f.sig, &f.block), &m::CFG_FUNCTION) {
            undecided.insert(f.sig.ident.clone());
            f.attrs.push(syn::parse_quote!(#[#mark]));
        }
        true
    });
}

/// What stands inside of an item. Items in bodies are no part of these.
struct Inside<'d> {
    diag: &'d Diag,
    /// What is said of a condition.
    condition: &'d Message,
    undecided: bool,
}

impl<'a> Visit<'a> for Inside<'_> {
    /// Rule: a body holds attributes that change nothing. Wrong: `#[cfg(test)] let x = x.relu();`, `#[precision(bf16)] let x = ..`.
    fn visit_attribute(&mut self, attr: &'a Attribute) {
        if condition::is_condition(attr) {
            // One way for what is there or not goes for all of a function.
            if !condition::adds_notes(attr) && !std::mem::replace(&mut self.undecided, true) {
                condition::decided(self.diag, std::slice::from_ref(attr), self.condition);
            }
        } else if !attr::is_note(attr) {
            stray::inside(self.diag, attr);
        }
    }

    /// Rule: `self` is the model, as in Rust. Wrong: `let self = x;`, `|self| self.relu()`, `for self in &self.layers`.
    fn visit_pat_ident(&mut self, name: &'a syn::PatIdent) {
        if name.ident == "self" {
            self.diag.report(name.ident.span(), &m::SELF_BOUND, &[]);
        }
        visit::visit_pat_ident(self, name);
    }

    fn visit_item(&mut self, _: &'a syn::Item) {}

    fn visit_signature(&mut self, sig: &'a Signature) {
        sig.inputs.iter().for_each(|input| visit::visit_fn_arg(self, input));
    }
}
