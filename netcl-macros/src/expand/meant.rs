//! Checks that a name without a path is nobody else's: in a body `relu(x)` is the operation, while Rust's own rules may find a
//! function of that name.
//!
//! No macro is told what a name stands for; rustc is asked. In the block of the check the module's names come first, and the
//! operation behind them, as a constant that alone meets a bound: another thing of that name does not, and the bound says so.

use crate::paths;
use netcl_kernels::graph::{BinaryOp, UnaryOp};
use netcl_kernels::ops;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};

/// What may call more than functions of scalars.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    /// Of whole tensors: kernels and functions of tensors are called too.
    Tensors,
    /// Of one element, where a kernel's name can only be meant for the operation.
    Element,
}

/// The check of operations that a body calls by their names alone.
pub(crate) fn operations(names: &[Ident], body: Body) -> Option<TokenStream> {
    let private = paths::private();
    let (declared, asked): (Vec<_>, Vec<_>) = names
        .iter()
        .map(|ident| {
            let name = crate::parse::name(ident);
            let message = format!(
                "`{name}` is called, which is the name of an operation, and there is a function of that name here"
            );
            let method = match is_method(&name) {
                true => format!("for the operation write `x.{name}(..)`"),
                false => "for what netcl has by that name, give the function another".to_string(),
            };
            let note = format!("for the function write `self::{name}(..)`; {method}");
            let bound = format_ident!("__Netcl_{}_is_the_operation", name, span = ident.span());
            let declared = quote! {
                #[allow(non_upper_case_globals)]
                const #ident: #private::Operation = #private::Operation;
                #[diagnostic::on_unimplemented(message = #message, label = "netcl's operation, or the function?", note = #note)]
                trait #bound {}
                impl #bound for #private::Operation {}
            };
            let span = ident.span();
            let kernels = (body == Body::Element).then(|| quote!(let called = #private::Called(called).of_elements();));
            let asked = quote_spanned! {ident.span()=>
                fn is<T: #bound>(_: &T) {}
                let called = #private::Called(&#ident).not_generic();
                #kernels
                is(called);
            };
            (declared, quote!({ #asked }))
        })
        .unzip();
    (!names.is_empty()).then(|| {
        quote! {
            #[allow(dead_code, non_camel_case_types, clippy::wildcard_imports)]
            const _: fn() = || {
                #(#declared)*
                {
                    #[allow(unused_imports)]
                    use self::*;
                    #[allow(unused_imports)]
                    use #private::CalledOtherwise as _;
                    #(#asked)*
                }
            };
        }
    })
}

fn is_method(name: &str) -> bool {
    let of_elements = UnaryOp::ALL.into_iter().map(UnaryOp::name).chain(BinaryOp::ALL.into_iter().map(BinaryOp::name));
    ops::all().map(|operation| operation.name).chain(of_elements).any(|known| known == name)
}
