//! A SIMT-form kernel as a value that is called, with the hand-given pullback where there is one.

use super::functions::unpack;
use super::source::{self, Planned};
use crate::ast::ArgType;
use crate::compile::Compiled;
use crate::parse::attr::of_functions;
use crate::simt::{Lowered, Signature, shim};
use crate::{dump, paths};
use netcl_kernels::dtype::DType;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// The kernel for one choice of its element types.
pub(crate) struct Instance {
    pub(crate) signature: Signature,
    pub(crate) lowered: Lowered,
    /// Which types of the arguments choose it.
    pub(crate) decisions: Vec<(TokenStream, bool)>,
    pub(crate) plans: Vec<Compiled>,
}

/// The kernel's static, its type and its functions.
pub(crate) fn kernel(instances: Vec<Instance>) -> TokenStream {
    let checks: Vec<TokenStream> =
        instances.iter().map(|instance| shim(&instance.signature, &instance.lowered)).collect();
    let mut planned = Vec::new();
    let mut first = None;
    for instance in instances {
        dump::plans(&crate::parse::name(&instance.signature.name), &instance.plans);
        // Nothing but its own text computes it.
        planned.push(Planned { decisions: instance.decisions, graph: String::new(), plans: instance.plans });
        first.get_or_insert(instance.signature);
    }
    let Some(signature) = first else { return TokenStream::new() };
    let (vis, name) = (&signature.vis, &signature.name);
    let (on_call, attrs) = of_functions(&signature.attrs);
    let inputs: Vec<_> = signature.args.iter().filter(|arg| arg.result.is_none()).collect();
    let names: Vec<_> = inputs.iter().map(|arg| &arg.name).collect();
    let types: Vec<TokenStream> = inputs
        .iter()
        .map(|arg| match &arg.ty {
            ArgType::Scalar(dtype) => {
                let ty = format_ident!("{}", dtype.name());
                quote!(#ty)
            }
            _ => quote!(&::netcl::Tensor),
        })
        .collect();
    let tuple = signature.results.len() > 1;
    let result = tensors(signature.results.len());
    let private = paths::private();
    let given: Vec<_> = signature.inputs().map(|(name, _)| name).collect();
    let scalars = signature.scalars().map(|(name, dtype)| match dtype {
        DType::I32 => quote!(#private::Scalar::I32(#name)),
        DType::U32 => quote!(#private::Scalar::U32(#name)),
        _ => quote!(#private::Scalar::F32(#name)),
    });
    let statics = source::statics(&format_ident!("__netcl_plans"), &crate::parse::name(name), &planned);
    let chosen = source::chosen(&crate::parse::name(name), &planned);
    let report = super::kernel::report(quote!(__netcl_plans()));
    let unpacked = unpack(tuple, signature.results.len());
    let vjp = signature.gradient.as_ref().map(|gradient| vjp(&signature, gradient, &names, &types, &result));
    quote! {
        #(#attrs)*
        #[allow(non_upper_case_globals)]
        #vis static #name: #name::Kernel = #name::Kernel(());
        #[doc(hidden)]
        #[allow(dead_code)]
        #vis mod #name {
            /// A compiled kernel: call it.
            pub struct Kernel(pub(super) ());
            #[automatically_derived]
            impl ::core::ops::Deref for Kernel {
                type Target = fn(#(#types),*) -> ::netcl::Result<#result>;
                fn deref(&self) -> &Self::Target {
                    const CALL: fn(#(#types),*) -> ::netcl::Result<#result> = __netcl_call;
                    &CALL
                }
            }
            #statics
            #report
            #(#on_call)*
            fn __netcl_call(#(#names: #types),*) -> ::netcl::Result<#result> {
                let __netcl_results = __netcl_plans()[#chosen].call(::core::option::Option::None, "", &[#(#given),*], &[#(#scalars),*])?;
                #unpacked
            }
            #vjp
        }
        const _: () = {
            #({ #checks })*
        };
    }
}

fn tensors(count: usize) -> TokenStream {
    let each = (0..count).map(|_| quote!(::netcl::Tensor));
    if count == 1 { quote!(::netcl::Tensor) } else { quote!((#(#each),*)) }
}

fn vjp(
    signature: &Signature,
    gradient: &syn::Path,
    names: &[&syn::Ident],
    types: &[TokenStream],
    result: &TokenStream,
) -> TokenStream {
    let floats = signature.inputs().filter(|(_, ty)| ty.dtype.is_float()).count();
    let gradients = tensors(floats);
    let cotangents: Vec<_> = (0..signature.results.iter().filter(|ty| ty.dtype.is_float()).count())
        .map(|position| format_ident!("__netcl_cotangent_{position}"))
        .collect();
    let pulled = cotangents.iter().map(|_| quote!(&::netcl::Tensor));
    let private = paths::private();
    let kept = signature.inputs().map(|(name, _)| quote!(let #name = #private::as_it_is(#name)?;));
    let given: Vec<_> = (0..types.len()).map(|position| format_ident!("__netcl_argument_{position}")).collect();
    let passed = signature.args.iter().filter(|arg| arg.result.is_none()).map(|arg| {
        let name = &arg.name;
        match arg.ty {
            ArgType::Tensor(_) => quote!(&#name),
            _ => quote!(#name),
        }
    });
    let tensors = signature.args.iter().filter(|arg| arg.result.is_none()).zip(&given);
    let differentiated = tensors.filter(|(arg, _)| matches!(&arg.ty, ArgType::Tensor(ty) if ty.dtype.is_float()));
    let fits = differentiated.enumerate().map(|(position, (arg, input))| {
        let name = crate::parse::name(&arg.name);
        let position = proc_macro2::Literal::usize_unsuffixed(position);
        let one = if floats == 1 { quote!(&__netcl_gradients) } else { quote!(&__netcl_gradients.#position) };
        quote!(#private::gradient_fits(#name, #input, #one)?;)
    });
    quote! {
        // The module's names are seen from here alone: an argument may be called as another kernel.
        fn __netcl_gradient(
            #(#given: #types,)*
            #(#cotangents: &::netcl::Tensor),*
        ) -> ::netcl::Result<#gradients> {
            #[allow(unused_imports)]
            use super::*;
            let __netcl_gradients = #gradient(#(#given,)* #(#cotangents),*)?;
            #(#fits)*
            ::core::result::Result::Ok(__netcl_gradients)
        }
        impl Kernel {
            /// The result, and the given kernel that turns cotangents of it into gradients in the inputs: as they are now,
            /// whatever an optimizer makes of them meanwhile.
            #[allow(clippy::type_complexity)]
            pub fn vjp(
                &self,
                #(#names: #types),*
            ) -> ::netcl::Result<(#result, impl Fn(#(#pulled),*) -> ::netcl::Result<#gradients> + use<>)> {
                let __netcl_value = __netcl_call(#(#names),*)?;
                #(#kept)*
                let __netcl_pullback = move |#(#cotangents: &::netcl::Tensor),*| -> ::netcl::Result<#gradients> {
                    __netcl_gradient(#(#passed,)* #(#cotangents),*)
                };
                ::core::result::Result::Ok((__netcl_value, __netcl_pullback))
            }
        }
    }
}
