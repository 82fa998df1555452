//! What a half-typed function is called and takes.

use super::pieces::arguments;
use crate::words;
use proc_macro2::{Delimiter, Ident, Spacing, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::parse::Parser;
use syn::{Attribute, FnArg, Generics, ItemFn, Type, Visibility};

/// Whether this is our mark on a function that could not be parsed.
pub(crate) fn is_half_typed(attr: &Attribute) -> bool {
    attr.path().is_ident(words::HALF_TYPED)
}

/// The function with the mark and an empty body; `None` without a name.
pub(crate) fn function(tokens: &TokenStream) -> Option<ItemFn> {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let word = |at: usize, wanted: &str| matches!(&trees[at], TokenTree::Ident(word) if word == wanted);
    let position = (0..trees.len()).find(|at| word(*at, "fn"))?;
    let name: Ident = match trees.get(position + 1)? {
        TokenTree::Ident(name) => syn::parse2(quote!(#name)).ok()?,
        _ => return None,
    };
    let (attrs, vis) = before(&trees[..position]);
    let rest = &trees[position + 2..];
    let parenthesis =
        |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis);
    let opened = rest.iter().position(parenthesis);
    let generics: TokenStream = rest[..opened.unwrap_or_default()].iter().cloned().collect();
    let generics: Generics = syn::parse2(generics).unwrap_or_default();
    let args: Vec<FnArg> = match opened.map(|at| &rest[at]) {
        Some(TokenTree::Group(group)) => arguments(group.stream()).into_iter().map(argument).collect(),
        _ => Vec::new(),
    };
    let result = result(&rest[opened.map_or(rest.len(), |at| at + 1)..]);
    let mark = format_ident!("{}", words::HALF_TYPED);
    syn::parse2(quote!(#(#attrs)* #[#mark] #vis fn #name #generics (#(#args),*) #result {})).ok()
}

/// The attributes and the visibility, as far as they parse.
fn before(trees: &[TokenTree]) -> (Vec<Attribute>, Visibility) {
    let mut attrs = Vec::new();
    let mut vis = Visibility::Inherited;
    for (at, token) in trees.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        let attribute = quote!(# #group);
        if group.delimiter() == Delimiter::Bracket {
            attrs.extend(Attribute::parse_outer.parse2(attribute).unwrap_or_default());
        } else if at > 0 {
            let word = &trees[at - 1];
            vis = syn::parse2(quote!(#word #group)).unwrap_or(vis);
        }
    }
    let public = trees.iter().any(|token| matches!(token, TokenTree::Ident(word) if word == "pub"));
    if public && matches!(vis, Visibility::Inherited) {
        vis = syn::parse_quote!(pub);
    }
    (attrs, vis)
}

/// The argument, with a type of our own where the user's does not parse.
fn argument(tokens: TokenStream) -> FnArg {
    if let Ok(argument) = syn::parse2(tokens.clone()) {
        return argument;
    }
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |token: &TokenTree, sign: char| matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign);
    if trees.iter().any(|token| matches!(token, TokenTree::Ident(word) if word == "self")) {
        return syn::parse_quote!(&self);
    }
    let colon = trees.iter().position(|token| is(token, ':'));
    let name = trees[..colon.unwrap_or(trees.len())].iter().find_map(|token| match token {
        TokenTree::Ident(name) => syn::parse2::<Ident>(quote!(#name)).ok(),
        _ => None,
    });
    let name = name.map_or(quote!(_), |name| quote!(#name));
    let mut ty = trees[colon.map_or(trees.len(), |colon| colon + 1)..].iter();
    let tensor = format_ident!("{}", words::TENSOR);
    match (ty.next(), ty.next()) {
        (Some(first), Some(TokenTree::Ident(word))) if is(first, '&') && word == "mut" => {
            syn::parse_quote!(#name: &mut #tensor)
        }
        (Some(first), _) if is(first, '&') => syn::parse_quote!(#name: &#tensor),
        _ => {
            let unknown = format_ident!("{}", words::UNKNOWN_TYPE);
            syn::parse_quote!(#name: #unknown)
        }
    }
}

/// `-> ..` of what follows the arguments; a tensor, or as many as there are elements, where it does not parse.
fn result(trees: &[TokenTree]) -> TokenStream {
    let arrow = trees.windows(2).position(|pair| match pair {
        [TokenTree::Punct(a), TokenTree::Punct(b)] => {
            a.as_char() == '-' && a.spacing() == Spacing::Joint && b.as_char() == '>'
        }
        _ => false,
    });
    let Some(arrow) = arrow else { return TokenStream::new() };
    let after = &trees[arrow + 2..];
    let ends = |token: &TokenTree| match token {
        TokenTree::Punct(punct) => punct.as_char() == ';',
        TokenTree::Ident(word) => word == "where",
        _ => false,
    };
    let end = after.iter().position(ends).unwrap_or(after.len());
    let body = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    let end = if end > 0 && body(&after[end - 1]) { end - 1 } else { end };
    let written: TokenStream = after[..end].iter().cloned().collect();
    if let Ok(ty) = syn::parse2::<Type>(written) {
        return quote!(-> #ty);
    }
    let tensor = format_ident!("{}", words::TENSOR);
    match after.first() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
            let each = arguments(group.stream()).into_iter().map(|_| &tensor);
            quote!(-> (#(#each,)*))
        }
        _ => quote!(-> #tensor),
    }
}

/// Whether the type stands for one that could not be parsed.
pub(crate) fn fills_unknown(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident(words::UNKNOWN_TYPE))
}
