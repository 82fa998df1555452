//! Tokens to our syntax tree. Parsers report to the [`crate::diag::Diag`] and carry on.

pub(crate) mod attr;
pub(crate) mod constant;
pub(crate) mod field;
pub(crate) mod function;
pub(crate) mod index;
pub(crate) mod model;
pub(crate) mod types;

use netcl_kernels::fold;

/// ` (did you mean …?)` if one of `known` is close to `given`.
pub(crate) fn suggestion<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> String {
    let nearest = known.map(|name| (distance(given, name), name)).min();
    match nearest {
        Some((distance, name)) if distance <= 1 + given.len() / 4 && distance < name.len() => {
            format!("; did you mean `{name}`?")
        }
        _ => String::new(),
    }
}

/// Whether `given` is a likely misspelling of one of `known`.
pub(crate) fn is_near<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> bool {
    !suggestion(given, known).is_empty()
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (diagonal + usize::from(x != *y)).min(above + 1).min(row[j] + 1);
            diagonal = above;
        }
    }
    row[b.len()]
}

/// The names in backticks, separated by commas.
pub(crate) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Tokens as people write them: `prettyplease` is not worth its build time for the few words of a message.
pub(crate) fn text(tokens: &impl quote::ToTokens) -> String {
    let raw = tokens.to_token_stream().to_string();
    let mut tidy = String::with_capacity(raw.len());
    for word in raw.split_whitespace() {
        let glued = tidy.ends_with(['(', '[', '&', '.', '<', '!'])
            || tidy.ends_with("::")
            || word.starts_with([')', ']', ',', '.', ';', ':', '(', '[', '>', '<', '?'])
                && !(word.starts_with(['<', '>']) && word.len() == 1 && tidy.ends_with(|c: char| c == ')'));
        if !tidy.is_empty() && !glued {
            tidy.push(' ');
        }
        tidy.push_str(word);
    }
    tidy
}

/// Arithmetic on literals while parsing.
pub(crate) fn fold_integers(op: &syn::BinOp, a: i64, b: i64) -> Option<i64> {
    use netcl_kernels::graph::BinaryOp;
    Some(match op {
        syn::BinOp::Add(_) => a.checked_add(b)?,
        syn::BinOp::Sub(_) => a.checked_sub(b)?,
        syn::BinOp::Mul(_) => a.checked_mul(b)?,
        syn::BinOp::Div(_) if b != 0 => fold::binary_i64(BinaryOp::Div, a, b)?,
        syn::BinOp::Rem(_) if b != 0 => fold::binary_i64(BinaryOp::Rem, a, b)?,
        _ => return None,
    })
}
