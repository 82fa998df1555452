//! Stubs for the case that a request for another item's tokens is never answered, because there is no such item: then
//! rustc reports the name that it does not know, and nothing comes of the item that uses it. What else the item would have
//! become takes precedence over these stubs: names over those of a glob import, functions over those of a trait.

use super::{may_be_loss, stub, written};
use crate::ast::{About, ModelImpl};
use crate::parse::model::{block_name, is_parameter};
use crate::parse::{function, gradients};
use crate::paths;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{GenericParam, ImplItem, ItemFn, ItemImpl, Type};

/// A stub of the kernel that its own name hides.
pub(crate) fn kernel(item: &ItemFn) -> TokenStream {
    let (vis, name) = (&item.vis, &item.sig.ident);
    let module = format_ident!("__netcl_unless_{}", name);
    let mut open = item.clone();
    open.vis = syn::parse_quote!(pub);
    // Its module has a name of its own, so that requests wait for the kernel's.
    let stub = super::kernel::kernel_in(&open, &format_ident!("__netcl_unless_kernel_{}", name));
    quote! {
        #[doc(hidden)]
        #[allow(dead_code, unused_imports, unreachable_pub, missing_docs)]
        mod #module {
            use super::*;
            #stub
        }
        #[doc(hidden)]
        #[allow(unused_imports)]
        #vis use #module::*;
    }
}

/// A stub of the struct that its own name hides; one with types as parameters has none.
pub(crate) fn structure(item: &syn::ItemStruct) -> Option<TokenStream> {
    if !item.generics.params.iter().all(|given| matches!(given, GenericParam::Const(_)) && is_parameter(given)) {
        return None;
    }
    let generics = &item.generics;
    let (declared, given, _) = generics.split_for_impl();
    let (vis, name, private) = (&item.vis, &item.ident, paths::private());
    let module = format_ident!("__netcl_unless_{}", name);
    Some(quote! {
        #[doc(hidden)]
        #[allow(
            dead_code, non_snake_case, non_upper_case_globals, unused_imports, unreachable_pub, missing_docs,
            missing_debug_implementations
        )]
        mod #module {
            // For what parameters are by default.
            use super::*;
            pub struct #name #generics(());
            impl #declared #name #given {
                pub fn new(_: &::netcl::Device, _: ::netcl::Seed) -> ::netcl::Result<Self> {
                    ::core::unreachable!()
                }
            }
            impl #declared #private::Part for #name #given {
                type Gradients = ();
                type Fields = ();
                fn part_schema() -> #private::Schema {
                    ::core::unreachable!()
                }
                fn attach(_: &#private::ModelCore, _: &str) -> Self {
                    ::core::unreachable!()
                }
                fn check_in(
                    &self,
                    _: &#private::Whole<'_>,
                    _: &::core::primitive::str,
                    _: ::core::option::Option<::core::primitive::usize>,
                ) -> ::netcl::Result<()> {
                    ::core::unreachable!()
                }
                fn gradients(_: &#private::Gradients, _: &str) {}
            }
        }
        #[doc(hidden)]
        #[allow(unused_imports)]
        #vis use #module::*;
    })
}

/// Stubs of the block's functions that those of the block itself come before. They are there for the module that the
/// block stands in.
pub(crate) fn block(item: &ItemImpl) -> TokenStream {
    let item = &super::without_parameters(item);
    let Type::Path(path) = &*item.self_ty else { return TokenStream::new() };
    let Some(model) = path.path.segments.last() else { return TokenStream::new() };
    let compiled = || {
        item.items.iter().filter_map(|item| match item {
            ImplItem::Fn(f) if !function::is_ordinary(&f.attrs, &f.sig) => Some(f),
            _ => None,
        })
    };
    let Some(first) = compiled().next() else { return TokenStream::new() };
    // A model can have several blocks, and each of them a function of that name, which is said.
    let further = block_name(item).map(|name| name.to_string()).unwrap_or_default();
    let name = format_ident!("__NetclUnless{}{}{}", model.ident, further, first.sig.ident);
    let private = paths::private();
    let own = quote!(<Self as #private::Part>::Gradients);
    let inherited = syn::Visibility::Inherited;
    let mut names = super::generated(item);
    let functions = compiled().filter(|f| names.insert(f.sig.ident.to_string())).map(|f| {
        let sig = nameless(&f.sig);
        let plain = stub(&inherited, &sig, &sig.ident, None);
        let with = || {
            let name = format_ident!("{}_with_gradients", f.sig.ident);
            let part = quote!(where Self: #private::Part);
            let also = (0..gradients::count(&f.attrs)).map(|_| quote!(, ::netcl::Tensor));
            super::stub_where(&inherited, &sig, &name, Some(&quote!(#own #(#also)*)), &part)
        };
        let with = may_be_loss(&f.sig).then(with);
        quote!(#plain #with)
    });
    let about = ModelImpl::about(block_name(item).as_ref()).into_iter().filter(|about| !written(item, &about.name));
    let about = about.map(|About { name, signature }| quote!(fn #name #signature { ::core::unreachable!() }));
    let ((params, _, bounds), ty) = (item.generics.split_for_impl(), &item.self_ty);
    quote! {
        #[doc(hidden)]
        #[allow(dead_code, unused_variables, non_camel_case_types, clippy::all)]
        trait #name {
            #(#functions)*
            #(#about)*
        }
        #[automatically_derived]
        impl #params #name for #ty #bounds {}
    }
}

/// The signature without names of arguments, which may be those of kernels: no variable hides a static.
fn nameless(sig: &syn::Signature) -> syn::Signature {
    let mut sig = sig.clone();
    for input in &mut sig.inputs {
        if let syn::FnArg::Typed(typed) = input {
            *typed.pat = syn::parse_quote!(_);
        }
    }
    sig
}
