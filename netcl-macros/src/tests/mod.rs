//! Unit tests of the drivers: tokens in, tokens out, no rustc.

mod absurd;
mod bounds;
mod early;
mod gradients;
mod hints;
mod kernels;
mod meaning;
mod models;
mod names;
mod truncated;
mod unknown;
mod untyped;

use crate::chain;
use crate::{driver, kernel};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::collections::BTreeMap;

/// Plays rustc for the hidden macros: items in order, requests answered from what items have exported.
#[derive(Default)]
pub(crate) struct Crate {
    exports: BTreeMap<String, TokenStream>,
    tokens: Vec<TokenTree>,
    /// Everything generated so far.
    pub(crate) output: String,
}

impl Crate {
    /// Adds generated tokens: notes exports, answers requests, keeps the rest.
    pub(crate) fn add(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut position = 0;
        let mut alias = BTreeMap::new();
        while position < tokens.len() {
            let text = |offset: usize| tokens.get(position + offset).map(ToString::to_string).unwrap_or_default();
            if text(0) == "macro_rules" && text(1) == "!" {
                if let Some(TokenTree::Group(body)) = tokens.get(position + 3) {
                    self.exports.insert(text(2), payload(body));
                }
                position += 4;
                continue;
            }
            if text(0) == "use" && text(2) == "as" {
                alias.insert(text(3), text(1));
            }
            // `path ! { { callback } { rest } }`.
            if text(1) == "!"
                && let Some(TokenTree::Group(call)) = tokens.get(position + 2)
            {
                let hidden = alias.get(&text(0)).cloned().unwrap_or_else(|| text(0));
                if let Some(answer) = self.exports.get(&hidden).cloned() {
                    let rest = match call.stream().into_iter().nth(1) {
                        Some(TokenTree::Group(rest)) => rest.stream(),
                        _ => panic!("a request has two braces: {call}"),
                    };
                    let mut input = TokenStream::from(chain::braces(answer));
                    input.extend(rest);
                    self.add(driver::resume(input));
                    position += 3;
                    continue;
                }
            }
            self.tokens.push(tokens[position].clone());
            position += 1;
        }
        self.output = self.tokens.iter().cloned().collect::<TokenStream>().to_string();
        for (alias, hidden) in alias {
            if let Some(tokens) = self.exports.get(&hidden).cloned() {
                self.exports.insert(alias, tokens);
            }
        }
    }

    /// `#[netcl::model]` on `item`.
    pub(crate) fn model(&mut self, item: TokenStream) -> &mut Self {
        self.add(driver::model(TokenStream::new(), item));
        self
    }

    /// `#[netcl::function]` on `item`.
    pub(crate) fn function(&mut self, item: TokenStream) -> &mut Self {
        self.add(driver::function(TokenStream::new(), item));
        self
    }

    /// `#[netcl::constant]` on `item`.
    pub(crate) fn constant(&mut self, item: TokenStream) -> &mut Self {
        self.add(driver::constant(TokenStream::new(), item));
        self
    }

    /// `kernel! { items }`.
    pub(crate) fn kernel(&mut self, items: TokenStream) -> &mut Self {
        self.add(kernel::kernel(kernel::Form::Callable, chain::Gathered::default(), items));
        self
    }

    /// The messages of all errors, in order; those that are left to rustc where it has said them, too.
    pub(crate) fn errors(&self) -> Vec<String> {
        let mut errors = Vec::new();
        texts(&self.tokens, &mut errors);
        errors
    }

    /// What was generated, as Rust.
    pub(crate) fn file(&self) -> syn::File {
        match syn::parse2(self.tokens.iter().cloned().collect()) {
            Ok(file) => file,
            Err(error) => panic!("{error}\n{}", self.output),
        }
    }

    /// That there are no errors, and that the output is Rust.
    pub(crate) fn sound(&self) -> &Self {
        assert!(self.errors().is_empty(), "{:#?}", self.errors());
        self.file();
        self
    }
}

/// The texts of `compile_error!(..)` and `#[must_use = ..]`.
fn texts(tokens: &[TokenTree], errors: &mut Vec<String>) {
    for (position, token) in tokens.iter().enumerate() {
        let mut said = |token: Option<&TokenTree>| match token {
            Some(TokenTree::Group(text)) => {
                errors.extend(syn::parse2::<syn::LitStr>(text.stream()).map(|text| text.value()))
            }
            Some(text) => errors.extend(syn::parse2::<syn::LitStr>(text.clone().into()).map(|text| text.value())),
            None => {}
        };
        match token {
            TokenTree::Ident(ident) if ident == "compile_error" || ident == "must_use" => {
                said(tokens.get(position + 2))
            }
            TokenTree::Group(group) => texts(&Vec::from_iter(group.stream()), errors),
            _ => {}
        }
    }
}

/// The tokens that an exported macro answers with.
fn payload(body: &Group) -> TokenStream {
    let transcriber = body.stream().into_iter().filter_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group),
        _ => None,
    });
    let transcriber = transcriber.last().expect("a macro has a transcriber");
    let inner = transcriber.stream().into_iter().find_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
        _ => None,
    });
    let Some(TokenTree::Group(payload)) = inner.and_then(|inner| inner.into_iter().next()) else {
        panic!("a macro answers with braces: {body}");
    };
    payload.stream()
}
