//! What is emitted where something is wrong: the user's item without our attributes, and stubs of what would have been
//! generated, so that nothing else in the file turns red.

use crate::parse::{field, function};
use crate::paths;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{FnArg, ImplItem, ItemImpl, ItemStruct, Pat, ReturnType, Signature, Type};

/// The struct with its traits, which nobody can construct.
pub(crate) fn structure(item: &ItemStruct) -> TokenStream {
    let (attrs, vis, name) = (&item.attrs, &item.vis, &item.ident);
    let gradients = paths::gradients(name);
    let private = paths::private();
    let generics = crate::parse::model::sizes_only(&item.generics);
    let (params, given, bounds) = generics.split_for_impl();
    // Layers are no types of their own and tensors have no parameters: the fields cannot stand as they are.
    let kept =
        item.fields.iter().filter(|field| field.attrs.iter().any(|attr| field::helper(attr) == Some("constant")));
    let kept = kept.map(|field| {
        let (name, ty) = (&field.ident, &field.ty);
        quote!(#[allow(dead_code)] #name: #ty,)
    });
    quote! {
        #(#attrs)*
        #[allow(dead_code)]
        #vis struct #name #generics #bounds { #(#kept)* __netcl: #private::ModelCore }
        #[doc(hidden)]
        #[allow(dead_code)]
        #vis struct #gradients #generics (#private::Gradients);
        #[automatically_derived]
        impl #params ::core::ops::Deref for #gradients #given #bounds {
            type Target = #private::Gradients;
            fn deref(&self) -> &#private::Gradients { &self.0 }
        }
        #[automatically_derived]
        impl #params ::netcl::Model for #name #given #bounds {
            fn schema() -> #private::Schema { ::core::unreachable!() }
            fn core(&self) -> &#private::ModelCore { &self.__netcl }
            fn core_mut(&mut self) -> &mut #private::ModelCore { &mut self.__netcl }
        }
        #[automatically_derived]
        #[allow(dead_code, unused_variables)]
        impl #params #name #given #bounds {
            #vis fn new(device: &::netcl::Device, seed: ::netcl::Seed) -> ::netcl::Result<Self> { ::core::unreachable!() }
        }
        #[automatically_derived]
        #[allow(unused_variables)]
        impl #params #private::Part for #name #given #bounds {
            type Gradients = #gradients #given;
            fn attach(core: &#private::ModelCore, prefix: &str) -> Self { ::core::unreachable!() }
            fn gradients(all: &#private::Gradients, prefix: &str) -> #gradients #given { ::core::unreachable!() }
        }
    }
}

/// The block with stubs for the functions that would have been compiled.
pub(crate) fn implementation(item: &ItemImpl) -> TokenStream {
    let (attrs, generics, ty) = (&item.attrs, &item.generics, &item.self_ty);
    let gradients = match &**ty {
        Type::Path(path) => path.path.segments.last().map(|last| {
            let (name, given) = (paths::gradients(&last.ident), &last.arguments);
            quote!(#name #given)
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
    let about = [
        ("report", quote!((target: ::netcl::Target) -> ::netcl::Result<::std::string::String>)),
        ("kernels", quote!((target: ::netcl::Target) -> ::netcl::Result<::std::string::String>)),
        ("prepare", quote!((device: &::netcl::Device) -> ::netcl::Result<()>)),
        (
            "tune",
            quote! {
                (
                    device: &::netcl::Device,
                    sizes: &[(&::core::primitive::str, ::core::primitive::u64)],
                    options: &::netcl::select::TuneOptions<'_>,
                ) -> ::netcl::Result<::std::vec::Vec<::netcl::select::Tuning>>
            },
        ),
    ];
    let about =
        about.into_iter().filter(|(name, _)| item.trait_.is_none() && !written(name)).map(|(name, signature)| {
            let name = format_ident!("{}", name);
            quote!(pub fn #name #signature { ::core::unreachable!() })
        });
    quote! { #(#attrs)* #[allow(dead_code, unused_variables)] impl #generics #trait_ #ty { #(#items)* #(#about)* } }
}

/// `name` with the signature's arguments and no body to speak of.
pub(crate) fn stub(
    vis: &syn::Visibility,
    sig: &Signature,
    name: &Ident,
    gradients: Option<&TokenStream>,
) -> TokenStream {
    let mut names = std::collections::BTreeSet::new();
    let args = sig.inputs.iter().map(|input| match input {
        FnArg::Receiver(_) => quote!(&self),
        FnArg::Typed(typed) => {
            let pattern = match &*typed.pat {
                Pat::Ident(ident) if names.insert(ident.ident.to_string()) => {
                    let ident = &ident.ident;
                    quote!(#ident)
                }
                _ => quote!(_),
            };
            let ty = plain(&typed.ty);
            quote!(#pattern: #ty)
        }
    });
    let result = match &sig.output {
        ReturnType::Default => quote!(::netcl::Tensor),
        ReturnType::Type(_, ty) => plain(ty),
    };
    let result = match gradients {
        Some(gradients) => quote!((#result, #gradients)),
        None => result,
    };
    quote! { #vis fn #name(#(#args),*) -> ::netcl::Result<#result> { ::core::unreachable!() } }
}

/// A SIMT-form kernel as a function of its inputs.
pub(crate) fn simt(item: &syn::ItemFn) -> TokenStream {
    let (vis, name) = (&item.vis, &item.sig.ident);
    let mut results = 0usize;
    let mut names = std::collections::BTreeSet::new();
    let args: Vec<TokenStream> = item
        .sig
        .inputs
        .iter()
        .filter_map(|input| match input {
            FnArg::Typed(typed) => match &*typed.ty {
                Type::Reference(reference) if reference.mutability.is_some() => {
                    results += 1;
                    None
                }
                ty => {
                    let ty = plain(ty);
                    match &*typed.pat {
                        Pat::Ident(ident) if names.insert(ident.ident.to_string()) => {
                            let ident = &ident.ident;
                            Some(quote!(#ident: #ty))
                        }
                        _ => Some(quote!(_: #ty)),
                    }
                }
            },
            FnArg::Receiver(_) => None,
        })
        .collect();
    let result = match results {
        0 | 1 => quote!(::netcl::Tensor),
        many => {
            let each = (0..many).map(|_| quote!(::netcl::Tensor));
            quote!((#(#each),*))
        }
    };
    quote! {
        #[allow(dead_code, unused_variables)]
        #vis fn #name(#(#args),*) -> ::netcl::Result<#result> { ::core::unreachable!() }
    }
}

/// The type with every `Tensor<..>` as netcl's own.
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
            _ => quote!(#ty),
        },
        other => quote!(#other),
    }
}
