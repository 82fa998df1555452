//! How deeply tokens nest. Parsers and everything after them go down by recursion; rustc's stack is what it is.

use crate::diag::Diag;
use crate::messages as m;
use crate::recover;
use crate::words::MAX_DEPTH;
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::quote;
use syn::spanned::Spanned;
use syn::{Expr, ItemFn};

/// The most that may stand around a token, as [`weight`] counts it. Some tens of kilobytes of stack go into each delimiter and
/// each bracket of types where macros are built without optimisation; what rustc gives holds about twice of this.
const MOST: usize = 2000;

/// What is said of expressions of which too many stand in each other.
pub(crate) fn more() -> String {
    format!(": more than {MAX_DEPTH} expressions stand in each other")
}

/// Where an expression is marked that is too deep: at what it does, for its first token is that of the innermost one.
pub(crate) fn place(expr: &Expr) -> Span {
    match expr {
        Expr::MethodCall(call) => call.method.span(),
        Expr::Binary(binary) => binary.op.span(),
        Expr::Cast(cast) => cast.as_token.span(),
        other => other.span(),
    }
}

/// What a token adds to the depth of those behind it, up to the next separator.
fn weight(token: &TokenTree, before: Option<&TokenTree>) -> usize {
    let is = |token: &TokenTree, sign: char| matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign);
    let is_type = |before: &TokenTree| match before {
        TokenTree::Ident(word) => word.to_string().starts_with(char::is_uppercase),
        before => is(before, ':'),
    };
    match (token, before) {
        (TokenTree::Literal(_), _) => 0,
        // Types in types.
        (token, Some(before)) if is(token, '<') && is_type(before) => 16,
        (TokenTree::Punct(sign), Some(TokenTree::Punct(before))) if sign.as_char() == before.as_char() => 8,
        (TokenTree::Ident(word), Some(before)) if (word == "const" || word == "mut") && is(before, '*') => 8,
        (TokenTree::Punct(sign), _) if sign.as_char() == '\'' => 8,
        _ => 1,
    }
}

/// The first token that is too deep.
fn too_deep(tokens: &TokenStream) -> Option<Span> {
    // Groups on the way, each with what stands around what is left of it and the token before that.
    let mut open = vec![(tokens.clone().into_iter().peekable(), 0, 0, None)];
    while let Some((left, around, run, before)) = open.last_mut() {
        let Some(token) = left.next() else {
            open.pop();
            continue;
        };
        let after = left.peek();
        let depth = *around + *run + weight(&token, before.as_ref());
        if depth > MOST {
            return Some(token.span());
        }
        *run = if separates(&token, after) { 0 } else { depth - *around };
        if let TokenTree::Group(group) = &token {
            const DELIMITER: usize = 8;
            let inner = (group.stream().into_iter().peekable(), depth + DELIMITER, 0, None);
            *before = Some(token);
            open.push(inner);
        } else {
            *before = Some(token);
        }
    }
    None
}

/// Whether what follows is no part of what the token belongs to.
fn separates(token: &TokenTree, after: Option<&TokenTree>) -> bool {
    match token {
        TokenTree::Punct(sign) => matches!(sign.as_char(), ';' | ','),
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => match after {
            Some(TokenTree::Ident(word)) => word != "else" && word != "as",
            Some(TokenTree::Punct(sign)) => sign.as_char() == '#',
            _ => true,
        },
        _ => false,
    }
}

/// Reports a token that is too deep, if there is one.
pub(crate) fn judge(diag: &Diag, tokens: &TokenStream) -> bool {
    let deep = too_deep(tokens);
    if let Some(span) = deep {
        diag.report(span, &m::TOO_DEEP, &[&""]);
    }
    deep.is_none()
}

/// What there is of an item that is too deep: the signature of a function, a block whose functions have lost their bodies where
/// they are too deep. `None` of others.
pub(crate) fn shallow(item: &TokenStream) -> Option<TokenStream> {
    if let Some(kept) = function(item) {
        return Some(quote!(#kept));
    }
    let mut trees: Vec<TokenTree> = item.clone().into_iter().collect();
    let body = match trees.pop()? {
        TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => body.stream(),
        _ => return None,
    };
    let head: TokenStream = trees.into_iter().collect();
    let parts = recover::pieces(body).into_iter().filter_map(|piece| match too_deep(&piece.tokens) {
        None => Some(piece.tokens),
        Some(_) => function(&piece.tokens).map(|kept| quote!(#kept)),
    });
    let parts: Vec<TokenStream> = parts.collect();
    too_deep(&head).is_none().then(|| quote!(#head { #(#parts)* }))
}

/// The signature of a function whose body is too deep, marked as half-typed.
pub(crate) fn function(tokens: &TokenStream) -> Option<ItemFn> {
    let body = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    let bodiless: TokenStream = tokens.clone().into_iter().filter(|token| !body(token)).collect();
    if too_deep(&bodiless).is_some() { None } else { recover::function(&bodiless) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refuses(text: &str) -> bool {
        too_deep(&text.parse().expect("tokens")).is_some()
    }

    #[test]
    fn what_nests_or_follows_each_other_without_end() {
        let deep = |open: &str, inner: &str, close: &str, times: usize| {
            refuses(&format!("fn f() {{ {}{inner}{} }}", open.repeat(times), close.repeat(times)))
        };
        for (open, close) in [("(", ")"), ("{", "}"), ("[", "]"), ("exp(", ")"), ("-", ""), ("!", ""), ("x[", "]")] {
            assert!(!deep(open, "n", close, 128), "{open}");
            assert!(deep(open, "n", close, 1000), "{open}");
        }
        assert!(refuses(&format!("fn f(x: {}T)", "&".repeat(300))));
        assert!(refuses(&format!("fn f(x: {}T)", "*const ".repeat(300))));
        assert!(refuses(&format!("fn f(x: {}T)", "&'a ".repeat(300))));
        assert!(refuses(&format!("fn f(x: {}T{})", "Vec<".repeat(200), ">".repeat(200))));
        assert!(refuses(&vec!["x"; 10_000].join(" + ")));
        assert!(refuses(&format!("x{}", ".exp()".repeat(1000))));
        assert!(refuses(&format!("if a {{ }} {}", "else if a { } ".repeat(1000))));
    }

    #[test]
    fn long_texts_are_no_deep_ones() {
        for text in [
            "let a = (b + 1) * c[n];".repeat(10_000),
            "a, ".repeat(10_000),
            "fn f(x: &Tensor<f32, N, 64>) -> Tensor<f32, N, 64> { x.relu() }".repeat(1000),
            "if a > b { c = 1; }".repeat(1000),
            "#[inline] #[doc = \"text\"] fn f() {}".repeat(1000),
            "1.0 ".repeat(10_000),
        ] {
            assert!(!refuses(&format!("impl M {{ {text} }}")), "{}", &text[..40]);
        }
    }
}
