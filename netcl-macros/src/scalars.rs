//! The stages of a `#[netcl::function]` of scalars: it stays a function of Rust, and bodies take it from its tokens.

use crate::chain::{self, Gathered, Need};
use crate::diag::Diag;
use crate::expand::meant::CallingBody;
use crate::lower::is_builtin;
use crate::{expand, fallback, payload, rounds, scan};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};

/// A function of scalars.
pub(crate) struct Scalars(pub(crate) syn::ItemFn);

impl rounds::Item for Scalars {
    fn driver(&self) -> (&'static str, TokenStream) {
        ("function", self.0.to_token_stream())
    }

    fn place(&self) -> Span {
        self.0.sig.ident.span()
    }

    fn missing(&self, gathered: &Gathered) -> Vec<Need> {
        let syn::ItemFn { sig, block, .. } = &self.0;
        chain::left(gathered, scan::needs_of_others(sig, block, is_builtin))
    }

    /// Nothing is made of it that others would miss.
    fn unless(&self) -> TokenStream {
        TokenStream::new()
    }

    fn mistakes(&self, diag: &Diag, gathered: &Gathered, needs: &[Need]) {
        let item = &self.0;
        payload::judge_helper(diag, gathered, needs, (&item.sig, &item.block));
    }

    fn expand(&self, diag: &Diag, gathered: &Gathered) -> Option<TokenStream> {
        self.mistakes(diag, gathered, &[]);
        if diag.count() > 0 {
            return None;
        }
        let item = &self.0;
        let export = chain::export_of_numbers(&item.sig.ident, &item.vis, &payload::function(gathered, item, true));
        let called = scan::operations(&item.sig, &item.block, is_builtin);
        let meant = expand::meant::operations(&called, CallingBody::Element);
        Some(quote!(#[allow(dead_code)] #item #export #meant))
    }

    /// What is wrong is said once, not by rustc as well.
    fn stub(&self, gathered: &Gathered) -> TokenStream {
        let item = &self.0;
        let rest = fallback::ordinary(&item.attrs, &item.vis, &item.sig);
        if item.sig.inputs.iter().any(|input| matches!(input, syn::FnArg::Receiver(_))) {
            // In an `impl` block no macro can stand beside it.
            return rest;
        }
        let export = chain::export_of_numbers(&item.sig.ident, &item.vis, &payload::function(gathered, item, false));
        quote!(#rest #export)
    }

    fn is_in_module(&self) -> bool {
        self.0.sig.receiver().is_none()
    }
}
