//! A model's struct and its `impl` block.

use super::constant::{self, Constants};
use super::{field, function, text};
use crate::ast::{Model, ModelImpl};
use crate::diag::Diag;
use crate::messages as m;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Fields, ImplItem, ItemImpl, ItemStruct, Type};

/// The struct; fields that are wrong are reported and kept as unknown.
pub(crate) fn model(diag: &Diag, item: &ItemStruct, constants: &Constants) -> Model {
    if let Some(first) = item.generics.params.first() {
        diag.report(first.span(), &m::GENERIC_MODEL, &[]);
    }
    let fields = match &item.fields {
        Fields::Named(named) => named.named.iter().filter_map(|f| field::field(diag, f, constants)).collect(),
        Fields::Unnamed(_) | Fields::Unit => {
            diag.report(item.ident.span(), &m::NO_NAMED_FIELDS, &[&item.ident]);
            Vec::new()
        }
    };
    Model { attrs: item.attrs.clone(), vis: item.vis.clone(), name: item.ident.clone(), fields }
}

/// The paths that a struct's attributes and array lengths use as constants and that are not known.
pub(crate) fn unknown_constants(item: &ItemStruct, constants: &Constants) -> Vec<syn::Path> {
    let mut found = Vec::new();
    for field in &item.fields {
        for attr in field.attrs.iter().filter(|attr| field::helper(attr).is_some()) {
            let silent = Diag::new();
            if attr.path().is_ident(crate::words::CONSTANT) {
                if let Ok(expr) = attr.parse_args::<syn::Expr>() {
                    constant::unknown_paths(&expr, constants, &mut found);
                }
            } else {
                for (_, expr) in super::attr::pairs(&silent, attr).given {
                    constant::unknown_paths(&expr, constants, &mut found);
                }
            }
            silent.dismiss();
        }
        if let Type::Array(array) = &field.ty {
            constant::unknown_paths(&array.len, constants, &mut found);
        }
    }
    found
}

/// The constants that an `impl` block declares with literal values.
pub(crate) fn impl_constants(item: &ItemImpl, constants: &mut Constants) {
    for item in &item.items {
        if let ImplItem::Const(declared) = item
            && let Some(value) = constant::evaluate(&declared.expr, constants)
        {
            constants.insert(declared.ident.to_string(), value);
        }
    }
}

/// The path of the model that the block is for.
pub(crate) fn model_path(diag: &Diag, item: &ItemImpl) -> Option<syn::Path> {
    if let Some((path, _)) = &item.trait_ {
        diag.report(path.span(), &m::TRAIT_IMPL, &[&text(&item.self_ty)]);
        return None;
    }
    if let Some(first) = item.generics.params.first() {
        diag.report(first.span(), &m::GENERIC_MODEL, &[]);
    }
    match &*item.self_ty {
        Type::Path(path) if path.qself.is_none() => {
            let mut path = path.path.clone();
            if let Some(last) = path.segments.last_mut() {
                last.arguments = syn::PathArguments::None;
            }
            Some(path)
        }
        _ => {
            diag.report(item.self_ty.span(), &m::NOT_A_TYPE_NAME, &[]);
            None
        }
    }
}

/// The block; functions that are wrong are reported and left out.
pub(crate) fn model_impl(diag: &Diag, item: &ItemImpl, constants: &Constants) -> ModelImpl {
    let mut functions = Vec::new();
    let mut others = Vec::new();
    for item in &item.items {
        match item {
            ImplItem::Fn(f) if !function::is_ordinary(&f.attrs, &f.sig) => {
                functions.extend(function::function(diag, &f.attrs, &f.vis, &f.sig, &f.block, constants));
            }
            ImplItem::Fn(f) => {
                let mut f = f.clone();
                f.attrs.retain(|attr| !function::is_dynamic(attr));
                others.push(f.into_token_stream());
            }
            other => others.push(other.to_token_stream()),
        }
    }
    ModelImpl { self_ty: item.self_ty.clone(), functions, others }
}
