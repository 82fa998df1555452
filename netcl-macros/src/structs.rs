//! Structs of tensors: `#[netcl::tensors] struct Batch { x: Tensor<f32, N, 8>, state: State }`.

use crate::chain::{self, Gathered, ItemKind, Need};
use crate::diag::Diag;
use crate::{identity, parse, paths, payload, rounds};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ItemStruct;

/// The struct in Rust, where tensors have no sizes, and how it is made of its fields where nobody can name it.
pub(crate) fn rust(item: &ItemStruct) -> TokenStream {
    let (private, name) = (paths::private(), &item.ident);
    let mut rust = syn::Item::Struct(item.clone());
    parse::parts::without_sizes(&mut rust);
    let syn::Item::Struct(mut rust) = rust else { return TokenStream::new() };
    rust.attrs.retain(|attr| !identity::is_mark(attr));
    let types: Vec<_> = rust.fields.iter().map(|field| &field.ty).collect();
    let fields: Vec<_> = rust.fields.iter().filter_map(|field| field.ident.as_ref()).collect();
    let identity = identity::of(item);
    // No variable may have a field's name, which may be that of a kernel, a static.
    let positions = (0..fields.len()).map(proc_macro2::Literal::usize_unsuffixed);
    // Bodies that are compiled make it and read it, which rustc does not see.
    let used = quote! {
        const _: () = {
            #[allow(dead_code, clippy::all)]
            fn __netcl_used(__netcl_value: #name) -> #name {
                #name { #(#fields: __netcl_value.#fields),* }
            }
        };
    };
    quote! {
        #rust
        #used
        impl #private::StructOfTensors for #name {
            const IDENTITY: u64 = #identity;
        }
        impl #private::Composed<(#(#types,)*)> for #name {
            fn compose(__netcl_fields: (#(#types,)*)) -> Self {
                Self { #(#fields: __netcl_fields.#positions),* }
            }
        }
    }
}

/// A struct on its way: what it tells has what the structs tell that are fields of it.
pub(crate) struct Struct(pub(crate) ItemStruct);

impl rounds::Item for Struct {
    fn driver(&self) -> (&'static str, TokenStream) {
        ("tensors", self.0.to_token_stream())
    }

    fn place(&self) -> Span {
        self.0.ident.span()
    }

    fn missing(&self, gathered: &Gathered) -> Vec<Need> {
        let fields = self.0.fields.iter().flat_map(|field| parse::parts::structs_of_field(&field.ty));
        // In one that holds itself Rust finds no end.
        let others = fields.filter(|path| !path.is_ident(&self.0.ident));
        chain::left(gathered, others.map(|path| Need { kind: ItemKind::Struct, path }))
    }

    /// Nothing is made of it that others would miss.
    fn unless(&self) -> TokenStream {
        TokenStream::new()
    }

    fn mistakes(&self, _: &Diag, _: &Gathered, _: &[Need]) {}

    fn expand(&self, diag: &Diag, gathered: &Gathered) -> Option<TokenStream> {
        let constants = payload::constants(gathered);
        for field in &self.0.fields {
            parse::parts::field(diag, field, &constants);
        }
        let item = &self.0;
        (diag.count() == 0).then(|| chain::export(&item.ident, &item.vis, &payload::struct_of_tensors(item, gathered)))
    }

    /// Nothing more is said of what uses it.
    fn stub(&self, _: &Gathered) -> TokenStream {
        chain::export(&self.0.ident, &self.0.vis, &payload::refused())
    }
}
