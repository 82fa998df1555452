//! What a model tells models that have it as a field, as tokens.

use crate::chain::{self, Gathered, ItemKind};
use crate::diag::Diag;
use crate::parse;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::quote;
use std::collections::BTreeSet;
use syn::{ItemImpl, ItemStruct};

/// What [`nested`](crate::payload::nested) wrote.
pub(crate) struct Told {
    pub(crate) failed: bool,
    pub(crate) gathered: Gathered,
    /// What the struct wrote, by [`table`](crate::payload::table).
    pub(crate) table: TokenStream,
    pub(crate) item: ItemImpl,
    /// Its functions that are compiled where they are used.
    pub(crate) open: BTreeSet<String>,
    /// The crate that it is of.
    pub(crate) krate: String,
}

/// Reads it, and nothing of the model in it.
pub(crate) fn read(payload: &TokenStream) -> Option<Told> {
    let parts = chain::groups(payload.clone())?;
    let [failed, gathered, item, open, krate] = parts.as_slice() else { return None };
    let gathered = chain::read(gathered.clone())?;
    let item: ItemImpl = syn::parse2(item.clone()).ok()?;
    let silent = Diag::new();
    let path = parse::model::model_path(&silent, &item);
    silent.dismiss();
    let table = gathered.get(ItemKind::Table, &path?)?.clone();
    let krate = syn::parse2::<syn::LitStr>(krate.clone()).ok()?.value();
    let open = parse::names_in(open.clone());
    Some(Told { failed: failed.to_string() == "true", gathered, table, item, open, krate })
}

/// The struct that told of itself by [`table`](crate::payload::table).
pub(crate) fn structure(table: &TokenStream) -> Option<ItemStruct> {
    syn::parse2(chain::groups(table.clone())?.into_iter().nth(2)?).ok()
}

/// Whether what told of itself is a model with parameters that are types.
pub(crate) fn is_generic(told: &TokenStream) -> bool {
    // Without its functions, which are most of it: a block that others are told of has gathered one struct's table.
    let gathered = chain::groups(told.clone()).and_then(|parts| chain::read(parts.into_iter().nth(1)?));
    let parts = gathered.iter().flat_map(|gathered| &gathered.parts);
    let table = parts.into_iter().find(|(kind, ..)| *kind == ItemKind::Table);
    let structure = table.and_then(|(_, _, table)| structure(table));
    structure.is_some_and(|item| item.generics.type_params().next().is_some())
}

/// The word before functions of scalars that are a type's.
const FUNCTIONS: &str = "functions";

/// What a type tells that has functions of scalars: its name, and each function with what it tells.
pub(crate) fn functions(name: &Ident, all: &[(Ident, TokenStream)]) -> TokenStream {
    let word = Ident::new(FUNCTIONS, Span::call_site());
    let all = all.iter().map(|(name, told)| quote!({ #name } { #told }));
    quote!(#word { #name } #(#all)*)
}

/// Reads what [`functions`] wrote: the type's name, and the functions.
pub(crate) fn read_functions(told: &TokenStream) -> Option<(Ident, Vec<(Ident, TokenStream)>)> {
    let mut tokens = told.clone().into_iter();
    if !matches!(tokens.next(), Some(TokenTree::Ident(word)) if word == FUNCTIONS) {
        return None;
    }
    let mut groups = chain::groups(tokens.collect())?.into_iter();
    let name = syn::parse2(groups.next()?).ok()?;
    let mut all = Vec::new();
    while let (Some(function), Some(told)) = (groups.next(), groups.next()) {
        all.push((syn::parse2(function).ok()?, told));
    }
    Some((name, all))
}
