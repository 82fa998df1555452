//! Whether each arm of a `match` names what is there, and takes what no arm before it does. rustc sees no such `match` of a model's, and
//! what no value comes to is not evaluated.

use super::variant::{Enum, named, pattern_path};
use super::{Lowering, Val};
use crate::messages as m;
use crate::parse::{self, text};
use quote::{quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{ExprMatch, Pat};

impl<'a> Lowering<'a> {
    /// Rule: an arm is for values that no arm before it is for, and variants are the enum's. Wrong:
    /// `match deep { true => a, false => b, true => c }`.
    pub(super) fn judge_arms(&mut self, given: &'a ExprMatch, value: &Val<'a>) {
        let (arms, before) = (&given.arms, self.diag.count());
        if value.is_unknown() {
            self.judge_options(given);
        }
        if matches!(value, Val::Option(_)) && !arms.iter().all(|arm| self.judge_option(&arm.pat)) {
            return;
        }
        arms.iter().for_each(|arm| self.judge_pattern(&arm.pat, value));
        // rustc sees the body of a function of scalars as well.
        if self.diag.count() > before || self.frame().unit.in_rust {
            return;
        }
        for (at, arm) in arms.iter().enumerate() {
            let pattern = without_guard(&arm.pat);
            let between = |pattern: &Pat| self.between(pattern);
            let earlier = arms[..at].iter().map(|arm| &arm.pat).find(|earlier| covers(earlier, pattern, &between));
            if let Some(earlier) = earlier {
                let line = parse::line(earlier.span());
                return drop(self.report(pattern.span(), &m::UNREACHABLE_ARM, &[&text(earlier), &line]));
            }
            // Where a condition does not hold for what one case binds, it may for another's.
            let own = if matches!(arm.pat, Pat::Guard(_)) { 0 } else { cases(pattern).len() };
            // Of cases that overlap in part none need be left out: `2..=4 => .., 3 | 5 => ..`.
            let cases = cases(pattern);
            for (position, case) in cases.iter().enumerate().filter(|_| cases.len() > 1) {
                let before = arms[..at].iter().map(|arm| &arm.pat).chain(cases[..position.min(own)].iter().copied());
                if let Some(earlier) = before.into_iter().find(|earlier| covers(earlier, case, &|_| None)) {
                    let line = parse::line(earlier.span());
                    return drop(self.report(case.span(), &m::UNREACHABLE_CASE, &[&text(earlier), &line]));
                }
            }
        }
    }

    fn judge_pattern(&mut self, pattern: &'a Pat, value: &Val<'a>) {
        match (pattern, value) {
            (Pat::Guard(guarded), _) => self.judge_pattern(&guarded.pat, value),
            (Pat::Paren(inner), _) => self.judge_pattern(&inner.pat, value),
            (Pat::Reference(inner), _) => self.judge_pattern(&inner.pat, value),
            (Pat::Or(either), _) => either.cases.iter().for_each(|case| self.judge_pattern(case, value)),
            (Pat::Tuple(parts), Val::Tuple(values)) if parts.elems.len() == values.len() => {
                parts.elems.iter().zip(values).for_each(|(part, value)| self.judge_pattern(part, value));
            }
            (Pat::TupleStruct(some), Val::Option(Some(inner)))
                if some.path.is_ident("Some") && some.elems.len() == 1 =>
            {
                self.judge_pattern(&some.elems[0], inner);
            }
            _ => {
                let (Some(name), Some(of)) = (named(pattern), Enum::of(value)) else { return };
                if self.known_variant(pattern, name, &of).is_some() {
                    self.judge_enum(pattern, &of);
                }
            }
        }
    }

    /// Rule: a variant is named behind its enum. Wrong: `Other::Relu` of `Act`. By which names that is known rustc is asked.
    fn judge_enum(&self, pattern: &Pat, of: &Enum<'a>) {
        if self.frames.len() > 1 || self.closed {
            // Asked where that function stands, which may be in another module.
            return;
        }
        let Some(path) = pattern_path(pattern) else { return };
        let own = parse::without_last(path);
        let Some(last) = own.segments.last() else { return };
        if last.ident == "Self" || parse::name(&last.ident) == of.name() {
            return;
        }
        self.diag.ask(match of.is_generic() {
            // Whole at the user's place, where rustc marks an import.
            true => {
                let import = quote_spanned!(own.span()=> use #own as __NetclEnum;);
                quote!(const _: () = { #[allow(unused_imports)] #import };)
            }
            false => quote!(const _: ::core::option::Option<&#own> = ::core::option::Option::None;),
        });
    }

    /// Rule: a pattern for an `Option` is `Some(x)` or `None`. Wrong: `Ok(x)`, `None(x)`.
    pub(super) fn judge_option(&mut self, pattern: &'a Pat) -> bool {
        let fits = match pattern {
            Pat::Guard(guarded) => return self.judge_option(&guarded.pat),
            Pat::Paren(inner) => return self.judge_option(&inner.pat),
            Pat::Reference(inner) => return self.judge_option(&inner.pat),
            Pat::Or(either) => return either.cases.iter().all(|case| self.judge_option(case)),
            Pat::TupleStruct(some) => some.path.is_ident("Some") && some.elems.len() == 1,
            Pat::Struct(some) => some.path.is_ident("Some") && some.fields.is_empty() && some.rest.is_some(),
            pattern => named(pattern).is_none_or(|name| name == "None"),
        };
        if !fits {
            self.report(pattern.span(), &m::OPTION_PATTERN, &[&text(pattern)]);
        }
        fits
    }

    /// Rule: the arms are all that there are, also where only uses of the model say whether an `Option` is there. Wrong:
    /// `match &self.extra { Some(extra) => extra.forward(x) }`.
    fn judge_options(&mut self, given: &'a ExprMatch) {
        if !self.may_be_none(&given.expr) || !given.arms.iter().all(|arm| self.judge_option(&arm.pat)) {
            return;
        }
        let takes = |name: &str| {
            given.arms.iter().any(|arm| {
                let cases: Vec<&Pat> = match &arm.pat {
                    Pat::Or(either) => either.cases.iter().collect(),
                    one => vec![one],
                };
                cases.into_iter().any(|case| is_whole(case) || of_name(case, name))
            })
        };
        for (name, missing) in [("Some", "`Some(_)`"), ("None", "`None`")] {
            if !takes(name) {
                self.report(given.match_token.span, &m::MATCH_WITHOUT_ARM, &[&missing]);
            }
        }
    }
}

fn without_guard(pattern: &Pat) -> &Pat {
    match pattern {
        Pat::Guard(guarded) => &guarded.pat,
        pattern => pattern,
    }
}

/// Whether the pattern takes every value.
fn is_whole(pattern: &Pat) -> bool {
    match pattern {
        Pat::Wild(_) => true,
        Pat::Paren(inner) => is_whole(&inner.pat),
        Pat::Reference(inner) => is_whole(&inner.pat),
        Pat::Ident(name) => match &name.subpat {
            Some((_, inner)) => is_whole(inner),
            None => !name.ident.to_string().starts_with(char::is_uppercase),
        },
        Pat::Tuple(parts) => parts.elems.iter().all(|part| is_whole(part) || matches!(part, Pat::Rest(_))),
        _ => false,
    }
}

/// Whether the pattern is of the variant.
fn of_name(pattern: &Pat, name: &str) -> bool {
    match pattern {
        Pat::Paren(inner) => of_name(&inner.pat, name),
        Pat::Reference(inner) => of_name(&inner.pat, name),
        Pat::Ident(ident) => ident.ident == name,
        pattern => pattern_path(pattern).and_then(|path| path.segments.last()).is_some_and(|last| last.ident == name),
    }
}

/// The cases of an or-pattern; of another one itself.
fn cases(pattern: &Pat) -> Vec<&Pat> {
    match pattern {
        Pat::Paren(inner) => cases(&inner.pat),
        Pat::Or(either) => either.cases.iter().flat_map(cases).collect(),
        one => vec![one],
    }
}

/// The first and the last whole number that a pattern is for.
type Between<'b> = &'b dyn Fn(&Pat) -> Option<(u64, u64)>;

/// Whether every value of `later` is one of `earlier`, as far as that is plain to see.
fn covers(earlier: &Pat, later: &Pat, between: Between<'_>) -> bool {
    let covers = |earlier: &Pat, later: &Pat| covers(earlier, later, between);
    let all_cover = |earlier, later| all_cover(earlier, later, between);
    match (earlier, later) {
        (Pat::Guard(_), _) => false,
        (Pat::Paren(inner), _) => covers(&inner.pat, later),
        (Pat::Reference(inner), _) => covers(&inner.pat, later),
        (_, Pat::Paren(inner)) => covers(earlier, &inner.pat),
        (_, Pat::Reference(inner)) => covers(earlier, &inner.pat),
        (_, Pat::Or(either)) => either.cases.iter().all(|case| covers(earlier, case)),
        (Pat::Or(either), _) => either.cases.iter().any(|case| covers(case, later)),
        (Pat::Ident(name), _) if name.subpat.is_some() => {
            name.subpat.as_ref().is_some_and(|(_, inner)| covers(inner, later))
        }
        (_, Pat::Ident(name)) if name.subpat.is_some() => {
            name.subpat.as_ref().is_some_and(|(_, inner)| covers(earlier, inner))
        }
        _ if is_whole(earlier) => true,
        (Pat::Tuple(a), Pat::Tuple(b)) if a.elems.len() == b.elems.len() => all_cover(&a.elems, &b.elems),
        (Pat::TupleStruct(a), Pat::TupleStruct(b)) if a.elems.len() == b.elems.len() => {
            is_same(&a.path, &b.path) && all_cover(&a.elems, &b.elems)
        }
        (Pat::Path(a), Pat::Path(b)) => is_same(&a.path, &b.path),
        (Pat::Ident(a), Pat::Ident(b)) => a.ident == b.ident,
        (Pat::Lit(a), Pat::Lit(b)) => text(a) == text(b),
        (Pat::Rest(_), Pat::Rest(_)) => true,
        (Pat::Struct(_), Pat::Struct(_)) => text(earlier) == text(later),
        _ => match (between(earlier), between(later)) {
            (Some((least, most)), Some((first, last))) => least <= first && last <= most,
            _ => matches!((earlier, later), (Pat::Range(_), Pat::Range(_))) && text(earlier) == text(later),
        },
    }
}

fn all_cover(
    earlier: &Punctuated<Pat, syn::Token![,]>,
    later: &Punctuated<Pat, syn::Token![,]>,
    between: Between<'_>,
) -> bool {
    earlier.iter().zip(later).all(|(earlier, later)| covers(earlier, later, between))
}

/// Whether both name the same, as `Act::Gelu` and `Self::Gelu` do.
fn is_same(a: &syn::Path, b: &syn::Path) -> bool {
    let of_self = |path: &syn::Path| path.segments.len() == 2 && path.segments[0].ident == "Self";
    let ends = || a.segments.last().map(|last| &last.ident) == b.segments.last().map(|last| &last.ident);
    text(a) == text(b) || (of_self(a) || of_self(b)) && ends()
}
