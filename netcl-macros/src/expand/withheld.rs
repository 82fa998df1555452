//! Functions that there are not, declared all the same: a bound that nothing meets says why where one is called. Of a function that
//! is not declared rustc says no more than that.

use crate::ast::FunctionItem;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote_spanned};

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
    /// The trait that nothing implements, and the function, to be put into an `impl` block beside it.
    pub(crate) fn tokens(&self) -> (TokenStream, TokenStream) {
        let Withheld { name, args, result, why, instead, .. } = self;
        let bound = format_ident!("__Netcl_has_{}", name, span = self.place);
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
            pub fn #name(&self, #(_: #args),*) -> ::netcl::Result<#result>
            where
                // A bound of every lifetime is asked where the function is called, and not here.
                for<'__netcl> ::netcl::Tensor: #bound,
            {
                ::core::unreachable!()
            }
        };
        (declared, function)
    }
}

/// The types of a function's arguments in Rust.
pub(crate) fn types(function: &FunctionItem) -> Vec<TokenStream> {
    function.params.iter().map(|param| param.ty.clone()).collect()
}
