//! Half-typed items: what can be kept of tokens that `syn` refuses.
//!
//! By hand, and not `ra_ap_syntax`: that is a parser of all of Rust, in every build.
//!
//! An item that is being typed is refused nearly all the time, and the rest of the file calls it all the while. So the
//! tokens are cut into items, fields and arguments without a grammar; each part that parses is kept, and the others keep
//! their names: a function with a marker ([`words::HALF_TYPED`]) and no body, a type that nobody knows
//! ([`words::UNKNOWN_TYPE`]). What comes out parses, and `fallback` makes stubs of it.

mod error;
mod pieces;
mod signature;

pub(crate) use error::{explain, unless_rustc};
pub(crate) use pieces::{Piece, pieces};
pub(crate) use signature::{fills_unknown, function, is_half_typed};

use crate::words;
use pieces::fields;
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::{ImplItem, ItemImpl, ItemStruct, parse_quote};

/// An item with what is wrong in it taken out.
pub(crate) struct Recovered<T> {
    pub(crate) item: T,
    /// What the parser says, one error for each part that it refuses; at least one.
    pub(crate) errors: Vec<syn::Error>,
    /// Functions that end with a semicolon.
    pub(crate) no_bodies: Vec<Ident>,
    /// Parts that only rustc's own parser can make something of: items, to be emitted beside this one.
    pub(crate) loose: Vec<TokenStream>,
}

/// The struct, whose fields keep at least their names.
pub(crate) fn structure(tokens: &TokenStream, whole: &syn::Error) -> Option<Recovered<ItemStruct>> {
    let (head, body) = braced(tokens)?;
    let mut item: ItemStruct = syn::parse2(quote!(#head {})).ok()?;
    let syn::Fields::Named(named) = &mut item.fields else { return None };
    let mut errors = Vec::new();
    for tokens in fields(body) {
        match syn::parse::Parser::parse2(syn::Field::parse_named, tokens.clone()) {
            Ok(field) => named.named.push(field),
            Err(error) => {
                errors.push(error);
                if let Some(name) = named_by(tokens) {
                    let unknown = format_ident!("{}", words::UNKNOWN_TYPE);
                    let vis = &item.vis;
                    named.named.push(syn::Field { vis: vis.clone(), ..parse_quote!(#name: #unknown) });
                }
            }
        }
    }
    Some(Recovered { item, errors: or_else(errors, whole), no_bodies: Vec::new(), loose: Vec::new() })
}

/// The block, whose functions keep at least their names.
pub(crate) fn block(tokens: &TokenStream, whole: &syn::Error) -> Option<Recovered<ItemImpl>> {
    let (head, body) = braced(tokens)?;
    let mut item: ItemImpl = syn::parse2(quote!(#head {})).ok()?;
    let (mut errors, mut loose) = (Vec::new(), Vec::new());
    for Piece { tokens, .. } in pieces(body) {
        let error = match syn::parse2::<ImplItem>(tokens.clone()) {
            Ok(part) => {
                item.items.push(part);
                continue;
            }
            Err(error) => error,
        };
        errors.push(error);
        match function(&tokens) {
            Some(kept) => item.items.push(ImplItem::Fn(parse_quote!(#kept))),
            None if names_value(&tokens) => {
                let (generics, ty) = (&item.generics, &item.self_ty);
                let (params, _, bounds) = generics.split_for_impl();
                loose.push(quote!(impl #params #ty #bounds { #tokens }));
            }
            None => {}
        }
    }
    let no_bodies = bodies(&mut item);
    Some(Recovered { item, errors: or_else(errors, whole), no_bodies, loose })
}

/// The errors of the parts, or that of the whole where each part is sound: a comma is missing between them.
fn or_else(errors: Vec<syn::Error>, whole: &syn::Error) -> Vec<syn::Error> {
    if errors.is_empty() { vec![whole.clone()] } else { errors }
}

/// Gives an empty body to the functions that end with a semicolon, and marks them; their names. Rust's grammar takes
/// them, and rustc refuses them only where they are emitted.
pub(crate) fn bodies(item: &mut ItemImpl) -> Vec<Ident> {
    let mut names = Vec::new();
    for part in &mut item.items {
        if let ImplItem::Verbatim(tokens) = part
            && let Some(kept) = function(tokens)
        {
            names.push(kept.sig.ident.clone());
            *part = ImplItem::Fn(parse_quote!(#kept));
        }
    }
    names
}

/// A half-typed `const`: what the parser says, and a constant of its name and type.
pub(crate) fn constant(tokens: &TokenStream) -> Option<(syn::Error, syn::ItemConst)> {
    let error = syn::parse2::<syn::Item>(tokens.clone()).err()?;
    let parser = |input: syn::parse::ParseStream<'_>| {
        let attrs = syn::Attribute::parse_outer(input)?;
        let vis: syn::Visibility = input.parse()?;
        input.parse::<syn::Token![const]>()?;
        let name: Ident = input.parse()?;
        let ty = input.parse::<syn::Token![:]>().and_then(|_| input.parse::<syn::Type>());
        input.parse::<TokenStream>()?;
        // Most constants are sizes.
        let ty = ty.unwrap_or_else(|_| parse_quote!(usize));
        let value = match &ty {
            syn::Type::Path(path) if path.path.is_ident("f32") || path.path.is_ident("f64") => quote!(1.0),
            syn::Type::Path(path) if path.path.is_ident("bool") => quote!(true),
            _ => quote!(1),
        };
        syn::parse2(quote!(#(#attrs)* #vis const #name: #ty = #value;))
    };
    let item = syn::parse::Parser::parse2(parser, tokens.clone()).ok()?;
    Some((error, item))
}

/// What stands before the last braces, and what in them.
fn braced(tokens: &TokenStream) -> Option<(TokenStream, TokenStream)> {
    let mut trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    match trees.pop()? {
        TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => {
            Some((trees.into_iter().collect(), body.stream()))
        }
        _ => None,
    }
}

/// Whether a constant or a type is declared: rustc keeps its name where it stands by itself.
fn names_value(tokens: &TokenStream) -> bool {
    let is = |token: TokenTree| matches!(token, TokenTree::Ident(word) if word == "const" || word == "type");
    tokens.clone().into_iter().any(is)
}

/// The name of a half-typed field: what stands before its colon, or after its visibility and attributes.
fn named_by(tokens: TokenStream) -> Option<Ident> {
    let mut name = None;
    for token in tokens {
        match token {
            TokenTree::Ident(ident) if ident == "pub" => {}
            TokenTree::Ident(ident) => name = Some(ident),
            TokenTree::Punct(punct) if punct.as_char() == ':' => break,
            _ => {}
        }
        if name.is_some() {
            break;
        }
    }
    // A keyword is the beginning of something else.
    name.filter(|name| syn::parse2::<Ident>(quote!(#name)).is_ok())
}
