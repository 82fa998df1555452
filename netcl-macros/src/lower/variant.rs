//! Enums of layers in patterns: `match self { Act::Relu => .., Act::Gelu(line) => .. }`. Which variant a model is, each says where the
//! program runs, and chooses by it a way through the function, as plain arguments do; a field may say it while compiling.

use super::facts::Facts;
use super::{FieldRef, Lowering, Sizes, Val};
use crate::ast::{FieldKind, PlainType, Unit};
use crate::messages as m;
use crate::parse::{self, list, suggestion, text};
use crate::variants::{self, Variant, Variants};
use proc_macro2::TokenStream;
use quote::quote;
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{Member, Pat};

/// An enum of layers: its model, path, sizes and variants.
pub(super) struct Enum<'a> {
    unit: &'a Unit,
    path: String,
    sizes: Rc<Sizes>,
    variants: &'a Variants,
}

impl<'a> Enum<'a> {
    /// The value, if it is one.
    pub(super) fn of(value: &Val<'a>) -> Option<Enum<'a>> {
        let Val::Place(FieldRef::Model(unit, path, sizes)) = value else { return None };
        let (unit, path, sizes) = (*unit, path.clone(), sizes.clone());
        let variants = unit.model.as_ref()?.variants.as_ref()?;
        Some(Enum { unit, path, sizes, variants })
    }

    pub(super) fn name(&self) -> String {
        self.unit.name()
    }

    /// Whether its model has parameters.
    pub(super) fn is_generic(&self) -> bool {
        self.unit.model.as_ref().is_none_or(|model| !model.generics.params.is_empty())
    }

    /// The names of the variants that it may be: the one that its field says, or all.
    pub(super) fn possible(&self, fixed: Option<&syn::Ident>) -> Vec<String> {
        match fixed {
            Some(fixed) => vec![parse::name(fixed)],
            None => self.variants.names(),
        }
    }

    /// Where it is, as the path of a field.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    fn place(&self) -> &str {
        self.path.strip_suffix('.').unwrap_or(&self.path)
    }

    /// The question whether it is the variant, as Rust.
    fn question(&self, variant: &Variant) -> TokenStream {
        let (variants, place, name) = (variants::asked(), self.place(), parse::name(&variant.name));
        quote!(#variants.is(#place, #name))
    }
}

/// The variant that a pattern names.
pub(super) fn named(pattern: &Pat) -> Option<&syn::Ident> {
    match pattern {
        Pat::Ident(name) if name.subpat.is_none() && name.ident.to_string().starts_with(char::is_uppercase) => {
            Some(&name.ident)
        }
        pattern => Some(&pattern_path(pattern)?.segments.last()?.ident),
    }
}

/// The path that the pattern begins with: `Act::Line` of `Act::Line(line)`.
pub(super) fn pattern_path(pattern: &Pat) -> Option<&syn::Path> {
    match pattern {
        Pat::Path(path) => Some(&path.path),
        Pat::TupleStruct(parts) => Some(&parts.path),
        Pat::Struct(parts) => Some(&parts.path),
        _ => None,
    }
}

impl<'a> Lowering<'a> {
    /// Whether the enum of layers fits the pattern; `None` where the pattern names no variant.
    pub(super) fn fits_variant(&mut self, pattern: &'a Pat, value: &Val<'a>) -> Option<Val<'a>> {
        let (name, of) = (named(pattern)?, Enum::of(value)?);
        match self.known_variant(pattern, name, &of) {
            Some(variant) => Some(self.is_that(&of, variant)),
            None => {
                self.bind_unknown(pattern, false);
                Some(Val::Unknown)
            }
        }
    }

    /// The variant that the pattern, which has that name, is of. Rule: there is one. Wrong: `Act::Tanh` of an enum without it.
    pub(super) fn known_variant(&mut self, pattern: &'a Pat, name: &syn::Ident, of: &Enum<'a>) -> Option<&'a Variant> {
        let wanted = parse::name(name);
        let Some(variant) = of.variants.find(&wanted) else {
            let all = of.variants.names();
            let known = || all.iter().map(String::as_str);
            let near = suggestion(&wanted, known());
            self.report(name.span(), &m::UNKNOWN_VARIANT, &[&of.name(), &wanted, &near, &list(known())]);
            return None;
        };
        self.parts_fit(pattern, variant).then_some(variant)
    }

    /// Whether it is the variant, as far as that is known: of a field that says so, or by what has been asked on this way.
    fn is_that(&mut self, of: &Enum<'a>, variant: &Variant) -> Val<'a> {
        if let Some(fixed) = self.fixed.get(&of.path).copied() {
            return match of.variants.find(&parse::name(fixed)) {
                Some(fixed) => Val::Bool(fixed.name == variant.name),
                None => Val::Unknown,
            };
        }
        let facts = Facts::of(&self.decisions);
        let answer = |variant: &Variant| facts.know(&of.question(variant));
        if let Some(known) = answer(variant) {
            return Val::Bool(known);
        }
        let mut others = of.variants.all.iter().filter(|other| other.name != variant.name);
        if others.clone().any(|other| answer(other) == Some(true)) {
            return Val::Bool(false);
        }
        match others.all(|other| answer(other) == Some(false)) {
            true => Val::Bool(true),
            false => Val::Plain(of.question(variant), PlainType::Bool),
        }
    }

    /// Rule: a variant's pattern names its parts, or leaves them out. Wrong: `Act::Gelu(a, b)` of `Gelu(Linear)`.
    fn parts_fit(&mut self, pattern: &'a Pat, variant: &Variant) -> bool {
        let bare =
            |inner: &Pat| matches!(inner, Pat::Ident(name) if name.subpat.is_none()) || matches!(inner, Pat::Wild(_));
        let fits = match pattern {
            Pat::TupleStruct(parts) => {
                let rest = parts.elems.iter().filter(|part| matches!(part, Pat::Rest(_))).count();
                let named = parts.elems.len() - rest;
                let counted = if rest == 0 { named == variant.parts.len() } else { named <= variant.parts.len() };
                let unnamed = variant.parts.iter().all(|(_, own)| own.is_none()) && !variant.parts.is_empty();
                unnamed
                    && counted
                    && rest <= 1
                    && parts.elems.iter().all(|part| bare(part) || matches!(part, Pat::Rest(_)))
            }
            Pat::Struct(parts) => {
                let known = |member: &Member| match member {
                    Member::Named(name) => variant.parts.iter().any(|(_, own)| own.as_ref() == Some(name)),
                    Member::Unnamed(at) => variant.parts.get(at.index as usize).is_some_and(|(_, own)| own.is_none()),
                };
                let counted = parts.rest.is_some() || parts.fields.len() == variant.parts.len();
                counted && parts.fields.iter().all(|field| known(&field.member) && bare(&field.pat))
            }
            _ => variant.parts.is_empty(),
        };
        if !fits {
            let own = variant.parts.iter().map(|(field, own)| parse::name(own.as_ref().unwrap_or(field)));
            let own = own.collect::<Vec<_>>().join(", ");
            let name = &variant.name;
            let written = pattern_path(pattern).map_or_else(|| name.to_string(), text);
            let instead = match variant.parts.first() {
                None => written,
                Some((_, None)) => format!("{written}({own})"),
                Some(_) => format!("{written} {{ {own} }}"),
            };
            self.report(pattern.span(), &m::VARIANT_PARTS, &[&text(pattern), &name, &instead]);
        }
        fits
    }

    /// Binds the names of a variant's parts; whether the value is an enum of layers and the pattern one of its variants.
    pub(super) fn bind_variant(&mut self, pattern: &'a Pat, value: &Val<'a>) -> bool {
        let (Some(name), Some(of)) = (named(pattern), Enum::of(value)) else { return false };
        let Some(variant) = of.variants.find(&parse::name(name)) else { return false };
        let parts: Vec<(&'a Pat, usize)> = match pattern {
            Pat::TupleStruct(parts) => {
                let rest = parts.elems.iter().position(|part| matches!(part, Pat::Rest(_)));
                let left_out = (variant.parts.len() + 1).saturating_sub(parts.elems.len());
                let place = |at: usize| if rest.is_some_and(|rest| at > rest) { at + left_out - 1 } else { at };
                let named = parts.elems.iter().enumerate().filter(|(_, part)| !matches!(part, Pat::Rest(_)));
                named.map(|(at, part)| (part, place(at))).collect()
            }
            Pat::Struct(parts) => {
                let place = |member: &Member| match member {
                    Member::Named(name) => variant.parts.iter().position(|(_, own)| own.as_ref() == Some(name)),
                    Member::Unnamed(at) => Some(at.index as usize),
                };
                parts.fields.iter().filter_map(|field| Some((&*field.pat, place(&field.member)?))).collect()
            }
            _ => Vec::new(),
        };
        for (part, at) in parts {
            let value = variant.parts.get(at).map_or(Val::Unknown, |(field, _)| self.part(&of, field));
            self.bind_matched(part, &value);
        }
        true
    }

    /// The value of a variant's part.
    fn part(&mut self, of: &Enum<'a>, name: &syn::Ident) -> Val<'a> {
        let fields = of.unit.model.iter().flat_map(|model| &model.fields);
        let Some(field) = fields.into_iter().find(|field| field.name == *name) else { return Val::Unknown };
        let own = parse::name(name);
        if field.frozen {
            self.frozen.insert(format!("{}{own}", of.path));
        }
        let kind = match &field.kind {
            FieldKind::Optional { each, .. } => each,
            kind => kind,
        };
        self.resolve(of.unit, kind, &of.sizes, &own, format!("{}{own}", of.path))
    }

    /// Notes which variant the enum of layers at `path` is, as its field says. Rule: there is one of that name. Wrong:
    /// `#[layer(variant = Tanh)]` of an enum without it.
    pub(super) fn fix_variant(&mut self, nested: &'a Unit, path: &str, variant: &'a syn::Ident) {
        let (wanted, own) = (parse::name(variant), nested.name());
        let variants = nested.model.as_ref().and_then(|model| model.variants.as_ref());
        match variants {
            None => drop(self.report(variant.span(), &m::VARIANT_KEY, &[&wanted, &path.trim_end_matches('.')])),
            Some(variants) if variants.find(&wanted).is_none() => {
                let all = variants.names();
                let known = || all.iter().map(String::as_str);
                let near = suggestion(&wanted, known());
                self.report(variant.span(), &m::UNKNOWN_VARIANT, &[&own, &wanted, &near, &list(known())]);
            }
            Some(_) => {}
        }
        self.fixed.insert(path.to_string(), variant);
    }
}
