//! Tokens to our syntax tree. Parsers report to the [`crate::diag::Diag`] and carry on.

pub(crate) mod attr;
mod bound;
pub(crate) mod compiled;
pub(crate) mod condition;
pub(crate) mod constant;
pub(crate) mod enums;
pub(crate) mod field;
pub(crate) mod function;
mod given;
pub(crate) mod gradients;
pub(crate) mod helper;
pub(crate) mod index;
mod init;
pub(crate) mod inside;
pub(crate) mod instead;
pub(crate) mod items;
mod listed;
pub(crate) mod mode;
pub(crate) mod model;
pub(crate) mod named;
pub(crate) mod ordinary;
pub(crate) mod own;
pub(crate) mod parts;
mod presence;
pub(crate) mod renamed;
pub(crate) mod reserved;
mod several;
pub(crate) mod shared;
pub(crate) mod sized;
mod slot;
pub(crate) mod standard;
mod starts;
pub(crate) mod stray;
mod training;
mod training_keys;
pub(crate) mod types;
mod variant;

use netcl_kernels::dim::Dim;
use netcl_kernels::fold;
use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use std::collections::BTreeSet;
use syn::ext::IdentExt;

/// ` (did you mean …?)` if one of `known` is close to `given`.
pub(crate) fn suggestion<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> String {
    nearest(given, known).map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// The name that `given` may be a slip of: of several as near, one of the same letters first.
pub(crate) fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let letters = |name: &str| {
        let mut all: Vec<char> = name.chars().collect();
        all.sort_unstable();
        all
    };
    let own = letters(given);
    let (distance, _, name) = known.map(|name| (distance(given, name), letters(name) != own, name)).min()?;
    (distance <= 1 + given.len() / 4 && distance < name.len()).then_some(name)
}

/// How many letters are to be put in, left out, replaced or exchanged with the next one.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let replaced = above[j] + usize::from(x != y);
            let mut best = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i - 1] == *y && *x == b[j - 1] {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

/// The identifier's name: `r#in` is the name `in`.
pub(crate) fn name(ident: &proc_macro2::Ident) -> String {
    ident.unraw().to_string()
}

/// `, in line 7`, where the compiler tells.
pub(crate) fn line(place: proc_macro2::Span) -> String {
    if proc_macro::is_available() { format!(", in line {}", place.unwrap().line()) } else { String::new() }
}

/// The path as if it were written where `item` is, at its own place.
pub(crate) fn at(path: &syn::Path, item: proc_macro2::Span) -> syn::Path {
    let mut path = path.clone();
    path.segments.iter_mut().for_each(|segment| segment.ident.set_span(segment.ident.span().resolved_at(item)));
    path
}

/// The path without the parameters after its last name.
pub(crate) fn without_arguments(path: &syn::Path) -> syn::Path {
    let mut path = path.clone();
    if let Some(last) = path.segments.last_mut() {
        last.arguments = syn::PathArguments::None;
    }
    path
}

/// The path without type arguments behind any of its names.
pub(crate) fn plain(path: &syn::Path) -> syn::Path {
    let mut path = path.clone();
    path.segments.iter_mut().for_each(|segment| segment.arguments = syn::PathArguments::None);
    path
}

/// The type arguments in the path: `<f16>` of `Tensor::<f16>::zeros`.
pub(crate) fn type_arguments(path: &syn::Path) -> Option<&syn::AngleBracketedGenericArguments> {
    path.segments.iter().find_map(|segment| match &segment.arguments {
        syn::PathArguments::AngleBracketed(given) => Some(given),
        _ => None,
    })
}

/// What the last name of the path is of: `own::Act` of `own::Act::Relu`.
pub(crate) fn without_last(path: &syn::Path) -> syn::Path {
    let mut path = path.clone();
    path.segments.pop();
    path.segments.pop_punct();
    path
}

/// What to write for an `=` where a condition belongs.
pub(crate) fn compared(assign: &syn::ExprAssign) -> String {
    format!("{} == {}", text(&assign.left), text(&assign.right))
}

/// The type that a function is of, `HardSwish::forward`, where its path has one.
pub(crate) fn type_of(path: &syn::Path) -> Option<&syn::Ident> {
    let before = path.segments.len().checked_sub(2)?;
    path.segments.iter().nth(before).map(|ty| &ty.ident).filter(|ty| ty.to_string().starts_with(char::is_uppercase))
}

/// Every name in the tokens.
pub(crate) fn names_in(tokens: TokenStream) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => drop(names.insert(self::name(&ident))),
            TokenTree::Group(group) => names.extend(names_in(group.stream())),
            _ => {}
        }
    }
    names
}

/// What is passed to a function, as it is written.
pub(crate) fn passed<'e>(args: impl IntoIterator<Item = &'e syn::Expr>) -> String {
    args.into_iter().map(text).collect::<Vec<_>>().join(", ")
}

/// The names in backticks, separated by commas.
pub(crate) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The expression without the parentheses around it.
pub(crate) fn unparenthesized(expr: &syn::Expr) -> &syn::Expr {
    match expr {
        syn::Expr::Paren(inner) => unparenthesized(&inner.expr),
        syn::Expr::Group(inner) => unparenthesized(&inner.expr),
        other => other,
    }
}

/// The whole number that an expression is, as it is written.
pub(crate) fn written_integer(expr: &syn::Expr) -> Option<u64> {
    match unparenthesized(expr) {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => number.base10_parse().ok(),
        _ => None,
    }
}

/// Tokens as people write them: `prettyplease` is not worth its build time for the few words of a message.
pub(crate) fn text(tokens: &impl quote::ToTokens) -> String {
    let mut text = String::new();
    write(tokens.to_token_stream(), &mut text);
    text
}

fn write(tokens: TokenStream, text: &mut String) {
    // Whether the last token was the end of an operand, and the last sign joined to the next.
    let (mut operand, mut joined) = (false, true);
    // How many `<` of types are open: others compare.
    let mut angles = 0usize;
    let mut capital = false;
    // Whether the last sign was the first colon of `::`.
    let mut path = false;
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{ ", " }"),
                    Delimiter::None => ("", ""),
                };
                if !(joined || operand && group.delimiter() != Delimiter::Brace) {
                    text.push(' ');
                }
                text.push_str(open);
                write(group.stream(), text);
                text.push_str(close);
                (operand, joined) = (true, false);
            }
            TokenTree::Punct(punct) => {
                let sign = punct.as_char();
                let opens = sign == '<' && (capital || text.ends_with("::"));
                let closing = sign == '>' && angles > 0;
                angles = angles + usize::from(opens) - usize::from(closing);
                // Of a macro, and not of `!=`.
                let calls = sign == '!' && operand && punct.spacing() == Spacing::Alone;
                let closes = matches!(sign, ',' | ';' | '.' | ':' | '?') || opens || closing || calls;
                let starts = sign == ':' && punct.spacing() == Spacing::Joint;
                if !joined && (!closes || starts && !operand) {
                    text.push(' ');
                }
                let unary = matches!(sign, '-' | '!' | '&' | '*') && !operand;
                text.push(sign);
                operand = closing || sign == '?';
                capital = false;
                joined = unary
                    || opens
                    || (sign == ':' && path)
                    || matches!(sign, '.' | '!' | '\'' | '#')
                    || text.ends_with("..=")
                    || punct.spacing() == Spacing::Joint;
                path = starts;
            }
            word => {
                if !joined {
                    text.push(' ');
                }
                let word = word.to_string();
                capital = word.starts_with(char::is_uppercase);
                text.push_str(&word);
                (operand, joined) = (true, false);
            }
        }
    }
}

/// `a / b` of whole numbers: of constants rounded toward zero, as Rust does it; of sizes, which are not negative, the
/// floor by a constant, or what is exact. `None` where there is no such number.
pub(crate) fn quotient(a: &Dim, b: &Dim) -> Option<Dim> {
    match (a.as_constant(), b.as_constant()) {
        (Some(a), Some(b)) => a.checked_div(b).map(Dim::constant),
        (None, Some(divisor)) if divisor > 0 => Some(a.floor_div(divisor.unsigned_abs())),
        (None, Some(_)) => None,
        (_, None) => a.exact_div(b),
    }
}

/// Arithmetic on literals while parsing.
pub(crate) fn fold_integers(op: &syn::BinOp, a: i64, b: i64) -> Option<i64> {
    use netcl_kernels::graph::BinaryOp;
    Some(match op {
        syn::BinOp::Add(_) => a.checked_add(b)?,
        syn::BinOp::Sub(_) => a.checked_sub(b)?,
        syn::BinOp::Mul(_) => a.checked_mul(b)?,
        syn::BinOp::Div(_) => quotient(&Dim::constant(a), &Dim::constant(b))?.as_constant()?,
        syn::BinOp::Rem(_) if b != 0 => fold::binary_i64(BinaryOp::Rem, a, b)?,
        syn::BinOp::BitAnd(_) => a & b,
        syn::BinOp::BitOr(_) => a | b,
        syn::BinOp::BitXor(_) => a ^ b,
        _ => return None,
    })
}
