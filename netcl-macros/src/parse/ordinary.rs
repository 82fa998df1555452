//! Functions of a model's block whose signatures show that they are ordinary Rust, such as one that trains the model: nothing in them can
//! be compiled, so that each is spoken of once, and what it contains is not.

use super::{compiled, function, mode, parts, text};
use crate::diag::Diag;
use crate::messages as m;
use crate::{recover, words};
use quote::{ToTokens, format_ident};
use syn::visit::{self, Visit};
use syn::{
    FnArg, GenericArgument, ImplItem, ImplItemFn, ItemImpl, PathArguments, ReceiverKind, ReturnType, Signature, Type,
};

/// Rule: functions of a block are compiled. Wrong: `fn train(&mut self, optimizer: &mut Adam, x: &Tensor) -> Result<f32>`.
///
/// Each is marked as half-typed, of plain Rust: only its signature stays.
pub(crate) fn reported(diag: &Diag, block: &mut ItemImpl) {
    let compiled = compiled::names(block);
    let parameters = &block.generics.params;
    let header = if parameters.is_empty() { String::new() } else { format!("<{}>", text(parameters)) };
    let header = format!("impl{header} {}", text(&block.self_ty));
    for item in &mut block.items {
        let ImplItem::Fn(f) = item else { continue };
        if function::is_ordinary(&f.attrs, &f.sig) || f.attrs.iter().any(recover::is_half_typed) {
            continue;
        }
        let signs = signs(&f.sig);
        let Some(found) = signs.first() else { continue };
        // One alone may be a slip in a function that is meant to be compiled, of which the layers in its body tell.
        if signs.len() == 1 && compiled::uses_layers(f, &compiled) {
            continue;
        }
        let way = match (f.attrs.iter().any(mode::is_dynamic), function::is_sized(&f.sig)) {
            (true, _) => ", or keep `#[netcl::dynamic]` above it; either way its tensors have no sizes: `&Tensor`",
            (false, true) => ", or write `#[netcl::dynamic]` above it; either way its tensors have no sizes: `&Tensor`",
            (false, false) => ", or write `#[netcl::dynamic]` above it",
        };
        diag.report(f.sig.ident.span(), &m::ORDINARY_RUST, &[&f.sig.ident, found, &header, &way]);
        leave_signature(f);
    }
}

/// What in the signature only ordinary Rust has.
fn signs(sig: &Signature) -> Vec<String> {
    let mut signs = Vec::new();
    for input in &sig.inputs {
        match input {
            FnArg::Receiver(given) if matches!(given.kind, ReceiverKind::Reference(_, _, Some(_))) => {
                signs.push(format!("takes `{}`", text(given)));
            }
            FnArg::Typed(typed) if is_changed(&typed.ty) => signs.push(format!("takes `{}`", text(&typed.ty))),
            _ => {}
        }
    }
    if let ReturnType::Type(_, ty) = &sig.output
        && let Some(given) = of_result(ty)
        && !is_wrapped(given, sig)
    {
        signs.push(format!("returns `{}`", text(ty)));
    }
    signs
}

/// Whether something is changed by this argument that is no tensor: of those that are it is said that they are results.
fn is_changed(ty: &Type) -> bool {
    match ty {
        Type::Paren(inner) => is_changed(&inner.elem),
        Type::Group(inner) => is_changed(&inner.elem),
        Type::Reference(of) => {
            of.mutability.is_some() && !function::mentions(of.elem.to_token_stream(), &|name| name == words::TENSOR)
        }
        _ => false,
    }
}

/// Whether it is what a compiled function returns, which has only been put into a `Result`.
fn is_wrapped(ty: Option<&Type>, sig: &Signature) -> bool {
    let Some(ty) = ty else { return false };
    function::has_sizes(ty.to_token_stream()) || function::is_sized(sig) && parts::is_of_structs(ty)
}

/// Of a `Result` what it is of, if that is said.
fn of_result(ty: &Type) -> Option<Option<&Type>> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Result")?;
    let PathArguments::AngleBracketed(given) = &last.arguments else { return Some(None) };
    Some(given.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }))
}

/// Leaves only the signature, as those who call the function understand it.
fn leave_signature(f: &mut ImplItemFn) {
    struct Tries(bool);
    impl<'a> Visit<'a> for Tries {
        fn visit_expr_try(&mut self, _: &'a syn::ExprTry) {
            self.0 = true;
        }
    }
    let mut tries = Tries(false);
    visit::visit_block(&mut tries, &f.block);
    // A body with `?` is meant to fail, whatever is written behind `->`: what is compiled becomes a `Result`.
    f.sig.output = match &f.sig.output {
        ReturnType::Type(_, ty) if tries.0 && of_result(ty).is_none() => syn::parse_quote!(-> ::netcl::Result<#ty>),
        ReturnType::Default if tries.0 => syn::parse_quote!(-> ::netcl::Result<()>),
        other => other.clone(),
    };
    f.block = syn::parse_quote!({});
    f.attrs.retain(|attr| !function::is_helper(attr) && !attr.path().is_ident(words::TYPES));
    for mark in [words::HALF_TYPED, words::OF_RUST] {
        let mark = format_ident!("{mark}");
        f.attrs.push(syn::parse_quote!(#[#mark]));
    }
}
