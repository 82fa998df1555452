//! What is said about syntax.

use crate::parse::index::text_of;
use netcl_kernels::dtype::DType;
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::quote_spanned;

/// The parser's error with what it found, as rustc says it: "expected an expression, found `}`". `end` is what follows
/// the tokens.
pub(crate) fn explain(error: &syn::Error, tokens: &TokenStream, end: (Span, &str)) -> Vec<(Span, String)> {
    error.clone().into_iter().map(|part| one(&part, tokens, end)).collect()
}

fn one(error: &syn::Error, tokens: &TokenStream, end: (Span, &str)) -> (Span, String) {
    let (span, text) = (error.span(), error.to_string());
    let wanted = place(span);
    if let Some(expected) = text.strip_prefix("unexpected end of input, ") {
        let expected = in_words(expected);
        return match closing(tokens, &wanted) {
            Some((span, close)) => (span, format!("{expected}, found `{close}`")),
            None => (end.0, format!("{expected}, found {}", end.1)),
        };
    }
    if let Some(said) = as_in_c(tokens, &wanted) {
        return (span, said);
    }
    if !text.starts_with("expected ") {
        return (span, text);
    }
    let text = in_words(&text);
    match (found(tokens.clone(), &wanted), closing(tokens, &wanted)) {
        // `sum(c in 0..C, x[n, c])`, as mathematics and Python have it.
        (Some(found), _) if found == "in" => {
            let hint = "a reduction takes a range and a closure: write `sum(0..C, |c| x[n, c])`";
            (span, format!("{text}, found `in`\nhint: {hint}"))
        }
        // `Tensor<f32, ..>`, for any number of axes.
        (Some(found), _) if found == "." && text == "expected a type" => {
            let hint = "each axis is written, `Tensor<f32, N>`: a kernel for elements in a row takes what `x.reshape(&[..])?` gives";
            (span, format!("{text}, found `..`\nhint: {hint}"))
        }
        (Some(found), _) => (span, format!("{text}, found `{found}`")),
        (None, Some((span, close))) => (span, format!("{text}, found `{close}`")),
        (None, None) => (span, text),
    }
}

/// What is said where the parser stops at `wanted` in C's words: `x > 0 ? 1 : 0`, `int i = 0;`
fn as_in_c(tokens: &TokenStream, wanted: &Option<String>) -> Option<String> {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let here = |token: &TokenTree| wanted.is_some() && place(token.span()) == *wanted;
    let Some(at) = trees.iter().position(here).filter(|at| *at > 0) else {
        return trees.iter().find_map(|token| match token {
            TokenTree::Group(group) => as_in_c(&group.stream(), wanted),
            _ => None,
        });
    };
    let is = |token: &TokenTree, mark: char| matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark);
    let end = trees[at..].iter().position(|token| is(token, ';')).map_or(trees.len(), |end| at + end);
    let text = |part: &[TokenTree]| text_of(&part.iter().cloned().collect::<TokenStream>());
    match (&trees[at - 1], &trees[at]) {
        (before, _) if is(before, '?') => {
            let alone = |at: usize| {
                let compares = at > 0 && "=<>!".chars().any(|mark| is(&trees[at - 1], mark));
                is(&trees[at], '=') && !compares && !is(&trees[at + 1], '=')
                    || "{;,".chars().any(|mark| is(&trees[at], mark))
            };
            let start = (0..at - 1).rev().find(|at| alone(*at)).map_or(0, |before| before + 1);
            let colon = (at..end).find(|at| is(&trees[*at], ':'))?;
            let (condition, then) = (text(&trees[start..at - 1]), text(&trees[at..colon]));
            let otherwise = text(&trees[colon + 1..end]);
            let hint = format!("`if` gives a value: write `if {condition} {{ {then} }} else {{ {otherwise} }}`");
            Some(format!("there is no `? :` here\nhint: {hint}"))
        }
        (TokenTree::Ident(ty), TokenTree::Ident(name)) if is_type(&ty.to_string()) => {
            let hint = format!("write `let {name} = ..;`, or `let mut {name} = ..;` where it changes");
            Some(format!("a variable is bound by `let`, found `{ty} {name}`\nhint: {hint}"))
        }
        _ => None,
    }
}

/// Whether C, OpenCL C or Rust has a type of that name, of numbers or of vectors.
fn is_type(name: &str) -> bool {
    const TYPES: [&str; 18] = [
        "int", "uint", "unsigned", "signed", "float", "double", "half", "char", "uchar", "short", "ushort", "long",
        "ulong", "bool", "size_t", "auto", "var", "void",
    ];
    let element = name.trim_end_matches(|c: char| c.is_ascii_digit());
    TYPES.contains(&name) || TYPES.contains(&element) || DType::from_name(name).is_some() || name == "usize"
}

/// The parser's lists of everything that may begin a type or a pattern, by their names, and delimiters as they are typed.
fn in_words(expected: &str) -> String {
    let all = [
        ("expected one of: `for`, parentheses, `unsafe`, `fn`,", "expected a type"),
        ("expected one of: identifier, `::`, `<`, `_`,", "expected a name"),
        ("expected identifier or integer", "expected the name of a method after `.`"),
        ("expected identifier", "expected a name"),
        ("expected curly braces", "expected `{`"),
        ("expected parentheses", "expected `(`"),
        ("expected square brackets", "expected `[`"),
    ];
    let known = all.iter().find(|(begins, _)| expected.starts_with(begins));
    known.map_or_else(|| expected.to_string(), |(_, words)| words.to_string())
}

/// What tells one place from another; tokens that do not come from rustc have none.
fn place(span: Span) -> Option<String> {
    proc_macro::is_available().then(|| format!("{span:?}"))
}

/// The closing delimiter of the group that ends at `wanted`. (Groups that were built anew for `x[n, c]` have one place for
/// both delimiters.)
fn closing(tokens: &TokenStream, wanted: &Option<String>) -> Option<(Span, &'static str)> {
    tokens.clone().into_iter().find_map(|token| {
        let TokenTree::Group(group) = token else { return None };
        let here = wanted.is_some() && [group.span(), group.span_close()].iter().any(|span| place(*span) == *wanted);
        let close = match group.delimiter() {
            Delimiter::Parenthesis => ")",
            Delimiter::Bracket => "]",
            Delimiter::Brace => "}",
            Delimiter::None => "",
        };
        if here { Some((group.span_close(), close)) } else { closing(&group.stream(), wanted) }
    })
}

/// The token at `wanted`.
fn found(tokens: TokenStream, wanted: &Option<String>) -> Option<String> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Group(group) if wanted.is_some() && place(group.span_open()) == *wanted => {
            group.to_string().chars().next().map(String::from)
        }
        TokenTree::Group(group) => found(group.stream(), wanted),
        other => (wanted.is_some() && place(other.span()) == *wanted).then(|| other.to_string()),
    })
}

/// Reports what `syn` says about an item that rustc has parsed before, unless rustc has reported an error of its own.
///
/// An attribute gets its item from rustc's parser, which has said what is wrong with it, and better. What is left are
/// items that rustc takes and `syn` does not know yet: a lint speaks of those, because lints come last and only where
/// there was no error.
pub(crate) fn unless_rustc(error: &syn::Error, item: &TokenStream) -> TokenStream {
    let text = error.to_string();
    // Lints are silent at places that are the macro's own.
    let own = place(error.span()) == place(Span::call_site());
    let last = item.clone().into_iter().last().map_or(error.span(), |last| last.span());
    let span = if own { last } else { error.span() };
    quote_spanned! {span=>
        #[deny(unused_must_use)]
        const _: () = {
            #[must_use = #text]
            fn syntax() -> bool {
                true
            }
            #[allow(dead_code)]
            fn is_not_understood() {
                syntax();
            }
        };
    }
}
