//! Enums of layers: `enum Act { Relu, Gelu(Linear) }` is a model with the fields of all variants, of which it has those of one.

use crate::words;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, ItemStruct, Token};

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
        self.all.iter().find(|variant| variant.name.unraw() == name)
    }

    /// The variant that has the field.
    pub(crate) fn of_field(&self, field: &Ident) -> Option<&Variant> {
        self.all.iter().find(|variant| variant.parts.iter().any(|(own, _)| own == field))
    }

    /// Arms of a `match` for all of them, with the part called `wanted` in use.
    pub(crate) fn arms(&self, own: &Ident, wanted: &str) -> String {
        let arms = self.all.iter().map(|Variant { name, parts }| {
            let names = parts.iter().map(|(field, own)| own.as_ref().unwrap_or(field).unraw().to_string());
            let names: Vec<String> = names.collect();
            let bound = match parts.first() {
                None => String::new(),
                Some((_, None)) => format!("({})", names.join(", ")),
                Some(_) => format!(" {{ {} }}", names.join(", ")),
            };
            let used = names.iter().find(|name| *name == wanted);
            let value = used.map_or("..".to_string(), |name| format!("{name}.forward(x)"));
            format!("{own}::{}{bound} => {value}", name.unraw())
        });
        arms.collect::<Vec<_>>().join(", ")
    }

    /// Their names.
    pub(crate) fn names(&self) -> Vec<String> {
        self.all.iter().map(|variant| variant.name.unraw().to_string()).collect()
    }

    /// What [`Variants::mark`] wrote on the struct.
    pub(crate) fn of(item: &ItemStruct) -> Option<Variants> {
        item.attrs.iter().find(|attr| is_mark(attr))?.parse_args().ok()
    }

    /// The mark that says on the struct which they are.
    pub(crate) fn mark(&self) -> Attribute {
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

/// See [`asked`].
const ASKED: &str = "__netcl_variants";

/// What is asked which variants a model's parts are, where a function's way is chosen.
pub(crate) fn asked() -> Ident {
    Ident::new(ASKED, Span::call_site())
}

/// Whether a condition asks that.
pub(crate) fn is_question(condition: &TokenStream) -> bool {
    condition.to_string().contains(ASKED)
}

/// What a condition says about enums, as a user would: `` `self.act` is `Gelu` ``; `None` of other conditions.
pub(crate) fn said(condition: &TokenStream, holds: bool) -> Option<String> {
    said_of(&syn::parse2::<syn::Expr>(condition.clone()).ok()?, holds)
}

fn said_of(condition: &syn::Expr, holds: bool) -> Option<String> {
    let is = if holds { "is" } else { "is not" };
    match condition {
        syn::Expr::Paren(inner) => said_of(&inner.expr, holds),
        syn::Expr::Group(inner) => said_of(&inner.expr, holds),
        syn::Expr::Unary(not) if matches!(not.op, syn::UnOp::Not(_)) => said_of(&not.expr, !holds),
        syn::Expr::Binary(both) if is_question(&both.to_token_stream()) => {
            let word = match (&both.op, holds) {
                (syn::BinOp::And(_), true) | (syn::BinOp::Or(_), false) => "and",
                (syn::BinOp::And(_), false) | (syn::BinOp::Or(_), true) => "or",
                _ => return None,
            };
            let side = |side: &syn::Expr| {
                let word = if holds { "holds" } else { "does not hold" };
                said_of(side, holds).unwrap_or_else(|| format!("`{}` {word}", crate::parse::text(side)))
            };
            Some(format!("{} {word} {}", side(&both.left), side(&both.right)))
        }
        syn::Expr::MethodCall(call) if is_question(&condition.to_token_stream()) => {
            let mut words = call.args.iter().map(|arg| match arg {
                syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(word), .. }) => Some(word.value()),
                _ => None,
            });
            let (place, name) = (words.next()??, words.next()??);
            let place = if place.is_empty() { "the enum".to_string() } else { format!("`self.{place}`") };
            Some(format!("{place} {is} `{name}`"))
        }
        syn::Expr::Macro(call) if call.mac.path.segments.last().is_some_and(|last| last.ident == "matches") => {
            let tokens = call.mac.tokens.to_string();
            let (of, pattern) = tokens.split_once(',')?;
            let pattern = pattern.split('{').next().unwrap_or(pattern).replace(' ', "");
            Some(format!("`{}` {is} `{pattern}`", of.trim()))
        }
        _ => None,
    }
}
