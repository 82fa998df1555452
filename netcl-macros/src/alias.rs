//! `#[netcl::model] type Small = Block<64>;`: the functions of a generic model that need its numbers, compiled for these.

use crate::ast::{FunctionItem, Unit};
use crate::chain::{self, Gathered, ItemKind, Need};
use crate::diag::Diag;
use crate::expand;
use crate::lower::Sizes;
use crate::module::{self, Around};
use crate::parse::constant::{self, Constants};
use crate::parse::types;
use crate::{messages as m, parse, paths, payload, rounds, told};
use netcl_kernels::dim::Dim;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use std::collections::BTreeSet;
use syn::spanned::Spanned;
use syn::{GenericArgument, ItemType, PathArguments, Type};

/// The type's item, whose own tokens stay as they are.
pub(crate) fn item(gathered: &Gathered, item: ItemType) -> TokenStream {
    let alias = Alias(item);
    if alias.named().is_none() {
        let (diag, item) = (Diag::new(), &alias.0);
        alias.malformed(&diag);
        let errors = diag.finish().err();
        return quote!(#errors #item);
    }
    rounds::round(&alias, gathered)
}

struct Alias(ItemType);

impl Alias {
    /// The model's path without its sizes, and the sizes' tokens.
    fn named(&self) -> Option<(syn::Path, Vec<&GenericArgument>)> {
        let Type::Path(ty) = &*self.0.ty else { return None };
        let mut path = ty.path.clone();
        path.segments.last_mut()?.arguments = PathArguments::None;
        match &ty.path.segments.last()?.arguments {
            PathArguments::AngleBracketed(given) if ty.qself.is_none() && self.0.generics.params.is_empty() => {
                Some((path, given.args.iter().collect()))
            }
            _ => None,
        }
    }

    /// The model's type.
    fn path(&self) -> Option<&syn::Path> {
        match &*self.0.ty {
            Type::Path(ty) => Some(&ty.path),
            _ => None,
        }
    }

    /// The item with layers by paths of their own, which need not be in scope.
    fn known(&self) -> ItemType {
        let mut item = self.0.clone();
        if let Type::Path(ty) = &mut *item.ty {
            ty.path = expand::known(&ty.path);
        }
        item
    }

    /// Rule: a type that is named has numbers for sizes. Wrong: `#[netcl::model] type Small = Block<N>;`.
    fn malformed(&self, diag: &Diag) {
        let (path, sizes) = match &*self.0.ty {
            Type::Path(ty) => {
                let last = ty.path.segments.last();
                let given = last.and_then(|last| match &last.arguments {
                    PathArguments::AngleBracketed(given) => Some(given.args.iter().collect::<Vec<_>>()),
                    _ => None,
                });
                (last.map(|last| last.ident.to_string()), given.unwrap_or_default())
            }
            _ => (None, Vec::new()),
        };
        let number = |size: &&GenericArgument| {
            let text = parse::text(size);
            if types::type_argument(size, &BTreeSet::new()).is_some() {
                return text;
            }
            if text.parse::<u64>().is_ok() { text } else { "64".to_string() }
        };
        let numbers: Vec<String> = sizes.iter().map(number).collect();
        let numbers = if numbers.is_empty() { "64".to_string() } else { numbers.join(", ") };
        let example = format!("{}<{numbers}>", path.unwrap_or_else(|| "Block".to_string()));
        let instead =
            format!("write `type {} = {example};`, with a number for each of the model's sizes", self.0.ident);
        diag.report(self.0.ty.span(), &m::NAMED_TYPE, &[&parse::text(&self.0.ty), &instead]);
    }

    /// The sizes, where all of them are numbers.
    fn numbers(&self, constants: &Constants) -> Option<Vec<Dim>> {
        let Type::Path(ty) = &*self.0.ty else { return None };
        types::sizes(&ty.path, constants)?.into_iter().map(|size| size.as_constant().map(Dim::constant)).collect()
    }

    /// What was compiled, and the model that it is of; `None` where something is wrong or has been said to be.
    fn compiled(&self, diag: &Diag, gathered: &Gathered) -> Option<TokenStream> {
        let (path, _) = self.named()?;
        let Some(numbers) = self.numbers(&payload::constants(gathered)) else {
            self.malformed(diag);
            return None;
        };
        // Rustc says where one is missing or too many.
        let told = gathered.get(ItemKind::Nested, &path)?;
        let (mut unit, numbers) = if told::is_generic(told) {
            let constants = &payload::constants(gathered);
            let (unit, sizes) = payload::instance((diag, &Around { gathered, constants }), told, self.path()?)?;
            (unit, sizes)
        } else {
            (payload::read_nested(told)?, numbers)
        };
        if numbers.iter().any(|size| size.as_constant().is_none()) {
            self.malformed(diag);
            return None;
        }
        if unit.krate != paths::krate() {
            let instead = format!(
                "`{}` is of another crate, which names the types that it compiles; as a field of a model of your own it is compiled \
                 with that",
                parse::text(&path)
            );
            diag.report(self.0.ty.span(), &m::NAMED_TYPE, &[&parse::text(&self.0.ty), &instead]);
            return None;
        }
        let model = unit.model.as_ref()?;
        if model.lacks(numbers.len()) || numbers.len() > model.parameters.len() {
            return None;
        }
        let sizes = Sizes::closed(model, &unit.given, &numbers);
        let functions: Vec<FunctionItem> = std::mem::take(&mut unit.functions);
        let is_open = |function: &&FunctionItem| unit.open.contains(&parse::name(&function.name));
        let open: Vec<FunctionItem> = functions.iter().filter(is_open).cloned().collect();
        let unit = Unit { functions, ..unit };
        let of = parse::text(&self.0.ty);
        let all: Option<Vec<_>> = open
            .iter()
            .map(|function| expand::instance::of(diag, (&unit, &of), function, &sizes).map(|forms| (function, forms)))
            .collect();
        let meant = expand::meant::layers(std::iter::once(&*self.0.ty));
        let implementation = expand::instance::implementation(&self.known().ty, &all?);
        Some(quote!(#implementation #meant))
    }
}

impl rounds::Item for Alias {
    fn driver(&self) -> (&'static str, TokenStream) {
        ("model_type", self.0.to_token_stream())
    }

    fn place(&self) -> Span {
        self.0.ident.span()
    }

    fn missing(&self, gathered: &Gathered) -> Vec<Need> {
        let Some((path, sizes)) = self.named() else { return Vec::new() };
        let mut constants = Vec::new();
        for size in sizes {
            if let GenericArgument::Const(size) = size {
                constant::braced_paths(size, &Constants::new(), &mut constants);
            }
        }
        let constants = constants.into_iter().map(|path| Need { kind: ItemKind::Constant, path });
        let given = self.path().into_iter().flat_map(|ty| module::needs(ty, &BTreeSet::new()));
        chain::left(gathered, constants.chain([Need { kind: ItemKind::Nested, path }]).chain(given))
    }

    /// The type is there whatever is made of it.
    fn unless(&self) -> TokenStream {
        let item = self.known();
        quote!(#[allow(dead_code)] #item)
    }

    fn mistakes(&self, _: &Diag, _: &Gathered, _: &[Need]) {}

    fn expand(&self, diag: &Diag, gathered: &Gathered) -> Option<TokenStream> {
        self.compiled(diag, gathered)
    }

    fn stub(&self, gathered: &Gathered) -> TokenStream {
        let Some((path, _)) = self.named() else { return TokenStream::new() };
        let unit = gathered.get(ItemKind::Nested, &path).and_then(payload::read_nested);
        let here = unit.is_some_and(|unit| unit.krate == paths::krate());
        if here && self.numbers(&payload::constants(gathered)).is_some() {
            expand::instance::stub(&self.known().ty)
        } else {
            TokenStream::new()
        }
    }
}
