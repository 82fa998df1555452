//! Structs of tensors: `#[netcl::tensors] struct Batch { x: Tensor<f32, N, 8>, state: State }`.

use crate::chain::{self, Gathered, ItemKind, Need};
use crate::diag::Diag;
use crate::driver::with_errors;
use crate::{messages as m, parse, paths, payload, rounds};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use std::collections::BTreeMap;
use std::rc::Rc;
use syn::ItemStruct;

/// What a struct of tensors tells whoever names it.
pub(crate) struct TensorStruct {
    pub(crate) item: ItemStruct,
    /// The structs of tensors that are fields of it, by their paths where it stands.
    pub(crate) inner: BTreeMap<String, Rc<TensorStruct>>,
}

impl TensorStruct {
    /// Reads what [`told`] wrote; `None` of one that has been refused.
    pub(crate) fn read(payload: &TokenStream) -> Option<TensorStruct> {
        let [item, gathered] = chain::groups(payload.clone())?.try_into().ok()?;
        let inner = payload::constants(&chain::read(gathered)?).structs;
        Some(TensorStruct { item: syn::parse2(item).ok()?, inner })
    }
}

fn told(item: &ItemStruct, gathered: &Gathered) -> TokenStream {
    let (item, gathered) = (ItemStruct { attrs: Vec::new(), ..item.clone() }, gathered.tokens());
    quote!({ #item } { #gathered })
}

/// `#[netcl::tensors]`.
pub(crate) fn tensors(args: TokenStream, item: TokenStream) -> TokenStream {
    let diag = Diag::new();
    if let Some(first) = args.into_iter().next() {
        diag.report(first.span(), &m::NO_ARGUMENTS, &[&"tensors", &"tensors"]);
    }
    let parsed = syn::parse2::<ItemStruct>(item.clone()).ok();
    let named = |item: &ItemStruct| matches!(&item.fields, syn::Fields::Named(fields) if !fields.named.is_empty());
    let Some(mut parsed) = parsed.filter(|item| named(item) && item.generics.params.is_empty()) else {
        let span = item.clone().into_iter().next().map_or_else(Span::call_site, |first| first.span());
        diag.report(span, &m::TENSORS_FORM, &[]);
        return with_errors(diag, || item);
    };
    parse::attr::once(&diag, &mut parsed.attrs, "tensors");
    let rust = rust(&parsed);
    let prelude = paths::prelude();
    let rounds = rounds::round(&Struct(parsed), &Gathered::default());
    with_errors(diag, || quote!(#rust #prelude #rounds))
}

/// The struct in Rust, where tensors have no sizes, and how it is made of its fields where nobody can name it.
fn rust(item: &ItemStruct) -> TokenStream {
    let (private, name) = (paths::private(), &item.ident);
    let mut rust = item.clone();
    for field in &mut rust.fields {
        let ty = parse::parts::rust(&field.ty);
        field.ty = syn::Type::Verbatim(ty);
    }
    let types: Vec<_> = rust.fields.iter().map(|field| &field.ty).collect();
    let fields: Vec<_> = rust.fields.iter().filter_map(|field| field.ident.as_ref()).collect();
    quote! {
        #rust
        impl #private::Composed<(#(#types,)*)> for #name {
            fn compose((#(#fields,)*): (#(#types,)*)) -> Self {
                Self { #(#fields),* }
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
        (diag.count() == 0).then(|| chain::export(&item.ident, &item.vis, &told(item, gathered)))
    }

    /// Nothing more is said of what uses it.
    fn stub(&self, _: &Gathered) -> TokenStream {
        chain::export(&self.0.ident, &self.0.vis, &payload::refused())
    }
}
