//! The element types that a kernel is compiled for: `#[types(T = [f32, f16])]`.

use super::signature::is_in_place;
use crate::diag::Diag;
use crate::messages as m;
use crate::parse::text;
use crate::words;
use netcl_kernels::dtype::DType;
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::quote;
use syn::spanned::Spanned;
use syn::{Expr, FnArg, GenericParam, ItemFn, MetaNameValue, Pat, Token, Type, punctuated::Punctuated};

/// The function for each choice of its element types (`#[types(T = [f32, f16])]`), with what chooses it: the types of
/// the first arguments that name them.
pub(crate) fn instances(diag: &Diag, item: &ItemFn) -> Vec<(ItemFn, Vec<(TokenStream, bool)>)> {
    let mut given = item.attrs.iter().filter(|attr| attr.path().is_ident(words::TYPES));
    let Some(attr) = given.next() else {
        return vec![(item.clone(), Vec::new())];
    };
    if let Some(second) = given.next() {
        diag.report(second.path().span(), &m::DUPLICATE_ATTRIBUTE, &[&words::TYPES, &m::JOINED]);
        return Vec::new();
    }
    let pairs = match attr.parse_args_with(Punctuated::<MetaNameValue, Token![,]>::parse_terminated) {
        Ok(pairs) => pairs,
        Err(error) => {
            diag.in_attribute(&error, attr, "T = [f32, f16]");
            return Vec::new();
        }
    };
    let names: Vec<&Ident> = pairs.iter().filter_map(|pair| pair.path.get_ident()).collect();
    let Some(item) = undeclared(diag, item, &names) else { return Vec::new() };
    let mut all = vec![(item.clone(), Vec::new())];
    for pair in &pairs {
        let (Some(name), Some(types)) = (pair.path.get_ident(), listed(pair)) else {
            match unknown(pair) {
                Some(ty) => {
                    diag.report(ty.span(), &m::UNKNOWN_DTYPE, &[&text(ty), &crate::parse::types::near_type(&text(ty))])
                }
                None => diag.report(pair.value.span(), &m::SIMT_TYPE_LIST, &[]),
            };
            return Vec::new();
        };
        if let Some(twice) = (1..types.len()).find(|at| types[..*at].contains(&types[*at])) {
            diag.report(pair.value.span(), &m::SIMT_TYPE_TWICE, &[&types[twice]]);
            return Vec::new();
        }
        if DType::from_name(&crate::parse::name(name)).is_some() {
            diag.report(name.span(), &m::SIMT_TYPE_NAME, &[&name]);
            return Vec::new();
        }
        let Some(argument) = argument_of(&item, name) else {
            diag.report(name.span(), &m::SIMT_TYPE_UNTOLD, &[&name, &name]);
            return Vec::new();
        };
        let scalars = types.iter().map(|dtype| dtype.compute());
        if let Some(other) = scalars.clone().find(|dtype| *dtype != types[0].compute())
            && let Some((scalar, span)) = scalars_of(&item, name).next()
        {
            let first = types[0].compute();
            diag.report(span, &m::SIMT_SCALAR_TYPE, &[&scalar, &first, &other, &name, &first, &name]);
            return Vec::new();
        }
        let mut chosen = Vec::new();
        for (item, decisions) in all {
            for (position, dtype) in types.iter().enumerate() {
                let item = with_scalars(&item, name, *dtype);
                let Ok(instance) = syn::parse2(replaced(quote!(#item), name, *dtype)) else { continue };
                let mut own: Vec<(TokenStream, bool)> = decisions.clone();
                // That of the last as well: where none fits, all are named.
                for (other, dtype) in types.iter().enumerate().take(position + 1) {
                    let dtype = crate::expand::dtype(*dtype);
                    own.push((quote!((#argument.dtype() == #dtype)), other == position));
                }
                chosen.push((instance, own));
            }
        }
        all = chosen;
    }
    all
}

/// The function without the declarations of those of its type parameters, `fn forward<T>(..)`, that `#[types]` tells.
fn undeclared(diag: &Diag, item: &ItemFn, told: &[&Ident]) -> Option<ItemFn> {
    let generics = &item.sig.generics;
    let is_told = |parameter: &GenericParam| match parameter {
        GenericParam::Type(parameter) => told.contains(&&parameter.ident),
        _ => false,
    };
    let bounded = generics.params.iter().find_map(|parameter| match parameter {
        GenericParam::Type(given) if is_told(parameter) && !given.bounds.is_empty() => Some(given),
        _ => None,
    });
    if let Some(given) = bounded {
        diag.report(given.bounds.span(), &m::TYPES_BOUND, &[&given.ident, &given.ident]);
        return None;
    }
    let mut item = item.clone();
    item.sig.generics.params = generics.params.iter().filter(|parameter| !is_told(parameter)).cloned().collect();
    Some(item)
}

/// The element types of `T = [f32, f16]`.
fn listed(pair: &MetaNameValue) -> Option<Vec<DType>> {
    let Expr::Array(list) = &pair.value else { return None };
    let types: Vec<DType> = list.elems.iter().map(|ty| DType::from_name(&text(ty))).collect::<Option<_>>()?;
    (!types.is_empty()).then_some(types)
}

/// The first in the list that is no element type.
fn unknown(pair: &MetaNameValue) -> Option<&Expr> {
    let Expr::Array(list) = &pair.value else { return None };
    list.elems.iter().find(|ty| DType::from_name(&text(ty)).is_none())
}

/// The function with the first choice of each element type where scalars are of that type.
pub(crate) fn with_first_types(item: &ItemFn) -> ItemFn {
    let (mut chosen, silent) = (item.clone(), Diag::new());
    for attr in item.attrs.iter().filter(|attr| attr.path().is_ident(words::TYPES)) {
        let pairs = attr.parse_args_with(Punctuated::<MetaNameValue, Token![,]>::parse_terminated);
        for pair in pairs.into_iter().flatten() {
            if let (Some(name), Some(types)) = (pair.path.get_ident(), listed(&pair)) {
                chosen = undeclared(&silent, &chosen, &[name]).unwrap_or(chosen);
                chosen = with_scalars(&chosen, name, types[0]);
            }
        }
    }
    silent.dismiss();
    chosen
}

/// The first input whose elements are of the type `name`.
fn argument_of(item: &ItemFn, name: &Ident) -> Option<Ident> {
    item.sig.inputs.iter().find_map(|input| match input {
        FnArg::Typed(typed) => match (&*typed.ty, &*typed.pat) {
            (Type::Reference(reference), Pat::Ident(argument)) if reference.mutability.is_none() => {
                text(&reference.elem).contains(&format!("<{name}")).then(|| argument.ident.clone())
            }
            (ty, Pat::Ident(argument)) if is_in_place(typed) => {
                text(ty).contains(&format!("<{name}")).then(|| argument.ident.clone())
            }
            _ => None,
        },
        FnArg::Receiver(_) => None,
    })
}

/// The scalars of type `name`, and where that type is written.
fn scalars_of(item: &ItemFn, name: &Ident) -> impl Iterator<Item = (String, Span)> {
    item.sig.inputs.iter().filter_map(move |input| match input {
        FnArg::Typed(typed) => match (&*typed.ty, &*typed.pat) {
            (Type::Path(path), Pat::Ident(argument)) if path.path.is_ident(name) => {
                Some((crate::parse::name(&argument.ident), typed.ty.span()))
            }
            _ => None,
        },
        FnArg::Receiver(_) => None,
    })
}

/// The function, whose scalars of type `name` are what a kernel computes with: half precision only stores.
fn with_scalars(item: &ItemFn, name: &Ident, dtype: DType) -> ItemFn {
    let mut item = item.clone();
    for input in &mut item.sig.inputs {
        if let FnArg::Typed(typed) = input
            && let Type::Path(path) = &mut *typed.ty
            && path.path.is_ident(name)
        {
            path.path = Ident::new(dtype.compute().name(), name.span()).into();
        }
    }
    item
}

/// The tokens with `name` as the type `dtype`.
fn replaced(tokens: TokenStream, name: &Ident, dtype: DType) -> TokenStream {
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Ident(ident) if ident == *name => Ident::new(dtype.name(), ident.span()).into(),
            TokenTree::Group(group) => {
                let mut same = Group::new(group.delimiter(), replaced(group.stream(), name, dtype));
                same.set_span(group.span());
                TokenTree::Group(same)
            }
            other => other,
        })
        .collect()
}
