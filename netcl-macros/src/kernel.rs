//! The stages of `kernel!`.

use crate::ast::Function;
use crate::chain::{self, Gathered, Kind, Need};
use crate::diag::Diag;
use crate::lower::{self, Unit};
use crate::parse::constant::Constants;
use crate::{driver, dump, expand, fallback, messages as m, parse, scan, simt};
use netcl_kernels::layers::Mode;
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeSet;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{FnArg, ItemFn};

/// What kernels in index form become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A static that is called, with its pullback: `kernel!`.
    Callable,
    /// A function that gives the plans, for netcl itself, which calls them in its own way: `__rules!`.
    Plans,
}

impl Form {
    /// The driver that goes on after a request.
    fn driver(self) -> &'static str {
        match self {
            Form::Callable => "kernel",
            Form::Plans => "rules",
        }
    }
}

/// The functions of one `kernel!`.
struct Items(Vec<ItemFn>, Option<syn::Error>);

impl Parse for Items {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut items = Vec::new();
        while !input.is_empty() {
            match input.parse::<syn::Item>() {
                Ok(syn::Item::Fn(item)) => items.push(item),
                Ok(other) => {
                    return Ok(Items(items, Some(syn::Error::new(other.span(), m::KERNEL_ITEM.fill(&[])))));
                }
                Err(error) => {
                    // What follows a half-typed function cannot be told apart from it.
                    let _ = input.parse::<TokenStream>();
                    return Ok(Items(items, Some(error)));
                }
            }
        }
        Ok(Items(items, None))
    }
}

/// `kernel! { .. }`.
pub(crate) fn kernel(form: Form, gathered: Gathered, input: TokenStream) -> TokenStream {
    let input = parse::index::tuples(input);
    let diag = Diag::new();
    let Items(items, error) = match syn::parse2::<Items>(input.clone()) {
        Ok(items) => items,
        Err(error) => {
            diag.syntax(error);
            return diag.finish().err().unwrap_or_default();
        }
    };
    if error.is_none()
        && let Some(need) = missing(&gathered, &items)
    {
        diag.dismiss();
        return chain::request(&need, &gathered, form.driver(), &input);
    }
    if let Some(error) = error {
        diag.syntax(error);
    }
    let mut constants = Constants::new();
    driver::constants_into(&gathered, &mut constants);
    let mut unit = Unit { constants, ..Unit::default() };
    driver::helpers(&gathered, &mut unit);
    let mut tokens = TokenStream::new();
    for item in &items {
        let before = diag.count();
        if let Some(FnArg::Receiver(receiver)) = item.sig.inputs.first() {
            diag.report(receiver.span(), &m::KERNEL_RECEIVER, &[]);
            continue;
        }
        if simt::is_simt(item) {
            match simt_item(&diag, &unit, item) {
                Some(expanded) => {
                    dump::tokens(&parse::name(&item.sig.ident), "kernel", &expanded);
                    tokens.extend(expanded);
                }
                None => tokens.extend(fallback::simt(item)),
            }
            continue;
        }
        let function = parse::function::function(
            &diag,
            &item.attrs,
            &item.vis,
            &item.sig,
            &item.block,
            &unit.constants,
            &BTreeSet::new(),
        );
        let expanded = function.and_then(|function| compiled(form, &diag, &unit, &function));
        match expanded {
            Some(expanded) if diag.count() == before => {
                dump::tokens(&parse::name(&item.sig.ident), "kernel", &expanded);
                tokens.extend(expanded);
            }
            _ => {
                let stub = fallback::stub(&item.vis, &item.sig, &item.sig.ident, None);
                tokens.extend(quote!(#[allow(dead_code, unused_variables)] #stub));
            }
        }
    }
    let mut all = diag.finish().err().unwrap_or_default();
    all.extend(tokens);
    all
}

/// A kernel in SIMT form, once for each choice of its element types.
fn simt_item(diag: &Diag, unit: &Unit, item: &ItemFn) -> Option<TokenStream> {
    let before = diag.count();
    let mut instances = Vec::new();
    for (item, decisions) in simt::instances(diag, item) {
        let Some(signature) = simt::signature(diag, &item, &unit.constants) else { continue };
        let Some(lowered) = simt::lower(diag, unit, &signature) else { continue };
        match simt::compile(&signature, &lowered) {
            Ok(plans) => instances.push(expand::simt::Instance { signature, lowered, decisions, plans }),
            Err(diagnostic) => diag.diagnostic(&diagnostic, item.sig.ident.span()),
        }
    }
    (diag.count() == before && !instances.is_empty()).then(|| expand::simt::kernel(instances))
}

fn missing(gathered: &Gathered, items: &[ItemFn]) -> Option<Need> {
    for item in items {
        let known = if simt::is_simt(item) { simt::is_known } else { lower::is_builtin };
        for path in scan::calls(&item.block, known) {
            if gathered.get(Kind::Function, &path).is_none() {
                return Some(Need { kind: Kind::Function, path });
            }
        }
        let mut constants = Vec::new();
        scan::constants_of(&item.sig, &item.block, &Constants::new(), &BTreeSet::new(), &mut constants);
        for path in constants {
            if gathered.get(Kind::Constant, &path).is_none() {
                return Some(Need { kind: Kind::Constant, path });
            }
        }
    }
    None
}

fn compiled(form: Form, diag: &Diag, unit: &Unit, function: &Function) -> Option<TokenStream> {
    let paths = lower::lower(diag, unit, function, Mode::Inference);
    match form {
        Form::Callable => expand::kernel::kernel(diag, function, paths),
        Form::Plans => expand::kernel::plans(diag, function, paths),
    }
}
