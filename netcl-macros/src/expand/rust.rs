//! Sizes, numbers, paths and types as Rust.

use crate::ast::ModelItem;
use crate::presence::Presence;
use crate::quotient;
use netcl_kernels::dim::{Dim, Factor};
use netcl_kernels::graph::CompareOp;
use netcl_kernels::layers;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use std::collections::BTreeSet;
use syn::{GenericArgument, Path, PathArguments, Type};

/// The path of a tensor or of a part.
pub(super) enum TensorPath {
    /// Known while compiling.
    Known(String),
    /// An expression of it: within an array whose length only the model's numbers say.
    Expression(TokenStream),
}

impl TensorPath {
    /// The path of `name` in this one.
    pub(super) fn join(&self, name: &str) -> TensorPath {
        match self {
            TensorPath::Known(path) => TensorPath::Known(format!("{path}.{name}")),
            TensorPath::Expression(path) => TensorPath::Expression(quote!(::std::format!("{}.{}", #path, #name))),
        }
    }

    /// As an argument of type `&str`.
    pub(super) fn borrowed(&self) -> TokenStream {
        match self {
            TensorPath::Known(path) => quote!(#path),
            TensorPath::Expression(path) => quote!(&#path),
        }
    }

    /// The path of the element at `position`, an expression.
    pub(super) fn at(&self, position: &Ident) -> TensorPath {
        TensorPath::Expression(quote!(::std::format!("{}.{}", #self, #position)))
    }
}

impl ToTokens for TensorPath {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            TensorPath::Known(path) => path.to_tokens(tokens),
            TensorPath::Expression(path) => path.to_tokens(tokens),
        }
    }
}

/// The variable that counts an array's elements where the model runs.
pub(super) fn position() -> Ident {
    Ident::new("__netcl_position", Span::call_site())
}

/// The length of an array, where it is a number.
pub(super) fn length(count: &Dim) -> Option<usize> {
    count.as_constant().and_then(|count| usize::try_from(count).ok())
}

/// An item of a nested model, at the place of its type: where that is no model, rustc says so there, and once.
pub(super) fn part(ty: &syn::Path, item: &str) -> TokenStream {
    let (place, ty) = (place(ty), known(ty));
    let item = Ident::new(item, place);
    quote_spanned!(place=> <#ty as ::netcl::__private::Part>::#item)
}

/// A field's type as Rust has it, where `types` are the parameters that are types: of what stands for one, what its field holds.
pub(super) fn held(ty: &Type, types: &BTreeSet<String>) -> Type {
    match ty {
        Type::Array(array) => Type::Array(syn::TypeArray { elem: Box::new(held(&array.elem, types)), ..array.clone() }),
        Type::Tuple(tuple) => {
            let elems = tuple.elems.iter().map(|inner| held(inner, types)).collect();
            Type::Tuple(syn::TypeTuple { elems, ..tuple.clone() })
        }
        Type::Paren(inner) => held(&inner.elem, types),
        Type::Group(inner) => held(&inner.elem, types),
        Type::Path(path) if path.path.get_ident().is_some_and(|name| types.contains(&crate::parse::name(name))) => {
            syn::parse_quote!(#path::Held)
        }
        Type::Path(path) => {
            let mut path = path.clone();
            let last = path.path.segments.last_mut().filter(|last| last.ident == "Vec" || last.ident == "Option");
            match last.map(|last| &mut last.arguments) {
                Some(PathArguments::AngleBracketed(given)) => {
                    for argument in &mut given.args {
                        if let GenericArgument::Type(inner) = argument {
                            *inner = held(inner, types);
                        }
                    }
                }
                _ => path.path = known(&path.path),
            }
            Type::Path(path)
        }
        ty => ty.clone(),
    }
}

/// The path of a model with the types that it is given by paths of their own, where they are layers: these need not be in scope.
pub(crate) fn known(path: &Path) -> Path {
    let mut path = path.clone();
    let Some(PathArguments::AngleBracketed(given)) = path.segments.last_mut().map(|last| &mut last.arguments) else {
        return path;
    };
    for argument in &mut given.args {
        if let GenericArgument::Type(Type::Path(ty)) = argument {
            match ty.path.get_ident().filter(|name| layers::find(&name.to_string()).is_some()) {
                Some(name) => ty.path = syn::parse_quote_spanned!(name.span()=> ::netcl::layers::#name),
                None => ty.path = known(&ty.path),
            }
        }
    }
    path
}

/// Where a nested model's type stands.
pub(super) fn place(ty: &syn::Path) -> Span {
    ty.segments.last().map_or_else(Span::call_site, |last| last.ident.span())
}

/// The number as Rust, which has no literal of infinity or NaN.
pub(super) fn float(value: f64) -> TokenStream {
    let f64 = quote!(<::core::primitive::f64>);
    match value {
        _ if value.is_nan() => quote!(#f64::NAN),
        f64::INFINITY => quote!(#f64::INFINITY),
        f64::NEG_INFINITY => quote!(#f64::NEG_INFINITY),
        _ => Literal::f64_suffixed(value).into_token_stream(),
    }
}

/// A size as Rust: what is added before what is subtracted, so that nothing in between is negative.
pub(super) fn size(dim: &Dim, names: &[Ident]) -> TokenStream {
    let term = |(factors, coefficient): (&[Factor], i64)| {
        let mut factors: Vec<TokenStream> = factors
            .iter()
            .map(|factor| match factor {
                Factor::Symbol(symbol) => match quotient::parts(symbol.name()) {
                    Some((dividend, divisor)) => {
                        let (dividend, divisor) = (size(&dividend, names), size(&divisor, names));
                        quote!(((#dividend) / (#divisor)))
                    }
                    // With its own place, where rustc reports a name that it does not know.
                    None => {
                        let name = names.iter().find(|name| *name == symbol.name());
                        name.map(ToTokens::to_token_stream).unwrap_or_default()
                    }
                },
                Factor::FloorDiv(dividend, divisor) => {
                    let (dividend, divisor) = (size(dividend, names), Literal::u64_unsuffixed(*divisor));
                    quote!(((#dividend) / #divisor))
                }
            })
            .collect();
        let number = Literal::u64_unsuffixed(coefficient.unsigned_abs());
        if factors.is_empty() || coefficient.unsigned_abs() != 1 {
            factors.push(quote!(#number));
        }
        factors.into_iter().reduce(|product, factor| quote!(#product * #factor)).unwrap_or_default()
    };
    let (added, taken): (Vec<_>, Vec<_>) = dim.terms().partition(|(_, coefficient)| *coefficient > 0);
    let added = added.into_iter().rev().map(term).reduce(|sum, term| quote!(#sum + #term)).unwrap_or(quote!(0));
    taken.into_iter().rev().map(term).fold(added, |sum, term| quote!(#sum - #term))
}

/// A size as a constant of Rust that no numbers make a mistake of: differences may be negative, and a quotient by 0 is 0.
pub(super) fn signed(dim: &Dim, names: &[Ident]) -> TokenStream {
    let wide = quote!(::core::primitive::i128);
    let quotient = |dividend: TokenStream, divisor: TokenStream| {
        quote!((match #wide::checked_div(#dividend, #divisor) {
            ::core::option::Option::Some(quotient) => quotient,
            ::core::option::Option::None => 0,
        }))
    };
    let terms = dim.terms().map(|(factors, coefficient)| {
        let factors = factors.iter().map(|factor| match factor {
            Factor::Symbol(symbol) => match quotient::parts(symbol.name()) {
                Some((dividend, divisor)) => quotient(signed(&dividend, names), signed(&divisor, names)),
                None => {
                    let name = names.iter().find(|name| *name == symbol.name());
                    quote!((#name as #wide))
                }
            },
            Factor::FloorDiv(dividend, divisor) => {
                let divisor = Literal::u64_unsuffixed(*divisor);
                quotient(signed(dividend, names), quote!(#divisor))
            }
        });
        let number = Literal::i128_suffixed(i128::from(coefficient));
        factors.fold(quote!(#number), |product, factor| quote!(#product * #factor))
    });
    let sum = terms.reduce(|sum, term| quote!(#sum + #term)).unwrap_or(quote!(0i128));
    quote!((#sum))
}

/// Whether an `Option` field is there, as Rust; of an enum's, in a function that has the memory and the prefix.
pub(super) fn presence(present: &Presence, names: &[Ident]) -> TokenStream {
    match present {
        Presence::Known(truth) => quote!(#truth),
        Presence::Variant(variant) => {
            quote!(::netcl::__private::Variants::under(__netcl_core, __netcl_prefix).is("", #variant))
        }
        Presence::Not(inner) => {
            let inner = presence(inner, names);
            quote!(!(#inner))
        }
        Presence::Both(and, sides) => {
            let [a, b] = [&sides[0], &sides[1]].map(|side| presence(side, names));
            if *and { quote!(((#a) && (#b))) } else { quote!(((#a) || (#b))) }
        }
        Presence::Compare(op, a, b) => {
            let [a, b] = [a, b].map(|side| size(side, names));
            let op = match op {
                CompareOp::Eq => quote!(eq),
                CompareOp::Ne => quote!(ne),
                CompareOp::Lt => quote!(lt),
                CompareOp::Le => quote!(le),
                CompareOp::Gt => quote!(gt),
                CompareOp::Ge => quote!(ge),
            };
            // As functions: rustc has nothing to say of what is always so.
            let compare = match op.to_string().as_str() {
                "eq" | "ne" => quote!(::core::cmp::PartialEq),
                _ => quote!(::core::cmp::PartialOrd),
            };
            quote!(#compare::#op(&(#a), &(#b)))
        }
    }
}

/// A size as the compiler has it, with the numbers that Rust has for its names.
pub(super) fn dim(dim: &Dim, names: &[Ident]) -> TokenStream {
    let kernels = quote!(::netcl::__private::kernels::dim::Dim);
    let term = |(factors, coefficient): (&[Factor], i64)| {
        let factors = factors.iter().map(|factor| match factor {
            Factor::Symbol(symbol) => match quotient::parts(symbol.name()) {
                Some((dividend, divisor)) => {
                    let (dividend, divisor) = (size(&dividend, names), size(&divisor, names));
                    // Of a quotient by 0 the layer says that it is none of its numbers.
                    quote!(#kernels::from(::core::primitive::usize::checked_div(#dividend, #divisor).unwrap_or(0)))
                }
                None => {
                    let name = names.iter().find(|name| *name == symbol.name());
                    quote!(#kernels::from(#name))
                }
            },
            Factor::FloorDiv(dividend, divisor) => {
                let (dividend, divisor) = (self::dim(dividend, names), Literal::u64_unsuffixed(*divisor));
                quote!((#dividend).floor_div(#divisor))
            }
        });
        let coefficient = Literal::i64_unsuffixed(coefficient);
        quote!(#kernels::constant(#coefficient) #(* #factors)*)
    };
    let terms = dim.terms().map(term).reduce(|sum, term| quote!(#sum + #term));
    terms.unwrap_or_else(|| quote!(#kernels::constant(0)))
}

/// The element type as a path.
pub(crate) fn dtype(dtype: netcl_kernels::dtype::DType) -> TokenStream {
    let variant = format_ident!("{}", format!("{dtype:?}"));
    quote!(::netcl::DType::#variant)
}

/// What marks the model's parameters that are types as used.
pub(super) fn mark_of_types(model: &ModelItem) -> Option<(TokenStream, TokenStream)> {
    let types: Vec<&Ident> = model.generics.type_params().map(|parameter| &parameter.ident).collect();
    let mark = quote!(::core::marker::PhantomData);
    (!types.is_empty()).then(|| (quote!(__netcl_types: #mark<fn() -> (#(#types,)*)>,), quote!(__netcl_types: #mark,)))
}
