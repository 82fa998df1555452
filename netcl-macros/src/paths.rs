//! Names that generated code uses: absolute paths and identifiers that users do not write.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

/// `::netcl::__private`.
pub(crate) fn private() -> TokenStream {
    quote!(::netcl::__private)
}

/// The hidden field of a model: its core and the path of its parameters.
pub(crate) fn scope_field() -> Ident {
    Ident::new("__netcl", Span::call_site())
}

/// The hidden macro that carries a struct's tokens to its `impl`.
pub(crate) fn table_macro(name: &Ident) -> Ident {
    format_ident!("__netcl_model_{}", name, span = name.span())
}

/// The hidden macro behind `name` that carries tokens to those who use it.
pub(crate) fn export_macro(name: &Ident) -> Ident {
    format_ident!("__netcl_export_{}", name, span = Span::call_site())
}

/// The struct of a model's gradients.
pub(crate) fn gradients(name: &Ident) -> Ident {
    format_ident!("{}Gradients", name)
}
