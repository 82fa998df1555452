//! What is emitted where something is wrong: the user's item without our attributes, and stubs of what would have been
//! generated, so that nothing else in the file turns red.

mod kernel;

pub(crate) use kernel::kernel;

use crate::parse::function;
use crate::{paths, recover};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, FnArg, ImplItem, ItemImpl, Pat, ReturnType, Signature, Type, Visibility};

/// The block with stubs for the functions that would have been compiled.
pub(crate) fn implementation(item: &ItemImpl) -> TokenStream {
    let (attrs, generics, ty) = (&item.attrs, &item.generics, &item.self_ty);
    let bounds = &generics.where_clause;
    let gradients = match &**ty {
        Type::Path(path) => path.path.segments.last().map(|last| {
            let (name, given) = (paths::gradients(&last.ident), &last.arguments);
            let mut path = path.clone();
            path.path.segments.pop();
            let module = path.path.segments;
            let leading = path.path.leading_colon;
            quote!(#leading #module #name #given)
        }),
        _ => None,
    };
    let items = item.items.iter().map(|item| match item {
        ImplItem::Fn(f) if !function::is_ordinary(&f.attrs, &f.sig) => {
            let mut stubs = stub(&f.vis, &f.sig, &f.sig.ident, None);
            if let Some(gradients) = &gradients {
                let name = format_ident!("{}_with_gradients", f.sig.ident);
                stubs.extend(stub(&f.vis, &f.sig, &name, Some(gradients)));
            }
            stubs
        }
        ImplItem::Fn(f) if f.attrs.iter().any(recover::is_half_typed) => ordinary(&f.attrs, &f.vis, &f.sig),
        ImplItem::Fn(f) => {
            let mut f = f.clone();
            f.attrs.retain(|attr| !function::is_dynamic(attr));
            quote!(#f)
        }
        other => quote!(#other),
    });
    let trait_ = item.trait_.as_ref().map(|(path, token)| quote!(#path #token));
    // A block that implements a trait has no functions of its own; one that the user wrote has been reported.
    let written = |name: &&str| item.items.iter().any(|item| matches!(item, ImplItem::Fn(f) if f.sig.ident == name));
    let about = ["report", "kernels"].into_iter().filter(|name| item.trait_.is_none() && !written(name)).map(|name| {
        let name = format_ident!("{}", name);
        quote! {
            pub fn #name(target: ::netcl::Target) -> ::netcl::Result<::std::string::String> { ::core::unreachable!() }
        }
    });
    quote! {
        #(#attrs)*
        #[allow(dead_code, unused_variables)]
        impl #generics #trait_ #ty #bounds { #(#items)* #(#about)* }
    }
}

/// A half-typed function of plain Rust: what is known of its signature, and no body.
pub(crate) fn ordinary(attrs: &[Attribute], vis: &Visibility, sig: &Signature) -> TokenStream {
    let attrs = attrs.iter().filter(|attr| !recover::is_half_typed(attr) && !function::is_dynamic(attr));
    let mut sig = sig.clone();
    for input in &mut sig.inputs {
        if let FnArg::Typed(typed) = input
            && recover::fills_unknown(&typed.ty)
        {
            *typed.ty = syn::parse_quote!(impl ::core::marker::Sized);
        }
    }
    quote! { #(#attrs)* #[allow(dead_code, unused_variables)] #vis #sig { ::core::unreachable!() } }
}

/// `name` with the signature's arguments and no body to speak of.
fn stub(vis: &Visibility, sig: &Signature, name: &Ident, gradients: Option<&TokenStream>) -> TokenStream {
    let mut names = std::collections::BTreeSet::new();
    let args = sig.inputs.iter().map(|input| match input {
        FnArg::Receiver(_) => quote!(&self),
        FnArg::Typed(typed) => {
            let pattern = match &*typed.pat {
                Pat::Ident(ident) if names.insert(ident.ident.to_string()) => ident.ident.to_token_stream(),
                _ => quote!(_),
            };
            let ty = plain(&typed.ty);
            quote!(#pattern: #ty)
        }
    });
    let result = result(&sig.output);
    let result = match gradients {
        Some(gradients) => quote!((#result, #gradients)),
        None => result,
    };
    quote! { #vis fn #name(#(#args),*) -> ::netcl::Result<#result> { ::core::unreachable!() } }
}

/// What a function gives whose result is written so.
fn result(output: &ReturnType) -> TokenStream {
    match output {
        ReturnType::Default => quote!(::netcl::Tensor),
        ReturnType::Type(_, ty) => plain(ty),
    }
}

/// The type with every `Tensor<..>` as netcl's own. Where it could not be parsed, an argument takes anything.
fn plain(ty: &Type) -> TokenStream {
    match ty {
        Type::Reference(reference) => {
            let inner = plain(&reference.elem);
            quote!(&#inner)
        }
        Type::Tuple(tuple) => {
            let each = tuple.elems.iter().map(plain);
            quote!((#(#each,)*))
        }
        Type::Path(path) => match path.path.segments.last() {
            Some(last) if last.ident == crate::words::TENSOR => quote!(::netcl::Tensor),
            _ if recover::fills_unknown(ty) => quote!(impl ::core::marker::Sized),
            _ => quote!(#ty),
        },
        other => quote!(#other),
    }
}
