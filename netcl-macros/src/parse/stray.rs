//! Attributes where they mean nothing, and parameters of models that lack their `const`: said where they stand, and mended as
//! they are meant, so that rustc has nothing to say of them.

use super::{function, mode, text};
use crate::diag::Diag;
use crate::messages as m;
use crate::words;
use quote::{ToTokens, format_ident};
use syn::spanned::Spanned;
use syn::{Attribute, GenericArgument, GenericParam, Generics, ItemImpl, PathArguments, Type};

/// What an attribute stands above.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The struct of a model.
    Model,
    /// A function of a model.
    Method,
    /// A `#[netcl::function]`.
    Function,
    /// What stands in the body of any of them.
    Inside,
}

/// Rule: each of netcl's attributes has its place. Wrong: `#[frozen] pub fn forward(&self, ..)`.
pub(crate) fn attributes(diag: &Diag, attrs: &mut Vec<Attribute>, place: Place) {
    attrs.retain(|attr| {
        let name = text(attr.path());
        let elsewhere = elsewhere(&name, place);
        if let Some(instead) = elsewhere {
            diag.report(attr.path().span(), &m::STRAY_ATTRIBUTE, &[&name, &instead]);
        }
        elsewhere.is_none()
    });
}

/// Where an attribute of netcl's stands that does not stand in this place.
fn elsewhere(name: &str, place: Place) -> Option<&'static str> {
    let of_functions = words::FUNCTION_ATTRIBUTES.contains(&name) || name == words::TYPES;
    Some(match name {
        name if words::FIELD_ATTRIBUTES.contains(&name) => "above a field of a model's struct",
        // On a function of a model, the gradients of a loss are meant.
        "gradient" if place == Place::Method => return None,
        "launch" | "opencl" | "gradient" => "above a kernel in SIMT form, in `kernel! { .. }`",
        _ if of_functions && matches!(place, Place::Model | Place::Inside) => {
            "above a function of the model, in its `impl` block"
        }
        "netcl::constant" if place == Place::Inside => "above a `const` outside of functions",
        name if place == Place::Inside && name.starts_with("netcl::") => "above an item, outside of functions",
        _ => return None,
    })
}

/// The same of what stands inside of a function, where attributes of others mean nothing either.
pub(super) fn inside(diag: &Diag, attr: &Attribute) {
    let name = text(attr.path());
    match elsewhere(&name, Place::Inside) {
        Some(instead) => diag.report(attr.path().span(), &m::STRAY_ATTRIBUTE, &[&name, &instead]),
        None => diag.report(attr.path().span(), &m::INSIDE_ATTRIBUTE, &[&name]),
    }
}

/// The same of a model's block, and of what its functions are marked with. What nobody would see, because the block is compiled, is said.
pub(crate) fn of_block(diag: &Diag, block: &mut ItemImpl) {
    block.attrs.retain(|attr| {
        let name = text(attr.path());
        let of_functions = words::FUNCTION_ATTRIBUTES.contains(&name.as_str())
            || [words::GRADIENTS, words::TYPES].contains(&name.as_str())
            || mode::is_dynamic(attr);
        let instead = match name.as_str() {
            _ if attr.path().is_ident(words::NAMED_BLOCK) || super::attr::is_rust_attribute(attr) => return true,
            _ if of_functions => "above each function of the block that it is for",
            name if words::FIELD_ATTRIBUTES.contains(&name) => "above a field of a model's struct",
            "launch" | "opencl" | "gradient" => "above a kernel in SIMT form, in `kernel! { .. }`",
            _ => {
                diag.report(attr.path().span(), &m::BLOCK_ATTRIBUTE, &[&name]);
                return false;
            }
        };
        diag.report(attr.path().span(), &m::STRAY_ATTRIBUTE, &[&name, &instead]);
        false
    });
    // `Module` is what every model is: its functions are the model's own.
    if let Some((path, _)) = block.trait_.take_if(|(path, _)| path.is_ident("Module") || path.is_ident("Model")) {
        diag.report(path.span(), &m::TRAIT_IMPL, &[&text(&block.self_ty)]);
    }
    for item in &mut block.items {
        let syn::ImplItem::Fn(f) = item else { continue };
        attributes(diag, &mut f.attrs, Place::Method);
    }
}

/// The further block without the functions that the model's first block has, `main`, and what is said of these.
pub(crate) fn without_twice(mut item: ItemImpl, main: &crate::ast::Unit) -> (ItemImpl, Diag) {
    let diag = Diag::new();
    item.items.retain(|item| match item {
        syn::ImplItem::Fn(f) if main.functions.iter().any(|known| known.name == f.sig.ident) => {
            diag.report(f.sig.ident.span(), &m::DUPLICATE_FUNCTION, &[&f.sig.ident, &", in the model's first block"]);
            false
        }
        _ => true,
    });
    (item, diag)
}

/// Rule: a parameter that is a size has a `const`. Wrong: `struct Block<I: usize>`.
pub(crate) fn sizes(diag: &Diag, generics: &mut Generics) {
    for parameter in &mut generics.params {
        let GenericParam::Type(given) = parameter else { continue };
        if given.bounds.len() == 1 && given.bounds.to_token_stream().to_string() == "usize" {
            let name = given.ident.clone();
            diag.report(given.span(), &m::SIZE_WITHOUT_CONST, &[&name, &name]);
            *parameter = GenericParam::Const(syn::parse_quote!(const #name: usize));
        }
    }
}

/// Rule: the names behind a block's model are declared. Wrong: `impl Block<I> { .. }`.
pub(crate) fn undeclared(diag: &Diag, block: &mut ItemImpl) {
    let Type::Path(path) = &*block.self_ty else { return };
    let Some(last) = path.path.segments.last() else { return };
    let PathArguments::AngleBracketed(given) = &last.arguments else { return };
    let declared: Vec<String> = block
        .generics
        .params
        .iter()
        .map(|parameter| match parameter {
            GenericParam::Type(given) => given.ident.to_string(),
            GenericParam::Const(given) => given.ident.to_string(),
            GenericParam::Lifetime(given) => given.lifetime.to_string(),
        })
        .collect();
    let mut missing = Vec::new();
    for argument in &given.args {
        let GenericArgument::Type(Type::Path(name)) = argument else { continue };
        let Some(name) = name.path.get_ident() else { continue };
        let one_letter = name.to_string().chars().all(char::is_uppercase) && name.to_string().len() == 1;
        if one_letter && !declared.contains(&name.to_string()) && !missing.contains(name) {
            missing.push(name.clone());
        }
    }
    let Some(first) = missing.first() else { return };
    // A name among the sizes of a tensor is one.
    let sizes = |name: &proc_macro2::Ident| {
        let is = format_ident!("{}", name);
        block.items.iter().any(|item| match item {
            syn::ImplItem::Fn(f) => names_size(&f.sig.to_token_stream(), &is),
            _ => false,
        })
    };
    let parameters: Vec<GenericParam> = missing
        .iter()
        .map(|name| match sizes(name) {
            true => GenericParam::Const(syn::parse_quote!(const #name: usize)),
            false => GenericParam::Type(syn::parse_quote!(#name)),
        })
        .collect();
    let mut all = block.generics.params.clone();
    all.extend(parameters.clone());
    let header = format!("impl<{}> {}", text(&all), text(&block.self_ty));
    diag.report(first.span(), &m::BLOCK_PARAMETER, &[first, &header]);
    block.generics.params = all;
    block.generics.lt_token.get_or_insert_default();
    block.generics.gt_token.get_or_insert_default();
}

/// Whether the name stands in the tokens behind `Tensor`.
fn names_size(tokens: &proc_macro2::TokenStream, name: &proc_macro2::Ident) -> bool {
    let mut of_tensor = false;
    tokens.clone().into_iter().any(|token| match token {
        proc_macro2::TokenTree::Ident(ident) if ident == words::TENSOR => {
            of_tensor = true;
            false
        }
        proc_macro2::TokenTree::Ident(ident) => of_tensor && ident == *name,
        proc_macro2::TokenTree::Punct(punct) if punct.as_char() == '>' => {
            of_tensor = false;
            false
        }
        proc_macro2::TokenTree::Group(group) => {
            of_tensor && function::mentions(group.stream(), &|ident| ident == name) || names_size(&group.stream(), name)
        }
        _ => false,
    })
}
