//! `x[n, c]`: several indices in one pair of brackets, which Rust's grammar has no place for.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// Words that a list in brackets may follow.
const KEYWORDS: [&str; 8] = ["in", "return", "if", "else", "match", "let", "mut", "break"];

/// The tokens with `x[n, c]` as `x[(n, c)]`.
pub(crate) fn tuples(tokens: TokenStream) -> TokenStream {
    changed(tokens.clone()).unwrap_or(tokens)
}

/// The same, if there is any: a group that is built anew loses the places of its delimiters, which errors are about.
fn changed(tokens: TokenStream) -> Option<TokenStream> {
    let mut any = false;
    let mut result = Vec::new();
    for token in tokens {
        let token = match token {
            TokenTree::Group(group) => {
                let indexes = group.delimiter() == Delimiter::Bracket && result.last().is_some_and(ends_expression);
                let tuple = indexes && has_comma(&group.stream());
                match (changed(group.stream()), tuple) {
                    (None, false) => TokenTree::Group(group),
                    (inner, _) => {
                        any = true;
                        let mut inner = inner.unwrap_or_else(|| group.stream());
                        if tuple {
                            let mut tuple = Group::new(Delimiter::Parenthesis, inner);
                            tuple.set_span(group.span());
                            inner = TokenTree::Group(tuple).into();
                        }
                        let mut same = Group::new(group.delimiter(), inner);
                        same.set_span(group.span());
                        TokenTree::Group(same)
                    }
                }
            }
            other => other,
        };
        result.push(token);
    }
    any.then(|| result.into_iter().collect())
}

fn ends_expression(token: &TokenTree) -> bool {
    match token {
        TokenTree::Ident(ident) => !KEYWORDS.contains(&ident.to_string().as_str()),
        TokenTree::Group(group) => group.delimiter() != Delimiter::Brace,
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    }
}

fn has_comma(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|token| matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ','))
}

/// The text of a read, as the user wrote it.
pub(crate) fn text(read: &syn::ExprIndex) -> String {
    let name = super::text(&read.expr);
    match &*read.index {
        syn::Expr::Tuple(tuple) => {
            let indices: Vec<String> = tuple.elems.iter().map(super::text).collect();
            format!("{name}[{}]", indices.join(", "))
        }
        one => format!("{name}[{}]", super::text(one)),
    }
}

/// The text of an expression with the reads in it as the user wrote them.
pub(crate) fn text_of(tokens: &impl quote::ToTokens) -> String {
    super::text(&bare(tokens.to_token_stream()))
}

/// The text of an expression with `pad(..)` around each read in it; `None` where there is none.
pub(crate) fn padded(tokens: &impl quote::ToTokens) -> Option<String> {
    fn around(tokens: TokenStream, any: &mut bool) -> TokenStream {
        let mut result: Vec<TokenTree> = Vec::new();
        for token in tokens {
            let token = match token {
                TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => match result.pop() {
                    Some(TokenTree::Ident(name)) => {
                        *any = true;
                        let pad = proc_macro2::Ident::new("pad", name.span());
                        let read = [TokenTree::Ident(name), TokenTree::Group(group)].into_iter().collect();
                        result.push(TokenTree::Ident(pad));
                        TokenTree::Group(Group::new(Delimiter::Parenthesis, read))
                    }
                    before => {
                        result.extend(before);
                        TokenTree::Group(group)
                    }
                },
                TokenTree::Group(group) => TokenTree::Group(Group::new(group.delimiter(), around(group.stream(), any))),
                other => other,
            };
            result.push(token);
        }
        result.into_iter().collect()
    }
    let mut any = false;
    let tokens = around(tokens.to_token_stream(), &mut any);
    any.then(|| text_of(&tokens))
}

/// The text of a read whose index `from` has another name.
pub(crate) fn renamed(read: &syn::ExprIndex, from: &str, to: &str) -> String {
    fn inside(tokens: TokenStream, from: &str, to: &str) -> TokenStream {
        let renamed = |token| match token {
            TokenTree::Ident(ident) if ident == from => TokenTree::Ident(proc_macro2::Ident::new(to, ident.span())),
            TokenTree::Group(group) => {
                TokenTree::Group(Group::new(group.delimiter(), inside(group.stream(), from, to)))
            }
            other => other,
        };
        tokens.into_iter().map(renamed).collect()
    }
    let (name, index) = (&read.expr, inside(quote::ToTokens::to_token_stream(&read.index), from, to));
    text_of(&quote::quote!(#name[#index]))
}

/// The tokens with `x[(n, c)]` as `x[n, c]`.
fn bare(tokens: TokenStream) -> TokenStream {
    let mut result: Vec<TokenTree> = Vec::new();
    for token in tokens {
        let token = match token {
            TokenTree::Group(group) => {
                let reads = group.delimiter() == Delimiter::Bracket && result.last().is_some_and(ends_expression);
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                let inner = match inner.as_slice() {
                    [TokenTree::Group(tuple)] if reads && tuple.delimiter() == Delimiter::Parenthesis => tuple.stream(),
                    _ => group.stream(),
                };
                TokenTree::Group(Group::new(group.delimiter(), bare(inner)))
            }
            other => other,
        };
        result.push(token);
    }
    result.into_iter().collect()
}
