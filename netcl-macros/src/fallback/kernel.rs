//! The stub of a kernel: everything that can be asked of a sound one.

use super::{plain, result};
use crate::parse::condition::is_condition;
use crate::{recover, simt, words};
use netcl_kernels::dtype::DType;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{FnArg, GenericArgument, ItemFn, PathArguments, ReturnType, Type};

/// The kernel with its signature, and bodies that are never reached.
pub(crate) fn kernel(item: &ItemFn) -> TokenStream {
    kernel_in(item, &item.sig.ident)
}

/// The same with a module of that name.
pub(super) fn kernel_in(item: &ItemFn, module: &Ident) -> TokenStream {
    let item = &simt::with_first_types(item);
    let (vis, name) = (&item.vis, &item.sig.ident);
    let typed = || {
        item.sig.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(typed) => Some(typed),
            FnArg::Receiver(_) => None,
        })
    };
    let in_simt = simt::is_simt(item);
    let is_input = |arg: &&syn::PatType| !in_simt || !simt::is_result(arg) || simt::is_in_place(arg);
    let inputs: Vec<&Type> = typed().filter(is_input).map(|arg| &*arg.ty).collect();
    let types: Vec<TokenStream> = inputs.iter().map(|ty| plain(ty)).collect();
    let results: Vec<&Type> = match &item.sig.output {
        _ if in_simt => typed().filter(|arg| simt::is_result(arg)).map(|arg| &*arg.ty).collect(),
        ReturnType::Type(_, ty) => match &**ty {
            Type::Tuple(tuple) => tuple.elems.iter().collect(),
            one => vec![one],
        },
        ReturnType::Default => Vec::new(),
    };
    let value = if in_simt { tensors(results.len()) } else { result(&item.sig.output) };
    // A type that takes anything has no place in a function pointer, nor has what rustc decides.
    let conditions = typed().filter(is_input).map(|arg| arg.attrs.iter().filter(|attr| is_condition(attr)));
    let conditions: Vec<TokenStream> = conditions.map(|attrs| quote!(#(#attrs)*)).collect();
    if inputs.iter().any(|ty| mentions_unknown(ty)) || conditions.iter().any(|conditions| !conditions.is_empty()) {
        return quote! {
            #[allow(dead_code)]
            #vis fn #name(#(#conditions _: #types),*) -> ::netcl::Result<#value> { ::core::unreachable!() }
        };
    }
    let names: Vec<_> = (0..types.len()).map(|position| format_ident!("__netcl_{position}")).collect();
    let floats = inputs.iter().filter(|ty| may_be_float(ty)).count();
    let cotangents = results.iter().filter(|ty| may_be_float(ty)).count();
    let differentiable = match in_simt {
        true => item.attrs.iter().any(|attr| attr.path().is_ident(words::GRADIENT)),
        false => floats > 0 && (cotangents > 0 || results.is_empty()),
    };
    let pulled: Vec<TokenStream> = (0..cotangents.max(1)).map(|_| quote!(&::netcl::Tensor)).collect();
    let gradients = tensors(floats);
    let vjp = differentiable.then(|| {
        quote! {
            #[allow(clippy::type_complexity)]
            pub fn vjp(
                &self,
                #(#names: #types),*
            ) -> ::netcl::Result<(#value, impl Fn(#(#pulled),*) -> ::netcl::Result<#gradients> + use<>)> {
                let __netcl_pullback = |#(_: #pulled),*| -> ::netcl::Result<#gradients> { ::core::unreachable!() };
                ::core::result::Result::Ok((__netcl_call(#(#names),*)?, __netcl_pullback))
            }
        }
    });
    let check = (differentiable && !in_simt).then(|| {
        quote! {
            pub fn check(&self, #(#names: #types),*) -> ::netcl::Result<::netcl::GradientCheck> {
                ::core::unreachable!()
            }
        }
    });
    quote! {
        #[allow(dead_code, non_upper_case_globals)]
        #vis static #name: #module::Kernel = #module::Kernel(());
        #[doc(hidden)]
        #[allow(dead_code, unused_imports)]
        #vis mod #module {
            use super::*;
            pub struct Kernel(pub(super) ());
            impl ::netcl::__private::OfTensors for Kernel {}
            impl ::core::ops::Deref for Kernel {
                type Target = fn(#(#types),*) -> ::netcl::Result<#value>;
                fn deref(&self) -> &Self::Target {
                    const CALL: fn(#(#types),*) -> ::netcl::Result<#value> = __netcl_call;
                    &CALL
                }
            }
            fn __netcl_call(#(_: #types),*) -> ::netcl::Result<#value> { ::core::unreachable!() }
            impl Kernel {
                pub fn report(&self, _: ::netcl::Target) -> ::netcl::Result<::std::string::String> {
                    ::core::unreachable!()
                }
                pub fn source(&self, _: ::netcl::Target) -> ::netcl::Result<::std::string::String> {
                    ::core::unreachable!()
                }
                pub fn prepare(&self, _: &::netcl::Device) -> ::netcl::Result<()> {
                    ::core::unreachable!()
                }
                #vjp
                #check
            }
        }
    }
}

fn tensors(count: usize) -> TokenStream {
    let each = (0..count).map(|_| quote!(::netcl::Tensor));
    if count < 2 { quote!(::netcl::Tensor) } else { quote!((#(#each),*)) }
}

fn mentions_unknown(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => mentions_unknown(&reference.elem),
        ty => recover::fills_unknown(ty),
    }
}

/// Whether this is a tensor of floats, as far as its type can be read.
fn may_be_float(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => may_be_float(&reference.elem),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| {
            let element = match &last.arguments {
                PathArguments::AngleBracketed(arguments) => arguments.args.first(),
                _ => None,
            };
            let dtype = match element {
                Some(GenericArgument::Type(Type::Path(path))) => {
                    path.path.get_ident().and_then(|name| DType::from_name(&name.to_string()))
                }
                _ => None,
            };
            last.ident == words::TENSOR && dtype.is_none_or(DType::is_float)
        }),
        _ => false,
    }
}
