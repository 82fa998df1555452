//! What the arms of a `match` leave out. rustc sees none of an enum of layers, which is no enum in Rust, and of what is known while
//! compiling only the netcl that compiles it knows.

use super::pattern::literal_of;
use super::variant::{Enum, named};
use super::{Lowering, Val};
use crate::ast::{Constant, PlainType};
use crate::parse::{self, constant, text};
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::DType;
use proc_macro2::TokenStream;
use std::collections::BTreeSet;
use syn::{ExprMatch, Pat, RangeLimits};

/// More than these are counted.
const TOLD: usize = 6;

/// One way that a value may be, as far as the patterns tell.
struct ValueForm<'a> {
    is: Is,
    /// The pattern that is for it alone, with gaps for its parts.
    text: String,
    parts: Vec<Val<'a>>,
}

/// What tells the ways of a value apart.
enum Is {
    Variant(String),
    Truth(bool),
    /// From the first to the last.
    Numbers(u64, u64),
    Some,
    None,
    Tuple,
    Whatever,
}

/// The patterns of one arm, one for each value; `None` takes all.
type PatternRow<'p> = Vec<Option<&'p Pat>>;

/// Which variants arms are for, of plain arguments that are enums: rustc knows whether there are others.
type Named<'p> = Vec<(TokenStream, Vec<&'p Pat>)>;

impl<'a> Lowering<'a> {
    /// Whether the arms are all that there are, or rustc says that they are not.
    pub(super) fn are_all(&mut self, given: &'a ExprMatch, value: &Val<'a>) -> bool {
        if let Some((on, called)) = Self::asked(value, syn::spanned::Spanned::span(&*given.expr)) {
            if called {
                self.note_match(given, &on);
            }
            return called;
        }
        if matches!(value, Val::Tensor(id) if self.elementwise && self.builder.dtype(*id) == DType::Bool) {
            return has_both_truths(given);
        }
        if !has_enum(value) {
            return false;
        }
        let mut named = Named::new();
        let all = self.missing(rows(given), std::slice::from_ref(value), &mut named).is_empty();
        if all {
            named.into_iter().for_each(|(on, patterns)| self.note_patterns(given, &on, &patterns));
        }
        all
    }

    /// Whether the pattern takes all that an enum of layers may be.
    pub(super) fn takes_all(&self, pattern: &Pat, value: &Val<'a>) -> bool {
        let rows = || vec![vec![whole_or(pattern)]];
        Enum::of(value).is_some() && self.missing(rows(), std::slice::from_ref(value), &mut Named::new()).is_empty()
    }

    /// What no arm is for, as patterns.
    pub(super) fn left_out(&self, given: &'a ExprMatch, value: &Val<'a>) -> Vec<String> {
        let missing = self.missing(rows(given), std::slice::from_ref(value), &mut Named::new());
        let more = missing.len().saturating_sub(TOLD);
        let told = missing.into_iter().take(TOLD).filter_map(|mut one| one.pop()).map(|one| format!("`{one}`"));
        told.chain((more > 0).then(|| format!("{more} more"))).collect()
    }

    /// Patterns for what the rows leave out, one for each value.
    fn missing<'p>(&self, rows: Vec<PatternRow<'p>>, values: &[Val<'a>], named: &mut Named<'p>) -> Vec<Vec<String>> {
        let Some((value, others)) = values.split_first() else {
            return if rows.is_empty() { vec![Vec::new()] } else { Vec::new() };
        };
        let rows: Vec<PatternRow<'p>> = rows.into_iter().flat_map(cases).collect();
        let heads: Vec<&'p Pat> = rows.iter().filter_map(|row| row[0]).collect();
        let mut missing = Vec::new();
        for ValueForm { is, text, parts } in self.ways(value, &heads, rows.is_empty(), named) {
            let fitting = rows.iter().filter_map(|row| {
                let head = match row[0] {
                    Some(pattern) => self.taken_apart_as(pattern, &is)?,
                    None => vec![None; parts.len()],
                };
                Some(head.into_iter().chain(row[1..].iter().copied()).collect())
            });
            let inner: Vec<Val<'a>> = parts.iter().chain(others).cloned().collect();
            for mut left in self.missing(fitting.collect(), &inner, named) {
                let others = left.split_off(parts.len());
                let own = match is {
                    Is::Tuple => format!("({})", left.join(", ")),
                    Is::Some => format!("Some({})", left.join(", ")),
                    _ => text.clone(),
                };
                missing.push([own].into_iter().chain(others).collect());
            }
        }
        missing
    }

    /// What the value may be, as far as the patterns tell its ways apart. `none`: there are no arms.
    fn ways<'p>(&self, value: &Val<'a>, heads: &[&'p Pat], none: bool, named: &mut Named<'p>) -> Vec<ValueForm<'a>> {
        let one = |is: Is, text: String| ValueForm { is, text, parts: Vec::new() };
        if heads.is_empty() && !(none && Enum::of(value).is_some()) {
            return vec![one(Is::Whatever, "_".into())];
        }
        if let Some(of) = Enum::of(value) {
            let possible = of.possible(self.fixed.get(of.path()).copied());
            return possible
                .into_iter()
                .map(|name| one(Is::Variant(name.clone()), format!("{}::{name}", of.name())))
                .collect();
        }
        let truth = |truth: bool| one(Is::Truth(truth), truth.to_string());
        match value {
            Val::Bool(known) => vec![truth(*known)],
            Val::Plain(_, PlainType::Bool) => vec![truth(false), truth(true)],
            Val::Plain(_, PlainType::Usize) => self.ranges_of(heads),
            Val::Dim(known) => match known.as_constant().and_then(|known| u64::try_from(known).ok()) {
                Some(known) => vec![one(Is::Numbers(known, known), known.to_string())],
                None => vec![one(Is::Whatever, "_".into())],
            },
            Val::Variant(ty, name) => vec![one(Is::Variant(name.clone()), format!("{ty}::{name}"))],
            Val::Plain(tokens, PlainType::Enum) => {
                named.push((tokens.clone(), heads.to_vec()));
                let names: BTreeSet<(String, String)> =
                    heads.iter().filter_map(|head| Some((parse::name(self::named(head)?), text(head)))).collect();
                names.into_iter().map(|(name, text)| one(Is::Variant(name), text)).collect()
            }
            Val::Tuple(parts) => vec![ValueForm { is: Is::Tuple, text: String::new(), parts: parts.clone() }],
            Val::Option(Some(inner)) => {
                vec![ValueForm { is: Is::Some, text: String::new(), parts: vec![(**inner).clone()] }]
            }
            Val::Option(None) => vec![one(Is::None, "None".into())],
            _ => vec![one(Is::Whatever, "_".into())],
        }
    }

    /// Whole numbers, divided where a pattern begins or ends.
    fn ranges_of(&self, heads: &[&Pat]) -> Vec<ValueForm<'a>> {
        let mut starts = BTreeSet::from([0]);
        for (first, last) in heads.iter().filter_map(|head| self.between(head)) {
            starts.insert(first);
            starts.extend(last.checked_add(1));
        }
        let ends = starts.iter().skip(1).map(|start| start - 1).chain([u64::MAX]);
        let ways = starts.iter().zip(ends).map(|(first, last)| {
            let text = match last {
                u64::MAX => format!("{first}.."),
                last if last == *first => first.to_string(),
                last => format!("{first}..={last}"),
            };
            ValueForm { is: Is::Numbers(*first, last), text, parts: Vec::new() }
        });
        ways.collect()
    }

    /// The patterns of the parts where the pattern takes what is so.
    fn taken_apart_as<'p>(&self, pattern: &'p Pat, is: &Is) -> Option<PatternRow<'p>> {
        let none = |fits: bool| fits.then(Vec::new);
        match (is, pattern) {
            (Is::Tuple, Pat::Tuple(parts)) => Some(parts.elems.iter().map(|part| whole_or(part)).collect()),
            (Is::Some, Pat::TupleStruct(some)) if some.path.is_ident("Some") => {
                some.elems.first().map(|inner| vec![whole_or(inner)])
            }
            (Is::Some, Pat::Struct(some)) if some.path.is_ident("Some") => Some(vec![None]),
            (Is::None, Pat::Ident(name)) => none(name.ident == "None"),
            (Is::Variant(own), pattern) => none(named(pattern).is_some_and(|name| parse::name(name) == *own)),
            (Is::Truth(truth), Pat::Lit(literal)) => match literal_of(&literal.lit) {
                Some(Val::Bool(known)) => none(known == *truth),
                _ => None,
            },
            (Is::Numbers(first, last), pattern) => {
                self.between(pattern).and_then(|(least, most)| none(least <= *first && *last <= most))
            }
            _ => None,
        }
    }

    /// The first and the last whole number that a pattern is for.
    pub(super) fn between(&self, pattern: &Pat) -> Option<(u64, u64)> {
        let number = |known: Val<'a>| match known {
            Val::Dim(known) => known.as_constant().and_then(|known| u64::try_from(known).ok()),
            _ => None,
        };
        let path = |path: &syn::Path| match path.get_ident() {
            Some(name) => self.constant_of(name).and_then(number),
            None => match constant::known(path, &self.frame().unit.constants)? {
                Constant::Integer(known) => number(Val::from(Dim::constant(known))),
                _ => None,
            },
        };
        let end = |end: &syn::Expr| match parse::unparenthesized(end) {
            syn::Expr::Lit(literal) => literal_of(&literal.lit).and_then(number),
            syn::Expr::Path(known) => path(&known.path),
            _ => None,
        };
        let one = |known: u64| (known, known);
        match pattern {
            Pat::Lit(literal) => literal_of(&literal.lit).and_then(number).map(one),
            Pat::Ident(name) if name.subpat.is_none() => self.constant_of(&name.ident).and_then(number).map(one),
            Pat::Path(known) => path(&known.path).map(one),
            Pat::Range(range) => {
                let first = range.start.as_deref().map_or(Some(0), end)?;
                let last = match (range.end.as_deref(), &range.limits) {
                    (None, _) => u64::MAX,
                    (Some(last), RangeLimits::Closed(_)) => end(last)?,
                    (Some(last), RangeLimits::HalfOpen(_)) => end(last)?.checked_sub(1)?,
                };
                Some((first, last))
            }
            _ => None,
        }
    }
}

/// Whether the value is an enum of layers, or has one as a part.
fn has_enum(value: &Val<'_>) -> bool {
    match value {
        Val::Tuple(parts) => parts.iter().any(has_enum),
        Val::Option(Some(inner)) => has_enum(inner),
        value => Enum::of(value).is_some(),
    }
}

/// The arms without a condition: one with a condition may be passed by.
fn rows(given: &ExprMatch) -> Vec<PatternRow<'_>> {
    let arms = given.arms.iter().filter(|arm| !matches!(arm.pat, Pat::Guard(_)));
    arms.map(|arm| vec![whole_or(&arm.pat)]).collect()
}

/// The pattern without what does not tell values apart; `None` where it takes all.
fn whole_or(pattern: &Pat) -> Option<&Pat> {
    match pattern {
        Pat::Wild(_) | Pat::Rest(_) => None,
        Pat::Paren(inner) => whole_or(&inner.pat),
        Pat::Reference(inner) => whole_or(&inner.pat),
        Pat::Ident(name) => match &name.subpat {
            Some((_, inner)) => whole_or(inner),
            None => name.ident.to_string().starts_with(char::is_uppercase).then_some(pattern),
        },
        _ => Some(pattern),
    }
}

/// A row for each case of the or-pattern that it begins with.
fn cases(row: PatternRow<'_>) -> Vec<PatternRow<'_>> {
    match row.first() {
        Some(Some(Pat::Or(either))) => {
            let each = either.cases.iter().map(|case| {
                let mut row = row.clone();
                row[0] = whole_or(case);
                row
            });
            each.flat_map(cases).collect()
        }
        _ => vec![row],
    }
}

/// Whether there is an arm for `true` and one for `false`.
fn has_both_truths(given: &ExprMatch) -> bool {
    let is = |pattern: &Pat, wanted: bool| match pattern {
        Pat::Lit(literal) => matches!(&literal.lit, syn::Lit::Bool(truth) if truth.value == wanted),
        _ => false,
    };
    [true, false].into_iter().all(|truth| given.arms.iter().any(|arm| is(&arm.pat, truth)))
}
