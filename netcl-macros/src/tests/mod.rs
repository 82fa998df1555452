//! Unit tests of the drivers: tokens in, tokens out, no rustc.

mod absurd;
mod arms;
mod bounds;
mod defaults;
mod derivatives;
mod dropped;
mod early;
mod fuzz;
mod gradients;
mod hints;
mod inference;
mod kernels;
mod known;
mod left_out;
mod local_races;
mod meaning;
mod models;
mod names;
mod nearly;
mod open_blocks;
mod ordinary;
mod races;
mod said;
mod truncated;
mod unknown;
mod unreached;
mod untyped;

use crate::chain;
use crate::{driver, kernel, paths};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeMap;
use syn::Item;

/// How the macros begin that emit what a model has once.
const ONCE: &str = "__netcl_once_";

/// Plays rustc for the hidden macros: items in order, requests answered from what items have exported.
#[derive(Default)]
pub(crate) struct Crate {
    exports: BTreeMap<String, TokenStream>,
    /// The macros that ask for more before they answer, as they are written.
    asking: BTreeMap<String, TokenStream>,
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
                if let Some(TokenTree::Group(body)) = tokens.get(position + 3)
                    && !text(2).starts_with(ONCE)
                {
                    match asks(body) {
                        Some(request) => drop(self.asking.insert(text(2), request)),
                        None => drop(self.exports.insert(text(2), payload(body))),
                    }
                }
                position += 4;
                continue;
            }
            // What has the name of a macro of Rust's own answers in its module.
            if text(0) == "mod"
                && let Some(TokenTree::Group(module)) = tokens.get(position + 2)
                && let Some(answer) = inside(module.stream())
            {
                self.exports.insert(text(1), answer);
            }
            if text(0) == "use" && text(2) == "as" {
                alias.insert(text(3), text(1));
            }
            // A macro of this module whose name is one of Rust's, or of another module: all items stand in one here.
            let way = (0..).step_by(3).take_while(|at| text(at + 1) == ":" && text(at + 2) == ":").count();
            if way > 0 && text(3 * way + 1) == "!" && self.exports.contains_key(&text(3 * way)) {
                position += 3 * way;
                continue;
            }
            let in_module = usize::from(way == 1 && paths::answer() == text(3)) * 3;
            if way > 1 && paths::answer() == text(3 * way) {
                position += 3 * (way - 1);
                continue;
            }
            // `path ! { { callback } { rest } }`.
            if text(in_module + 1) == "!"
                && let Some(TokenTree::Group(call)) = tokens.get(position + in_module + 2)
            {
                let hidden = alias.get(&text(0)).cloned().unwrap_or_else(|| text(0));
                if hidden.starts_with(ONCE) {
                    self.add(call.stream().into_iter().skip(1).collect());
                    position += 3;
                    continue;
                }
                if let Some(request) = self.asking.get(&hidden) {
                    let parts = chain::groups(call.stream()).and_then(|parts| <[TokenStream; 2]>::try_from(parts).ok());
                    let request = filled(request.clone(), &parts.expect("a request has two braces"));
                    self.add(request);
                    position += 3;
                    continue;
                }
                if hidden == "__resume" {
                    // `::netcl::__private::` before it.
                    self.tokens.truncate(self.tokens.len() - 8);
                    self.add(driver::resume(call.stream()));
                    position += 3;
                    continue;
                }
                if let Some(answer) = self.exports.get(&hidden).cloned() {
                    let rest = match call.stream().into_iter().nth(1) {
                        Some(TokenTree::Group(rest)) => rest.stream(),
                        _ => panic!("a request has two braces: {call}"),
                    };
                    let mut input = TokenStream::from(chain::braces(answer));
                    input.extend(rest);
                    self.add(driver::resume(input));
                    position += in_module + 3;
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

    /// `#[netcl::tensors]` on `item`.
    pub(crate) fn tensors(&mut self, item: TokenStream) {
        self.add(crate::driver::tensors(TokenStream::new(), item));
    }

    /// `#[netcl::constant]` on `item`.
    pub(crate) fn constant(&mut self, item: TokenStream) -> &mut Self {
        self.add(crate::declared_constant::constant(TokenStream::new(), item));
        self
    }

    /// `kernel! { items }`.
    pub(crate) fn kernel(&mut self, items: TokenStream) -> &mut Self {
        self.add(kernel::kernel(kernel::KernelOutput::Callable, chain::Gathered::default(), items));
        self
    }

    /// The macro on the item.
    pub(crate) fn mark(&mut self, Marked { name, args, item }: Marked) {
        match name.as_str() {
            "model" => self.add(driver::model(args, item)),
            "function" => self.add(driver::function(args, item)),
            "kernel" => drop(self.kernel(item)),
            "tensors" => self.tensors(item),
            _ => self.add(crate::declared_constant::constant(args, item)),
        }
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

/// An item, and the macro that it is marked with.
pub(crate) struct Marked {
    pub(crate) name: String,
    pub(crate) args: TokenStream,
    pub(crate) item: TokenStream,
}

/// Those of a file's items that are marked.
pub(crate) fn marked(file: syn::File) -> Vec<Marked> {
    let mut all = Vec::new();
    for mut item in file.items {
        let mut taken = Vec::new();
        if let Item::Struct(syn::ItemStruct { attrs, .. })
        | Item::Enum(syn::ItemEnum { attrs, .. })
        | Item::Impl(syn::ItemImpl { attrs, .. })
        | Item::Fn(syn::ItemFn { attrs, .. })
        | Item::Type(syn::ItemType { attrs, .. })
        | Item::Const(syn::ItemConst { attrs, .. }) = &mut item
        {
            let ours = |attr: &mut syn::Attribute| attr.path().segments[0].ident == "netcl";
            taken = attrs.extract_if(.., ours).collect();
        }
        let args = |attr: &syn::Attribute| match &attr.meta {
            syn::Meta::List(list) => list.tokens.clone(),
            _ => TokenStream::new(),
        };
        match (taken.first(), item) {
            (Some(attr), item) => {
                let name = attr.path().segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
                all.push(Marked { name, args: args(attr), item: item.into_token_stream() });
            }
            (None, Item::Macro(call)) if call.mac.path.segments.last().is_some_and(|last| last.ident == "kernel") => {
                all.push(Marked { name: "kernel".into(), args: TokenStream::new(), item: call.mac.tokens });
            }
            (None, _) => {}
        }
    }
    all
}

/// What the macros make of a file's items.
pub(crate) fn compiled(source: &str) -> Crate {
    let file = syn::parse_file(source).unwrap_or_else(|error| panic!("{error}: {source}"));
    let mut own = Crate::default();
    marked(file).into_iter().for_each(|item| own.mark(item));
    own
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

/// What an exported macro expands to that asks for more before it answers.
fn asks(body: &Group) -> Option<TokenStream> {
    let transcriber = body.stream().into_iter().filter_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
        _ => None,
    });
    transcriber.last().filter(|tokens| tokens.clone().into_iter().next().is_some_and(|first| first.to_string() == ":"))
}

/// A macro's tokens with what it is called with: `$($callback)*` and `$($rest)*`.
fn filled(tokens: TokenStream, [callback, rest]: &[TokenStream; 2]) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut all = Vec::new();
    let mut position = 0;
    while let Some(token) = tokens.get(position) {
        match (token.to_string().as_str(), tokens.get(position + 1)) {
            ("$", Some(name)) => {
                let given = if name.to_string().contains("callback") { callback } else { rest };
                all.extend(given.clone());
                position += 3;
                continue;
            }
            (_, _) => match token {
                TokenTree::Group(group) => {
                    let inner = filled(group.stream(), &[callback.clone(), rest.clone()]);
                    all.push(Group::new(group.delimiter(), inner).into());
                }
                other => all.push(other.clone()),
            },
        }
        position += 1;
    }
    all.into_iter().collect()
}

/// What the module of a function's name answers with.
fn inside(module: TokenStream) -> Option<TokenStream> {
    let tokens: Vec<TokenTree> = module.into_iter().collect();
    let is_answer =
        |at: &usize| tokens[*at].to_string() == "macro_rules" && tokens[at + 2].to_string().ends_with("_inside");
    match tokens.get((0..tokens.len()).find(is_answer)? + 3)? {
        TokenTree::Group(body) => Some(payload(body)),
        _ => None,
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
