//! Enums of layers: `enum Act { Relu, Gelu(Linear) }` is a model with the fields of all variants, of which it has those of one.

use crate::diag::Diag;
use crate::parse::attr;
use crate::parse::own::helper;
use crate::{messages as m, parse, words};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, ItemEnum, ItemStruct, Token};

/// The variants of a model that is an enum.
#[derive(Clone)]
pub(crate) struct Variants {
    pub(crate) all: Vec<Variant>,
    /// What it is where nobody says.
    pub(crate) first: usize,
}

/// One of them.
#[derive(Clone)]
pub(crate) struct Variant {
    pub(crate) name: Ident,
    /// The model's fields that it alone has, each with the name that it has in the variant, if it has one.
    pub(crate) parts: Vec<(Ident, Option<Ident>)>,
}

impl Variants {
    /// The variant of that name.
    pub(crate) fn find(&self, name: &str) -> Option<&Variant> {
        self.all.iter().find(|variant| parse::name(&variant.name) == name)
    }

    /// The variant that has the field.
    pub(crate) fn of_field(&self, field: &Ident) -> Option<&Variant> {
        self.all.iter().find(|variant| variant.parts.iter().any(|(own, _)| own == field))
    }

    /// Their names.
    pub(crate) fn names(&self) -> Vec<String> {
        self.all.iter().map(|variant| parse::name(&variant.name)).collect()
    }

    /// What [`Variants::mark`] wrote on the struct.
    pub(crate) fn of(item: &ItemStruct) -> Option<Variants> {
        item.attrs.iter().find(|attr| is_mark(attr))?.parse_args().ok()
    }

    fn mark(&self) -> Attribute {
        let (mark, first) = (format_ident!("{}", words::VARIANTS), Literal::usize_unsuffixed(self.first));
        let all = self.all.iter().map(|Variant { name, parts }| {
            let parts = parts.iter().map(|(field, own)| {
                let own = own.as_ref().map(|own| quote!(= #own));
                quote!(#field #own)
            });
            quote!(#name(#(#parts),*))
        });
        syn::parse_quote!(#[#mark(#first, #(#all),*)])
    }
}

/// Whether it is our mark on the struct that an enum becomes.
pub(crate) fn is_mark(attr: &Attribute) -> bool {
    attr.path().is_ident(words::VARIANTS)
}

impl Parse for Variants {
    fn parse(input: ParseStream<'_>) -> syn::Result<Variants> {
        let first = input.parse::<syn::LitInt>()?.base10_parse()?;
        input.parse::<Token![,]>()?;
        let all = Punctuated::<Variant, Token![,]>::parse_terminated(input)?;
        Ok(Variants { all: all.into_iter().collect(), first })
    }
}

impl Parse for Variant {
    fn parse(input: ParseStream<'_>) -> syn::Result<Variant> {
        let (name, inner);
        name = input.parse()?;
        syn::parenthesized!(inner in input);
        let part = |input: ParseStream<'_>| {
            let field = input.parse()?;
            let own = input.parse::<Option<Token![=]>>()?.map(|_| input.parse()).transpose()?;
            Ok((field, own))
        };
        let parts = inner.parse_terminated(part, Token![,])?;
        Ok(Variant { name, parts: parts.into_iter().collect() })
    }
}

/// The struct that an enum of layers becomes: a field for each part of each variant, called as the variant, and as the part
/// where it has several. `None` where it has no variants, which is reported.
pub(crate) fn structure(diag: &Diag, item: &ItemEnum) -> Option<ItemStruct> {
    if item.variants.is_empty() {
        diag.report(item.ident.span(), &m::NO_VARIANTS, &[&item.ident, &item.ident]);
        return None;
    }
    let mut variants = Variants { all: Vec::new(), first: 0 };
    let mut fields: Vec<TokenStream> = Vec::new();
    for (position, variant) in item.variants.iter().enumerate() {
        attr::decided(diag, &variant.attrs, &m::CFG);
        if let Some((_, number)) = &variant.discriminant {
            diag.report(number.span(), &m::VARIANT_NUMBER, &[&variant.ident]);
        }
        let (own, others): (Vec<_>, Vec<_>) = variant.attrs.iter().partition(|attr| helper(attr).is_some());
        if others.iter().any(|attr| attr.path().is_ident(words::DEFAULT)) {
            variants.first = position;
        }
        if let (Some(attr), true) = (own.first(), variant.fields.len() != 1) {
            let count = variant.fields.len();
            diag.report(attr.path().span(), &m::VARIANT_ATTRIBUTE, &[&variant.ident, &count]);
        }
        let (one, base) = (variant.fields.len() == 1, snake(&parse::name(&variant.ident)));
        let mut parts = Vec::new();
        for (at, field) in variant.fields.iter().enumerate() {
            let place = field.ident.as_ref().unwrap_or(&variant.ident).span();
            let name = match &field.ident {
                Some(own) => format!("{base}_{}", parse::name(own)),
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
    let (vis, name, generics) = (&item.vis, &item.ident, &item.generics);
    let (attrs, mark, bounds) = (&item.attrs, variants.mark(), &item.generics.where_clause);
    Some(syn::parse_quote!(#(#attrs)* #mark #vis struct #name #generics #bounds { #(#fields),* }))
}

/// The named variant of a pattern or of a key: `Act::Gelu`, `Gelu`.
pub(crate) fn named(expr: &syn::Expr) -> Option<Ident> {
    match expr {
        syn::Expr::Path(path) => path.path.segments.last().map(|last| last.ident.clone()),
        syn::Expr::Paren(inner) => named(&inner.expr),
        syn::Expr::Group(inner) => named(&inner.expr),
        _ => None,
    }
}

/// What is asked which variants a model's parts are, where a function's way is chosen.
pub(crate) fn asked() -> Ident {
    Ident::new("__netcl_variants", Span::call_site())
}

/// Whether a condition asks that.
pub(crate) fn is_question(condition: &TokenStream) -> bool {
    let name = asked();
    parse::function::mentions(condition.clone(), &|word| *word == name)
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
