//! Patterns: whether a value fits one, as far as that is known, and the names that it binds.

use super::arith::{Operator, Places};
use super::cases::names;
use super::{FieldRef, Lowering, Val};
use crate::ast::PlainType;
use crate::messages as m;
use crate::parse::{self, constant, text};
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::CompareOp;
use proc_macro2::{Span, TokenStream};
use quote::quote;
use std::collections::BTreeSet;
use syn::spanned::Spanned;
use syn::{Pat, PatOr, RangeLimits};

impl<'a> Lowering<'a> {
    /// Whether the value fits the pattern, as a truth that is known, chosen when the function is called, or computed.
    pub(super) fn fits(&mut self, pattern: &'a Pat, value: &Val<'a>) -> Val<'a> {
        let span = pattern.span();
        if let Some(fits) = self.fits_variant(pattern, value) {
            return fits;
        }
        match (pattern, value) {
            (_, Val::Unknown) => Val::Unknown,
            (_, Val::Option(_)) if !self.judge_option(pattern) => Val::Unknown,
            (Pat::Wild(_) | Pat::Rest(_), _) => Val::Bool(true),
            (Pat::Paren(inner), _) => self.fits(&inner.pat, value),
            (Pat::Reference(inner), _) => self.fits(&inner.pat, value),
            (Pat::Or(either), _) => self.one_fits(pattern, either, value),
            (Pat::Lit(literal), _) => self.equals(literal_of(&literal.lit), &literal.lit, value, span),
            (Pat::Range(range), _) => {
                let ends = [(range.start.as_deref(), true), (range.end.as_deref(), false)];
                let mut all = Val::Bool(true);
                for (end, starts) in ends {
                    let Some(end) = end else { continue };
                    let op = match (starts, &range.limits) {
                        (true, _) => syn::BinOp::Ge(Default::default()),
                        (false, RangeLimits::HalfOpen(_)) => syn::BinOp::Lt(Default::default()),
                        (false, RangeLimits::Closed(_)) => syn::BinOp::Le(Default::default()),
                    };
                    let end = self.expr(end);
                    let one = self.binary(&op, value.clone(), end, Places::all(span));
                    all = self.both(all, one, span);
                }
                all
            }
            (Pat::Ident(name), Val::Option(given)) if name.ident == "None" => Val::Bool(given.is_none()),
            (Pat::Ident(name), _) if self.names_a_value(&name.ident) => match self.constant_of(&name.ident) {
                Some(known) => {
                    self.binary(&syn::BinOp::Eq(Default::default()), value.clone(), known, Places::all(span))
                }
                None => self.is_variant(&parse::name(&name.ident), value, span),
            },
            (Pat::Ident(name), _) => match &name.subpat {
                Some((_, inner)) => self.fits(inner, value),
                None => Val::Bool(true),
            },
            (Pat::Path(path), _) => match constant::known(&path.path, &self.frame().unit.constants) {
                Some(known) => {
                    let eq = syn::BinOp::Eq(Default::default());
                    self.binary(&eq, value.clone(), known.into(), Places::all(span))
                }
                None => self.is_variant(&last(&path.path), value, span),
            },
            (Pat::Struct(parts), Val::Struct(..) | Val::Place(FieldRef::Model(..))) => {
                let mut all = Val::Bool(true);
                for (pattern, value) in self.fields_of(parts, value.clone()) {
                    let one = self.fits(pattern, &value);
                    all = self.both(all, one, span);
                }
                all
            }
            (Pat::Struct(variant), Val::Plain(_, PlainType::Enum) | Val::Variant(..))
                if variant.fields.is_empty() && variant.rest.is_some() =>
            {
                self.is_variant(&last(&variant.path), value, span)
            }
            (Pat::TupleStruct(variant), Val::Plain(_, PlainType::Enum) | Val::Variant(..))
                if variant.elems.iter().all(|part| matches!(part, Pat::Rest(_) | Pat::Wild(_))) =>
            {
                self.is_variant(&last(&variant.path), value, span)
            }
            (Pat::TupleStruct(some), Val::Option(given)) if some.path.is_ident("Some") && some.elems.len() == 1 => {
                match given.as_deref() {
                    Some(inner) => self.fits(&some.elems[0], inner),
                    None => Val::Bool(false),
                }
            }
            (Pat::Struct(some), Val::Option(given))
                if some.path.is_ident("Some") && some.fields.is_empty() && some.rest.is_some() =>
            {
                Val::Bool(given.is_some())
            }
            (Pat::Tuple(parts), Val::Tuple(values)) if parts.elems.len() == values.len() => {
                self.all_fit(parts.elems.iter().zip(values), syn::BinOp::And(Default::default()))
            }
            (Pat::Slice(parts), Val::List(_) | Val::Place(FieldRef::Many(..))) => {
                let parts = self.listed_parts(&parts.elems, value.clone(), span);
                self.all_fit(parts.iter().map(|(part, value)| (*part, value)), syn::BinOp::And(Default::default()))
            }
            (Pat::Tuple(tuple), Val::Tuple(values)) => {
                self.report(span, &m::TUPLE_LENGTH, &[&values.len(), &tuple.elems.len()])
            }
            (Pat::TupleStruct(_) | Pat::Struct(_), Val::Plain(_, PlainType::Enum) | Val::Variant(..)) => {
                self.bind_unknown(pattern, false);
                let name = text(pattern).split(['(', '{']).next().unwrap_or_default().trim().to_string();
                self.report(span, &m::MATCH_VALUES, &[&name])
            }
            _ => self.report(span, &m::MATCH_PATTERN, &[&text(pattern), &value.kind(), &patterns(pattern)]),
        }
    }

    /// The case of the or-pattern that is meant, if it is taken case by case.
    pub(super) fn case_of(&self, either: &PatOr) -> Option<&'a Pat> {
        let (own, at) = self.cases.iter().find(|(known, _)| std::ptr::eq(*known, either))?;
        own.cases.iter().nth(*at)
    }

    /// Rule: each case of an or-pattern binds the same names. Wrong: `Act::Line(l) | Act::Other(_)`.
    pub(super) fn judge_cases(&mut self, either: &'a PatOr) -> bool {
        if self.frame().unit.in_rust {
            // rustc says so.
            return true;
        }
        let all: BTreeSet<String> = either.cases.iter().flat_map(names).collect();
        for case in &either.cases {
            if let Some(missing) = all.difference(&names(case)).next() {
                self.report(case.span(), &m::CASES_BIND, &[missing, &parse::text(case)]);
                return false;
            }
        }
        true
    }

    /// Whether the value fits a case of the or-pattern, or the one that is meant.
    fn one_fits(&mut self, pattern: &'a Pat, either: &'a PatOr, value: &Val<'a>) -> Val<'a> {
        if let Some(case) = self.case_of(either) {
            return if self.judge_cases(either) { self.fits(case, value) } else { Val::Unknown };
        }
        let all = self.takes_all(pattern, value);
        let fits = self.all_fit(either.cases.iter().map(|case| (case, value)), syn::BinOp::Or(Default::default()));
        if all && !fits.is_unknown() { Val::Bool(true) } else { fits }
    }

    fn all_fit<'v>(&mut self, parts: impl Iterator<Item = (&'a Pat, &'v Val<'a>)>, op: syn::BinOp) -> Val<'a>
    where
        'a: 'v,
    {
        let mut all: Option<Val<'a>> = None;
        for (pattern, value) in parts {
            let one = self.fits(pattern, value);
            all = Some(match (all, &op) {
                (None, _) => one,
                (Some(all), syn::BinOp::And(_)) => self.both(all, one, pattern.span()),
                (Some(Val::Bool(true)), _) => Val::Bool(true),
                (Some(Val::Bool(false)), _) => one,
                (Some(_), _) if matches!(one, Val::Bool(true)) => Val::Bool(true),
                (Some(all), _) if matches!(one, Val::Bool(false)) => all,
                (Some(all), op) => self.binary(op, all, one, Places::all(pattern.span())),
            });
        }
        all.unwrap_or(Val::Bool(true))
    }

    fn both(&mut self, a: Val<'a>, b: Val<'a>, span: Span) -> Val<'a> {
        match (a, b) {
            (Val::Bool(false), _) | (_, Val::Bool(false)) => Val::Bool(false),
            (Val::Bool(true), other) | (other, Val::Bool(true)) => other,
            (a, b) => self.binary(&syn::BinOp::And(Default::default()), a, b, Places::all(span)),
        }
    }

    /// Whether the value is the literal.
    fn equals(&mut self, known: Option<Val<'a>>, literal: &syn::Lit, value: &Val<'a>, span: Span) -> Val<'a> {
        let known = known.unwrap_or(Val::Unknown);
        match (value, &known) {
            (Val::Plain(tokens, PlainType::Bool), Val::Bool(true)) => Val::Plain(tokens.clone(), PlainType::Bool),
            (Val::Plain(tokens, PlainType::Bool), Val::Bool(false)) => Val::Plain(quote!(! #tokens), PlainType::Bool),
            (Val::Bool(a), Val::Bool(b)) => Val::Bool(a == b),
            (Val::Tensor(id), Val::Bool(truth)) if self.elementwise && self.builder.dtype(*id) == DType::Bool => {
                match truth {
                    true => Val::Tensor(*id),
                    false => self.unary(&syn::UnOp::Not(Default::default()), Val::Tensor(*id), span),
                }
            }
            (Val::Plain(_, PlainType::Usize), Val::Dim(_))
            | (Val::Dim(_) | Val::Number(_) | Val::Tensor(_) | Val::Index(_), Val::Dim(_) | Val::Number(_)) => {
                self.binary(&syn::BinOp::Eq(Default::default()), value.clone(), known, Places::all(span))
            }
            _ => self.report(span, &m::MATCH_PATTERN, &[&text(literal), &value.kind(), &PATTERNS]),
        }
    }

    /// Whether a name in a pattern is that of a value: a constant, or a variant of an enum.
    pub(super) fn names_a_value(&self, name: &syn::Ident) -> bool {
        name.to_string().starts_with(char::is_uppercase)
    }

    pub(super) fn constant_of(&self, name: &syn::Ident) -> Option<Val<'a>> {
        let name = parse::name(name);
        let size = self.frame().symbols.get(&name).map(|dim| dim.clone().into());
        size.or_else(|| self.frame().unit.constants.get(&name).map(|known| (*known).into()))
    }

    /// Whether the value, of an enum, is that variant.
    fn is_variant(&mut self, name: &str, value: &Val<'a>, span: Span) -> Val<'a> {
        match value {
            Val::Variant(_, own) => Val::Bool(own == name),
            Val::Plain(tokens, PlainType::Enum) => self.plain_variant(tokens, name, span),
            other => self.report(span, &m::MATCH_PATTERN, &[&name, &other.kind(), &of_rust(name)]),
        }
    }

    /// Whether a plain argument is that variant of its enum, of which only Rust knows.
    pub(super) fn plain_variant(&self, argument: &TokenStream, name: &str, span: Span) -> Val<'a> {
        let Some(ty) = self.enums.get(&argument.to_string()) else { return Val::Unknown };
        let variant = syn::Ident::new(name, span);
        Val::Plain(quote!(::core::matches!(#argument, #ty::#variant { .. })), PlainType::Bool)
    }

    /// `kind == Kind::Deep`.
    pub(super) fn is_that_variant(&mut self, op: Operator, a: &Val<'a>, b: &Val<'a>, span: Span) -> Option<Val<'a>> {
        let negated = match op {
            Operator::Compare(CompareOp::Eq) => false,
            Operator::Compare(CompareOp::Ne) => true,
            _ => return None,
        };
        let value = match (a, b) {
            (Val::Variant(_, name), other) | (other, Val::Variant(_, name)) => self.is_variant(name, other, span),
            _ => return None,
        };
        Some(match value {
            Val::Bool(same) => Val::Bool(same != negated),
            Val::Plain(tokens, ty) if negated => Val::Plain(quote!((! #tokens)), ty),
            value => value,
        })
    }

    /// Binds the names of a pattern that the value fits.
    pub(super) fn bind_matched(&mut self, pattern: &'a Pat, value: &Val<'a>) {
        if self.bind_variant(pattern, value) {
            return;
        }
        match (pattern, value) {
            (Pat::Paren(inner), _) => self.bind_matched(&inner.pat, value),
            (Pat::Reference(inner), _) => self.bind_matched(&inner.pat, value),
            (Pat::Or(either), _) if self.case_of(either).is_some() => {
                self.case_of(either).into_iter().for_each(|case| self.bind_matched(case, value));
            }
            (Pat::Ident(name), _) if self.names_a_value(&name.ident) => {}
            (Pat::Ident(name), _) => {
                if let Some((_, inner)) = &name.subpat {
                    self.bind_matched(inner, value);
                }
                self.bind(&parse::name(&name.ident), value.clone(), name.mutability.is_some(), false);
            }
            (Pat::TupleStruct(some), Val::Option(Some(inner))) if some.elems.len() == 1 => {
                self.bind_matched(&some.elems[0], inner);
            }
            (Pat::Struct(parts), Val::Struct(..) | Val::Place(FieldRef::Model(..))) => {
                for (pattern, value) in self.fields_of(parts, value.clone()) {
                    self.bind_matched(pattern, &value);
                }
            }
            (Pat::Tuple(parts), Val::Tuple(values)) if parts.elems.len() == values.len() => {
                parts.elems.iter().zip(values).for_each(|(part, value)| self.bind_matched(part, value));
            }
            (Pat::Slice(parts), Val::List(_) | Val::Place(FieldRef::Many(..))) => {
                for (part, value) in self.listed_parts(&parts.elems, value.clone(), parts.span()) {
                    if !self.bind_rest(part, &value) {
                        self.bind_matched(part, &value);
                    }
                }
            }
            (pattern, _) => {
                if crate::parse::function::names(pattern).iter().any(|name| !self.names_a_value(name)) {
                    self.bind_unknown(pattern, false);
                }
            }
        }
    }
}

pub(super) fn literal_of<'a>(literal: &syn::Lit) -> Option<Val<'a>> {
    constant::literal(literal).map(|known| match known {
        crate::ast::Constant::Integer(number) => Val::from(Dim::constant(number)),
        known => known.into(),
    })
}

fn last(path: &syn::Path) -> String {
    path.segments.last().map(|last| parse::name(&last.ident)).unwrap_or_default()
}

/// What to write for a pattern that does not go with its value.
const PATTERNS: &str = "patterns are numbers, ranges of them, `true`, `false`, variants of the argument's enum, `Some(x)` and `None`, tuples, \
     lists and structs of these, names and `_`";

/// The same of a variant of that name: one of Rust's own.
fn of_rust(name: &str) -> &'static str {
    match name {
        "Some" | "None" | "Ok" | "Err" => {
            "it is always there: use it as it is, without a pattern; what may be left out is a field of type `Option<..>`"
        }
        _ => PATTERNS,
    }
}

fn patterns(pattern: &Pat) -> &'static str {
    match pattern {
        Pat::TupleStruct(parts) => of_rust(&last(&parts.path)),
        Pat::Path(path) => of_rust(&last(&path.path)),
        Pat::Ident(name) => of_rust(&parse::name(&name.ident)),
        _ => PATTERNS,
    }
}
