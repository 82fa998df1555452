//! How tensors and numbers are put together in an argument or a result: alone, in tuples, arrays, and structs of the user's.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

/// One value, or several as they are put together. What they are stands beside it, in order.
#[derive(Clone)]
pub(crate) enum Composite {
    One,
    Tuple(Vec<Composite>),
    Array(Vec<Composite>),
    /// A struct with `#[netcl::tensors]`, and its fields.
    Struct(Declared, Vec<(Ident, Composite)>),
}

/// Which struct is declared.
#[derive(Clone)]
pub(crate) struct Declared {
    /// As it is written.
    pub(crate) path: syn::Path,
    /// What tells it from all others, whatever it is called where it is used.
    pub(crate) identity: u64,
}

impl Composite {
    /// Whether it is a value alone.
    pub(crate) fn is_one(&self) -> bool {
        matches!(self, Composite::One)
    }

    /// How many values there are in it.
    pub(crate) fn count(&self) -> usize {
        match self {
            Composite::One => 1,
            Composite::Tuple(parts) | Composite::Array(parts) => parts.iter().map(Composite::count).sum(),
            Composite::Struct(_, fields) => fields.iter().map(|(_, part)| part.count()).sum(),
        }
    }

    /// What it is, for messages.
    pub(crate) fn kind(&self) -> String {
        match self {
            Composite::One => "a tensor".to_string(),
            Composite::Tuple(parts) => format!("a tuple of {}", parts.len()),
            Composite::Array(parts) => format!("an array of {}", parts.len()),
            Composite::Struct(of, _) => format!("a `{}`", crate::parse::text(&of.path)),
        }
    }

    /// The value of Rust that is put together from `each`.
    pub(crate) fn value(&self, each: &mut impl Iterator<Item = TokenStream>) -> TokenStream {
        self.value_in(false, each)
    }

    /// The same; in a struct the names of others are those of where it stands.
    fn value_in(&self, inner: bool, each: &mut dyn Iterator<Item = TokenStream>) -> TokenStream {
        match self {
            Composite::One => each.next().unwrap_or_default(),
            Composite::Tuple(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| part.value_in(inner, each)).collect();
                quote!((#(#parts,)*))
            }
            Composite::Array(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| part.value_in(inner, each)).collect();
                quote!([#(#parts),*])
            }
            Composite::Struct(Declared { path, .. }, fields) => {
                let values: Vec<_> = fields.iter().map(|(_, part)| part.value_in(true, each)).collect();
                if inner {
                    let private = crate::paths::private();
                    return quote!(#private::Composed::compose((#(#values,)*)));
                }
                let names = fields.iter().map(|(name, _)| name);
                quote!(#path { #(#names: #values),* })
            }
        }
    }

    /// The type of Rust, where each value is of the next type of `each`.
    pub(crate) fn rust_type(&self, each: &mut impl Iterator<Item = TokenStream>) -> TokenStream {
        match self {
            Composite::One => each.next().unwrap_or_default(),
            Composite::Tuple(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| part.rust_type(each)).collect();
                quote!((#(#parts,)*))
            }
            Composite::Array(parts) => {
                let types: Vec<_> = parts.iter().map(|part| part.rust_type(each)).collect();
                let (first, count) = (types.first(), proc_macro2::Literal::usize_unsuffixed(parts.len()));
                quote!([#first; #count])
            }
            Composite::Struct(Declared { path, .. }, fields) => {
                fields.iter().for_each(|(_, part)| drop(part.rust_type(each)));
                path.to_token_stream()
            }
        }
    }

    /// How Rust reads each value of `whole`, in order.
    pub(crate) fn read(&self, whole: TokenStream, all: &mut Vec<TokenStream>) {
        match self {
            Composite::One => all.push(whole),
            Composite::Tuple(parts) => parts.iter().enumerate().for_each(|(position, part)| {
                let position = proc_macro2::Literal::usize_unsuffixed(position);
                part.read(quote!(#whole.#position), all);
            }),
            Composite::Array(parts) => parts.iter().enumerate().for_each(|(position, part)| {
                let position = proc_macro2::Literal::usize_unsuffixed(position);
                part.read(quote!(#whole[#position]), all);
            }),
            Composite::Struct(_, fields) => {
                fields.iter().for_each(|(name, part)| part.read(quote!(#whole.#name), all));
            }
        }
    }
}

/// A parameter of a function, as it is written.
#[derive(Clone)]
pub(crate) struct Param {
    /// A name, or a tuple of names.
    pub(crate) pattern: syn::Pat,
    /// The type in Rust, where tensors have no sizes.
    pub(crate) ty: TokenStream,
    /// How its values, which are arguments of their own, are put together.
    pub(crate) parts: Composite,
}

impl Param {
    /// How Rust reads each of its values, where its pattern binds names.
    pub(crate) fn reads(&self) -> Vec<TokenStream> {
        fn walk(pattern: &syn::Pat, parts: &Composite, all: &mut Vec<TokenStream>) {
            match (pattern, parts) {
                (syn::Pat::Paren(inner), _) => walk(&inner.pat, parts, all),
                (syn::Pat::Tuple(tuple), Composite::Tuple(parts)) => {
                    tuple.elems.iter().zip(parts).for_each(|(pattern, part)| walk(pattern, part, all));
                }
                (syn::Pat::Ident(name), parts) => parts.read(name.ident.to_token_stream(), all),
                _ => {}
            }
        }
        let mut all = Vec::new();
        walk(&self.pattern, &self.parts, &mut all);
        all
    }
}
