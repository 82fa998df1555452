//! `#[netcl::dynamic]` above functions beside models.

use crate::diag::{Diag, with_errors};
use crate::{driver, messages as m, parse, words};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// `#[netcl::dynamic]` where no `#[netcl::model] impl` has taken it: above a function of tensors, which it makes one that is compiled where
/// it runs.
pub(crate) fn dynamic(item: TokenStream) -> TokenStream {
    let parsed = syn::parse2::<syn::ItemFn>(item.clone()).ok();
    let of_tensors =
        |item: &syn::ItemFn| parse::function::is_of_tensors(&item.sig) && parse::function::is_sized(&item.sig);
    if let Some(mut parsed) = parsed.filter(of_tensors) {
        // Both attributes may be there, in either order.
        let last = |attr: &syn::Attribute| attr.path().segments.last().map(|segment| segment.ident.to_string());
        parsed.attrs.retain(|attr| last(attr).as_deref() != Some(words::FUNCTION));
        let mark = format_ident!("{}", words::DYNAMIC);
        return driver::function(TokenStream::new(), quote!(#[#mark] #parsed));
    }
    let diag = Diag::new();
    // The attribute, as it is written.
    let call = proc_macro2::Span::call_site();
    let place = item.clone().into_iter().next().map_or(call, |first| call.resolved_at(first.span()));
    diag.report(place, &m::DYNAMIC_OUTSIDE, &[]);
    with_errors(diag, || item)
}
