//! Or-patterns that bind names, `Act::Line(l) | Act::Other(l)`: what a name is bound to depends on the case that fits, so that each is
//! taken by itself, as an arm of its own would be.

use super::Lowering;
use crate::messages as m;
use crate::parse;
use std::collections::BTreeSet;
use syn::spanned::Spanned;
use syn::{Pat, PatOr};

/// Which case is meant of each or-pattern that is taken case by case.
pub(super) type Cases<'a> = Vec<(&'a PatOr, usize)>;

/// The ways to take a pattern, in Rust's order; one for a pattern without such or-patterns.
pub(super) fn cases(pattern: &Pat) -> Vec<Cases<'_>> {
    match pattern {
        Pat::Or(either) if !names(pattern).is_empty() => {
            let each =
                either.cases.iter().enumerate().flat_map(|(at, case)| {
                    cases(case).into_iter().map(move |inner| [vec![(either, at)], inner].concat())
                });
            each.collect()
        }
        _ => parts(pattern).into_iter().fold(vec![Vec::new()], |all, part| {
            let inner = cases(part);
            let mut more = Vec::new();
            for one in all {
                more.extend(inner.iter().map(|inner| [one.clone(), inner.clone()].concat()));
            }
            more
        }),
    }
}

/// The patterns in a pattern.
fn parts(pattern: &Pat) -> Vec<&Pat> {
    match pattern {
        Pat::Guard(inner) => vec![&inner.pat],
        Pat::Paren(inner) => vec![&inner.pat],
        Pat::Reference(inner) => vec![&inner.pat],
        Pat::Ident(name) => name.subpat.iter().map(|(_, inner)| &**inner).collect(),
        Pat::Tuple(parts) => parts.elems.iter().collect(),
        Pat::TupleStruct(parts) => parts.elems.iter().collect(),
        Pat::Slice(parts) => parts.elems.iter().collect(),
        Pat::Struct(parts) => parts.fields.iter().map(|field| &*field.pat).collect(),
        _ => Vec::new(),
    }
}

/// The names that a pattern binds; those of values, as of constants, begin with a capital.
fn names(pattern: &Pat) -> BTreeSet<String> {
    let all = parse::function::names(pattern).into_iter().map(|name| parse::name(&name));
    all.filter(|name| !name.starts_with(char::is_uppercase)).collect()
}

impl<'a> Lowering<'a> {
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
}
