//! What tells a struct of tensors from all others, whatever it is called where it is used.

use crate::{paths, words};
use quote::{ToTokens, format_ident};
use syn::{Attribute, ItemStruct, LitInt};

/// Marks the struct with it, so that it goes wherever the struct's tokens go.
pub(crate) fn mark(item: &mut ItemStruct) {
    let (mark, identity) = (format_ident!("{}", words::IDENTITY), paths::identity(&item.to_token_stream()));
    item.attrs.push(syn::parse_quote!(#[#mark(#identity)]));
}

/// What [`mark`] gave it.
pub(crate) fn of(item: &ItemStruct) -> u64 {
    let mark = item.attrs.iter().find(|attr| is_mark(attr));
    let identity = mark.and_then(|mark| mark.parse_args::<LitInt>().ok());
    identity.and_then(|identity| identity.base10_parse().ok()).unwrap_or_default()
}

pub(crate) fn is_mark(attr: &Attribute) -> bool {
    attr.path().is_ident(words::IDENTITY)
}
