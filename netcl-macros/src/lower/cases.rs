//! Or-patterns that bind names, `Act::Line(l) | Act::Other(l)`: what a name is bound to depends on the case that fits, so that each is
//! taken by itself, as an arm of its own would be.

use crate::parse;
use std::collections::BTreeSet;
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
pub(super) fn names(pattern: &Pat) -> BTreeSet<String> {
    let all = parse::function::names(pattern).into_iter().map(|name| parse::name(&name));
    all.filter(|name| !name.starts_with(char::is_uppercase)).collect()
}
