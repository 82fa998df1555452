//! Functions of models that are compiled for several element types: `#[types(T = [f32, f16])]`.

use super::constant::Constants;
use super::function;
use crate::ast::FunctionItem;
use crate::diag::Diag;
use netcl_kernels::dim::Symbol;
use std::collections::BTreeSet;
use syn::{Attribute, ItemFn};

/// A function of a model, which may have several element types: `#[types(T = [f32, f16])]`.
pub(crate) fn of_model(
    diag: &Diag,
    item: &syn::ImplItemFn,
    constants: &Constants,
    sizes: &BTreeSet<Symbol>,
) -> FunctionItem {
    let one = |diag: &Diag, item: &ItemFn| {
        let attrs: Vec<Attribute> =
            item.attrs.iter().filter(|attr| !attr.path().is_ident(crate::words::TYPES)).cloned().collect();
        function::function(diag, &attrs, &item.vis, &item.sig, &item.block, constants, sizes)
    };
    let syn::ImplItemFn { attrs, vis, sig, block, .. } = item.clone();
    let item = ItemFn { attrs, vis, modifiers: Default::default(), sig, block: Box::new(block) };
    if !item.attrs.iter().any(|attr| attr.path().is_ident(crate::words::TYPES)) {
        return one(diag, &item);
    }
    let before = diag.count();
    let mut variants = Vec::new();
    for (instance, decisions) in crate::simt::instances(diag, &item) {
        let function = one(diag, &instance);
        variants.push((function, decisions));
        // One choice's mistakes are every choice's.
        if diag.count() > before {
            break;
        }
    }
    match variants.first() {
        Some((first, _)) => FunctionItem { variants: variants.clone(), ..first.clone() },
        None => {
            let silent = Diag::new();
            let function = one(&silent, &item);
            silent.dismiss();
            let typed = item.sig.inputs.iter().filter_map(|input| match input {
                syn::FnArg::Typed(typed) => Some(function::names(&typed.pat)),
                syn::FnArg::Receiver(_) => None,
            });
            FunctionItem { unsound: Some(typed.flatten().collect()), ..function }
        }
    }
}
