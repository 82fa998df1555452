//! A SIMT-form kernel as a value that is called, with the hand-given pullback where there is one.

use super::functions::unpack;
use super::source::{self, Natives};
use super::withheld::Withheld;
use crate::ast::ArgType;
use crate::compile::{CompiledPlan, Planned};
use crate::parse::attr::of_functions;
use crate::simt::{KernelArg, Lowered, Signature, shim};
use crate::{dump, paths, unused};
use netcl_kernels::dtype::DType;
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

/// The kernel for one choice of its element types.
pub(crate) struct Instance {
    pub(crate) signature: Signature,
    pub(crate) lowered: Lowered,
    /// Which types of the arguments choose it.
    pub(crate) decisions: Vec<(TokenStream, bool)>,
    pub(crate) plans: Vec<CompiledPlan>,
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
    let inputs: Vec<_> = signature.args.iter().filter(|arg| arg.is_input()).collect();
    let names: Vec<_> = inputs.iter().map(|arg| &arg.name).collect();
    let types: Vec<TokenStream> = inputs
        .iter()
        .map(|arg| match &arg.ty {
            ArgType::Scalar(dtype) => {
                let ty = format_ident!("{}", dtype.name());
                quote!(#ty)
            }
            _ if arg.in_place => quote!(::netcl::Tensor),
            _ => quote!(&::netcl::Tensor),
        })
        .collect();
    let tuple = signature.results.len() > 1;
    let result = tensors(signature.results.len());
    let mut natives = Natives::default();
    let statics = source::statics(&format_ident!("__netcl_plans"), &crate::parse::name(name), &planned, &mut natives);
    let natives = natives.items();
    let chosen = source::chosen(&crate::parse::name(name), &planned);
    let report = super::kernel::report(quote!(__netcl_plans()));
    let call = plan_call(&signature, &inputs, &chosen);
    let unpacked = unpack(tuple, signature.results.len());
    let promise = Promise::of(&signature);
    let vjp = match &signature.gradient {
        Some(gradient) => vjp(&signature, gradient, &names, &types, &result, &promise),
        None => {
            let own = crate::parse::name(name);
            let why = format!("`{own}` has no gradient: it is in SIMT form, without `#[gradient(..)]`");
            let instead = format!(
                "write a kernel that gives it, which takes the inputs and a cotangent for each float result, and \
                 `#[gradient({own}_gradient)]` above `{own}`"
            );
            super::kernel::withheld_vjp(name, &types, &result, why, instead)
        }
    };
    let check = withheld_check(&signature, &types);
    let (is_unsafe, in_words) = (&promise.keyword, &promise.in_words);
    let inputs = inputs.iter().map(|arg| &arg.name);
    let unused = unused::beside(&signature.attrs, &unused::names(inputs, &signature.body));
    let prelude = paths::prelude();
    quote! {
        #(#attrs)*
        #[allow(non_upper_case_globals)]
        #vis static #name: #name::Kernel = #name::Kernel(());
        #[doc(hidden)]
        #[allow(dead_code)]
        #vis mod #name {
            /// A compiled kernel: call it.
            #in_words
            pub struct Kernel(pub(super) ());
            impl ::netcl::__private::OfTensors for Kernel {}
            #[automatically_derived]
            impl ::core::ops::Deref for Kernel {
                type Target = #is_unsafe fn(#(#types),*) -> ::netcl::Result<#result>;
                fn deref(&self) -> &Self::Target {
                    const CALL: #is_unsafe fn(#(#types),*) -> ::netcl::Result<#result> = __netcl_call;
                    &CALL
                }
            }
            #natives
            #statics
            #report
            #(#on_call)*
            #in_words
            #is_unsafe fn __netcl_call(#(#names: #types),*) -> ::netcl::Result<#result> {
                #call
                #unpacked
            }
            #vjp
            #check
        }
        const _: () = {
            #({ #checks })*
        };
        #unused
        #prelude
    }
}

/// A `check` that is refused: nothing but a kernel in index form is computed in double precision.
fn withheld_check(signature: &Signature, types: &[TokenStream]) -> TokenStream {
    let own = crate::parse::name(&signature.name);
    let (why, instead) = match &signature.gradient {
        Some(gradient) => (
            format!("`{own}` has no `check`: it is in SIMT form, and its gradient is your own"),
            format!(
                "compare what `{own}.vjp` gives by `{}` with differences of what `{own}` gives",
                crate::parse::text(gradient)
            ),
        ),
        None => (
            format!("`{own}` has no gradient to check: it is in SIMT form, without `#[gradient(..)]`"),
            "`check` is of kernels in index form, whose gradients are generated".to_string(),
        ),
    };
    let (name, result) = (format_ident!("check"), quote!(::netcl::GradientCheck));
    let (declared, function) =
        Withheld { name, place: signature.name.span(), args: types, result, why, instead }.tokens();
    quote!(#declared impl Kernel { #function })
}

/// The call of the plan: results are new, or what has been taken and changed.
fn plan_call(signature: &Signature, inputs: &[&KernelArg], chosen: &TokenStream) -> TokenStream {
    let private = paths::private();
    let given: Vec<_> = signature.inputs().map(|(name, _)| name).collect();
    let scalars = signature.scalars().map(|(name, dtype)| match dtype {
        DType::I32 => quote!(#private::Scalar::I32(#name)),
        DType::U32 => quote!(#private::Scalar::U32(#name)),
        _ => quote!(#private::Scalar::F32(#name)),
    });
    let taken = signature.taken();
    match taken.iter().all(Option::is_none) {
        true => quote! {
            let __netcl_results = __netcl_plans()[#chosen].call(::core::option::Option::None, "", &[#(#given),*], &[#(#scalars),*])?;
        },
        false => {
            let own = inputs.iter().filter(|arg| arg.in_place).map(|arg| &arg.name);
            let given = inputs.iter().filter(|arg| matches!(arg.ty, ArgType::Tensor(_))).map(|arg| {
                let (name, borrow) = (&arg.name, arg.in_place.then(|| quote!(&)));
                quote!(#borrow #name)
            });
            let taken = taken.iter().map(|taken| match taken {
                Some(position) => quote!(::core::option::Option::Some(#position)),
                None => quote!(::core::option::Option::None),
            });
            quote! {
                #(let #own = #private::taken(#own)?;)*
                let __netcl_results = __netcl_plans()[#chosen].call_in_place(&[#(#given),*], &[#(#scalars),*], &[#(#taken),*])?;
            }
        }
    }
}

/// What whoever calls a kernel answers for: nothing, or every index of one that is `unchecked`.
struct Promise {
    /// `unsafe`, or nothing.
    keyword: Option<TokenStream>,
    /// The section that rustdoc and clippy look for.
    in_words: Option<TokenStream>,
}

impl Promise {
    fn of(signature: &Signature) -> Promise {
        let keyword = signature.is_unsafe().then(|| quote!(unsafe));
        let in_words = signature.is_unsafe().then(|| {
            quote! {
                ///
                /// # Safety
                ///
                /// It is launched `unchecked`, or OpenCL C of its own: with these arguments every index that a work-item computes
                /// is inside its tensor or array, and nothing else that it does is undefined.
            }
        });
        Promise { keyword, in_words }
    }

    /// A call of something that may be `unsafe` for the same reason.
    fn kept(&self, call: TokenStream) -> TokenStream {
        if self.keyword.is_none() {
            return call;
        }
        quote! {{
            #[allow(unused_unsafe)]
            // SAFETY: the caller has promised it.
            let __netcl_result = unsafe { #call };
            __netcl_result
        }}
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
    promise: &Promise,
) -> TokenStream {
    let floats = signature.inputs().filter(|(_, ty)| ty.dtype.is_float()).count();
    let gradients = tensors(floats);
    let cotangents: Vec<_> = (0..signature.results.iter().filter(|ty| ty.dtype.is_float()).count())
        .map(|position| format_ident!("__netcl_cotangent_{position}"))
        .collect();
    let pulled = cotangents.iter().map(|_| quote!(&::netcl::Tensor));
    // A kernel is a pointer to its function; whether it is this kernel's gradient is said at its name.
    let called = quote_spanned!(gradient.span()=> *#gradient);
    let cotangent_types: Vec<_> = cotangents.iter().map(|_| quote!(&::netcl::Tensor)).collect();
    let unfit =
        format!("`{}` is no gradient of `{}`", crate::parse::text(gradient), crate::parse::name(&signature.name));
    let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let takes = format!(
        "it takes the inputs ({}) and {}, one for each float result, and gives {}, one for each float input",
        names.iter().map(|name| crate::parse::name(name)).collect::<Vec<_>>().join(", "),
        count(cotangents.len(), "cotangent"),
        count(floats, "gradient"),
    );
    let private = paths::private();
    let is_taken = |name: &syn::Ident| signature.args.iter().any(|arg| arg.in_place && arg.name == *name);
    let kept = signature.inputs().map(|(name, _)| {
        let borrow = is_taken(name).then(|| quote!(&));
        quote!(let #name = #private::as_it_is(#borrow #name)?;)
    });
    // As it was, it is for the gradient.
    let forwarded = names.iter().map(|name| if is_taken(name) { quote!(#name.clone()) } else { quote!(#name) });
    let outer = types;
    let types: Vec<TokenStream> = signature
        .args
        .iter()
        .filter(|arg| arg.is_input())
        .zip(outer)
        .map(|(arg, ty)| if arg.in_place { quote!(&::netcl::Tensor) } else { ty.clone() })
        .collect();
    let given: Vec<_> = (0..types.len()).map(|position| format_ident!("__netcl_argument_{position}")).collect();
    let passed = signature.args.iter().filter(|arg| arg.is_input()).map(|arg| {
        let name = &arg.name;
        match arg.ty {
            ArgType::Tensor(_) => quote!(&#name),
            _ => quote!(#name),
        }
    });
    let (is_unsafe, in_words) = (&promise.keyword, &promise.in_words);
    let forward = promise.kept(quote!(__netcl_call(#(#forwarded),*)));
    // Whose cotangents come later; the promise holds for them as well.
    let backward = promise.kept(quote!(__netcl_gradient(#(#passed,)* #(#cotangents),*)));
    // A gradient may be launched `unchecked` where its kernel is.
    let kinds = std::iter::once(None).chain(promise.keyword.clone().map(Some));
    let gradients_of = kinds.map(|kind| {
        let call = quote!(self(#(#given,)* #(#cotangents),*));
        let call = if kind.is_some() { promise.kept(call) } else { call };
        quote! {
            #[automatically_derived]
            impl __NetclGradient for #kind fn(#(#types,)* #(#cotangent_types),*) -> ::netcl::Result<#gradients> {
                fn __netcl_call(self, #(#given: #types,)* #(#cotangents: &::netcl::Tensor),*) -> ::netcl::Result<#gradients> {
                    #call
                }
            }
        }
    });
    let tensors = signature.args.iter().filter(|arg| arg.is_input()).zip(&given);
    let differentiated = tensors.filter(|(arg, _)| matches!(&arg.ty, ArgType::Tensor(ty) if ty.dtype.is_float()));
    let fits = differentiated.enumerate().map(|(position, (arg, input))| {
        let name = crate::parse::name(&arg.name);
        let position = proc_macro2::Literal::usize_unsuffixed(position);
        let one = if floats == 1 { quote!(&__netcl_gradients) } else { quote!(&__netcl_gradients.#position) };
        quote!(#private::gradient_fits(#name, #input, #one)?;)
    });
    quote! {
        // The module's names are seen from here alone: an argument may be called as another kernel.
        #is_unsafe fn __netcl_gradient(
            #(#given: #types,)*
            #(#cotangents: &::netcl::Tensor),*
        ) -> ::netcl::Result<#gradients> {
            #[allow(unused_imports)]
            use super::*;
            let __netcl_gradients = __NetclGradient::__netcl_call(#called, #(#given,)* #(#cotangents),*)?;
            #(#fits)*
            ::core::result::Result::Ok(__netcl_gradients)
        }
        #[diagnostic::on_unimplemented(message = #unfit, label = "takes or gives something else", note = #takes)]
        trait __NetclGradient {
            fn __netcl_call(self, #(#given: #types,)* #(#cotangents: &::netcl::Tensor),*) -> ::netcl::Result<#gradients>;
        }
        #(#gradients_of)*
        impl Kernel {
            /// The result, and the given kernel that turns cotangents of it into gradients in the inputs: as they are now,
            /// whatever an optimizer makes of them meanwhile.
            #in_words
            #[allow(clippy::type_complexity)]
            pub #is_unsafe fn vjp(
                &self,
                #(#names: #outer),*
            ) -> ::netcl::Result<(#result, impl Fn(#(#pulled),*) -> ::netcl::Result<#gradients> + use<>)> {
                let __netcl_value = #forward?;
                #(#kept)*
                let __netcl_pullback = move |#(#cotangents: &::netcl::Tensor),*| -> ::netcl::Result<#gradients> {
                    #backward
                };
                ::core::result::Result::Ok((__netcl_value, __netcl_pullback))
            }
        }
    }
}
