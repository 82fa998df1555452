//! An enum of layers as a struct.

use super::condition;
use super::own::helper;
use crate::diag::Diag;
use crate::variants::{Variant, Variants};
use crate::{messages as m, words};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{ItemEnum, ItemStruct, Meta};

/// The struct that an enum of layers becomes: a field for each part of each variant, called as the variant, and as the part
/// where it has several. `None` where it has no variants, which is reported.
pub(crate) fn structure(diag: &Diag, item: &ItemEnum) -> Option<ItemStruct> {
    if item.variants.is_empty() {
        diag.report(item.ident.span(), &m::NO_VARIANTS, &[&item.ident, &item.ident]);
        return None;
    }
    let mut variants = Variants { all: Vec::new(), first: 0 };
    let mut fields: Vec<TokenStream> = Vec::new();
    let mut first = None;
    for (position, variant) in item.variants.iter().enumerate() {
        if variants.find(&super::name(&variant.ident)).is_some() {
            diag.report(variant.ident.span(), &m::VARIANT_TWICE, &[&item.ident, &variant.ident]);
            continue;
        }
        condition::decided(diag, &variant.attrs, &m::CFG);
        if let Some((_, number)) = &variant.discriminant {
            diag.report(number.span(), &m::VARIANT_NUMBER, &[&variant.ident]);
        }
        let (own, others): (Vec<_>, Vec<_>) = variant.attrs.iter().partition(|attr| helper(attr).is_some());
        for attr in others.iter().filter(|attr| attr.path().is_ident(words::DEFAULT)) {
            match &attr.meta {
                Meta::Path(_) => {}
                Meta::List(given) => diag.report(given.tokens.span(), &m::DEFAULT_FORM, &[]),
                Meta::NameValue(given) => diag.report(given.value.span(), &m::DEFAULT_FORM, &[]),
            }
            match first {
                None => first = Some(position),
                Some(first) => {
                    let first = &item.variants[first].ident;
                    diag.report(attr.span(), &m::DEFAULT_TWICE, &[first]);
                }
            }
        }
        if let (Some(attr), true) = (own.first(), variant.fields.len() != 1) {
            let (count, instead) = before_each(variant, attr);
            diag.report(attr.path().span(), &m::VARIANT_ATTRIBUTE, &[&variant.ident, &count, &instead]);
        }
        let (one, base) = (variant.fields.len() == 1, snake(&super::name(&variant.ident)));
        let mut parts = Vec::new();
        for (at, field) in variant.fields.iter().enumerate() {
            let place = field.ident.as_ref().unwrap_or(&variant.ident).span();
            let name = match &field.ident {
                Some(own) => format!("{base}_{}", super::name(own)),
                None if one => base.clone(),
                None => format!("{base}_{at}"),
            };
            let name = identifier(&name, place);
            let (attrs, ty) = (&field.attrs, &field.ty);
            // Where it is of several, of which it has been said, they need it all the same.
            let above = own.iter();
            // Which variants are matched is nothing that rustc counts.
            fields.push(quote!(#(#above)* #(#attrs)* #[allow(dead_code)] #name: #ty));
            parts.push((name, field.ident.clone()));
        }
        variants.all.push(Variant { name: variant.ident.clone(), parts });
    }
    variants.first = first.unwrap_or(0);
    let (vis, name, generics) = (&item.vis, &item.ident, &item.generics);
    let (attrs, mark, bounds) = (&item.attrs, variants.mark(), &item.generics.where_clause);
    Some(syn::parse_quote!(#(#attrs)* #mark #vis struct #name #generics #bounds { #(#fields),* }))
}

/// How many parts the variant has, and what to write in place of an attribute above it.
fn before_each(variant: &syn::Variant, attr: &syn::Attribute) -> (String, String) {
    let given = super::text(&attr.meta);
    let parts = variant.fields.iter().map(|field| {
        let named = field.ident.as_ref().map(|name| format!("{name}: ")).unwrap_or_default();
        let own: String = field.attrs.iter().map(|own| format!("#[{}] ", super::text(&own.meta))).collect();
        format!("#[{given}] {own}{named}{}", super::text(&field.ty))
    });
    let parts = parts.collect::<Vec<_>>().join(", ");
    let name = &variant.ident;
    match &variant.fields {
        fields if fields.is_empty() => {
            ("no parts".to_string(), "leave it out: there is nothing that it could be for".to_string())
        }
        syn::Fields::Named(fields) => (
            format!("{} parts", fields.named.len()),
            format!("it stands before each part: write `{name} {{ {parts} }}`"),
        ),
        fields => (format!("{} parts", fields.len()), format!("it stands before each part: write `{name}({parts})`")),
    }
}

/// `LayerNorm` as `layer_norm`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    let mut before = None::<char>;
    for letter in name.chars() {
        if letter.is_uppercase() && before.is_some_and(|before| before.is_lowercase() || before.is_numeric()) {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
        before = Some(letter);
    }
    snake
}

/// An identifier of that name, also where it is a word of Rust.
fn identifier(name: &str, place: Span) -> Ident {
    match syn::parse_str::<Ident>(name) {
        Ok(mut name) => {
            name.set_span(place);
            name
        }
        Err(_) if matches!(name, "self" | "super" | "crate") => format_ident!("{name}_", span = place),
        Err(_) => Ident::new_raw(name, place),
    }
}
