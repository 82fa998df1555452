//! Functions that there are not, declared all the same: a bound that nothing meets says why where one is called. Of a function that
//! is not declared rustc says no more than that.

use crate::ast::FunctionItem;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

/// A declaration that is refused.
pub(crate) struct Withheld<'a> {
    pub(crate) name: Ident,
    /// Where the function is named that it is about.
    pub(crate) place: Span,
    /// The types of the arguments.
    pub(crate) args: &'a [TokenStream],
    pub(crate) result: TokenStream,
    /// What rustc says where it is called, and what to write instead.
    pub(crate) why: String,
    pub(crate) instead: String,
}

impl Withheld<'_> {
    /// The trait that nothing implements, and the function, to be put into an `impl` block beside it; nothing where there is no
    /// argument that the bound could be of.
    pub(crate) fn tokens(&self) -> Option<(TokenStream, TokenStream)> {
        let Withheld { name, args, result, why, instead, .. } = self;
        let (first, rest) = args.split_first()?;
        // A reference stays one, so that `&x` is taken as it is written.
        let borrowed = first.to_string().starts_with('&').then(|| quote!(&));
        let bound = format_ident!("__Netcl_{}_is_not_there", name, span = self.place);
        // What rustc shows of the trait is the name of the function that it is about.
        let declared = quote_spanned! {self.place=>
            #[doc(hidden)]
            #[allow(non_camel_case_types, unreachable_pub)]
            #[diagnostic::on_unimplemented(message = #why, label = "there is no gradient of this", note = #instead)]
            pub trait #bound {}
        };
        let function = quote_spanned! {self.place=>
            #[doc(hidden)]
            #[allow(dead_code, private_bounds, unreachable_pub, clippy::type_complexity)]
            pub fn #name<__Netcl: #bound>(
                &self,
                _: #borrowed __Netcl,
                #(_: #rest),*
            ) -> ::netcl::Result<#result> {
                ::core::unreachable!()
            }
        };
        Some((declared, function))
    }
}

/// The types of a function's arguments in Rust.
pub(crate) fn types(function: &FunctionItem) -> Vec<TokenStream> {
    function.params.iter().map(|param| param.ty.clone()).collect()
}
