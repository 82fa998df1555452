//! The stages of `kernel!`.

use crate::ast::{FunctionItem, Unit};
use crate::chain::{self, Gathered, ItemKind, Need};
use crate::diag::Diag;
use crate::expand::meant::CallingBody;
use crate::lower;
use crate::parse::{attr, condition, text};
use crate::recover::{self, Piece};
use crate::{dump, expand, fallback, guard, messages as m, nesting, parse, paths, payload, rounds, scan, simt, words};
use netcl_kernels::layers::Mode;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::quote;
use std::collections::{BTreeMap, BTreeSet};
use syn::spanned::Spanned;
use syn::{FnArg, ItemFn};

/// What kernels in index form become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KernelOutput {
    /// A static that is called, with its pullback: `kernel!`.
    Callable,
    /// A function that gives the plans, for netcl itself, which calls them in its own way: `__rules!`.
    Plans,
}

impl KernelOutput {
    /// The driver that goes on after a request.
    fn driver(self) -> &'static str {
        match self {
            KernelOutput::Callable => "kernel",
            KernelOutput::Plans => "rules",
        }
    }
}

/// `kernel! { .. }`: each function goes its own way, so that what is wrong with one leaves the others alone.
pub(crate) fn kernel(form: KernelOutput, gathered: Gathered, input: TokenStream) -> TokenStream {
    let pieces = recover::pieces(input);
    let mut gathered = gathered;
    if gathered.parts.is_empty() {
        let others = pieces.iter().filter(|piece| recover::function(&piece.tokens).is_none());
        let others = others.filter_map(|piece| syn::parse2::<syn::Item>(piece.tokens.clone()).ok());
        let names = others.flat_map(|item| parse::items::names(&item));
        gathered.parts.extend(names.map(|name| (ItemKind::Refused, name, TokenStream::new())));
    }
    let (diag, mut unfit) = (Diag::new(), BTreeSet::new());
    // Once, where all of them are seen: a kernel that goes on later is alone.
    if gathered.begins() && pieces.len() > 1 {
        let parsed = |piece: &Piece| syn::parse2::<ItemFn>(parse::index::tuples(piece.tokens.clone())).ok();
        unfit = simt::gradient::judge(&diag, &pieces.iter().filter_map(parsed).collect::<Vec<_>>());
    }
    let errors = diag.finish().err().unwrap_or_default();
    // Where each stands first, and whether rustc decides that it is there.
    let mut names: BTreeMap<String, (Span, bool)> = BTreeMap::new();
    let all: TokenStream = pieces
        .into_iter()
        .map(|piece| {
            let function = recover::function(&piece.tokens);
            let undecided = function.iter().any(|function| function.attrs.iter().any(condition::is_condition));
            let name = function.map(|function| function.sig.ident);
            let first = name.as_ref().and_then(|name| names.get(&parse::name(name)).copied());
            let place = |name: &syn::Ident| (parse::name(name), (name.span(), undecided));
            names.extend(name.iter().filter(|_| first.is_none()).map(place));
            match name.clone().zip(first) {
                // Of the first one's condition it is said.
                Some((_, (_, true))) => TokenStream::new(),
                // rustc would speak of what is generated for both.
                Some((name, (first, false))) => {
                    let diag = Diag::new();
                    diag.report(name.span(), &m::DUPLICATE_FUNCTION, &[&name, &parse::line(first)]);
                    diag.before(TokenStream::new())
                }
                // What is wrong with its gradient has been said, and nothing is said of those who call it.
                None if name.is_some_and(|name| unfit.contains(&parse::name(&name))) => {
                    refused(form, gathered.clone(), piece)
                }
                None => one(form, gathered.clone(), piece),
            }
        })
        .collect();
    quote!(#errors #all)
}

/// A kernel that has been judged beside others, and is wrong.
fn refused(form: KernelOutput, gathered: Gathered, piece: Piece) -> TokenStream {
    match syn::parse2::<ItemFn>(parse::index::tuples(piece.tokens.clone())) {
        Ok(item) => rounds::refused(&Kernel { form, tokens: piece.tokens, item }),
        Err(_) => one(form, gathered, piece),
    }
}

/// One function.
fn one(form: KernelOutput, gathered: Gathered, piece: Piece) -> TokenStream {
    let Piece { tokens, next } = piece;
    let diag = Diag::new();
    if !nesting::judge(&diag, &tokens) {
        let kept = nesting::function(&tokens);
        return diag.before(kept.as_ref().map(fallback::kernel).unwrap_or_default());
    }
    let parsed = syn::parse2::<ItemFn>(parse::index::tuples(tokens.clone()));
    let mut item = match parsed {
        Ok(item) => item,
        Err(error) => return no_function(diag, &error, tokens, next),
    };
    // Once, and not again where it goes on. rustc sees the body of a kernel as well, and would speak of the same.
    if gathered.begins() {
        parse::inside::function(&diag, &mut item.attrs, (&item.sig, &item.block), &m::CFG_KERNEL);
    }
    let (sound, kernel) = (diag.count() == 0, Kernel { form, tokens, item });
    diag.before(if sound { rounds::round(&kernel, &gathered) } else { rounds::refused(&kernel) })
}

/// The kernel with attributes that are nearly ours, as `#[lanuch(..)]`, taken for ours; reported.
fn meant(diag: &Diag, item: &ItemFn) -> ItemFn {
    const OURS: [&str; 4] = [words::LAUNCH, words::GRADIENT, words::TYPES, words::OPENCL];
    let mut item = item.clone();
    item.attrs.iter_mut().for_each(|attr| attr::meant(diag, attr, &OURS, &m::KERNEL_ATTRIBUTE));
    item
}

/// A kernel of either form, and its tokens.
struct Kernel {
    form: KernelOutput,
    tokens: TokenStream,
    item: ItemFn,
}

impl rounds::Item for Kernel {
    fn driver(&self) -> (&'static str, TokenStream) {
        (self.form.driver(), self.tokens.clone())
    }

    fn place(&self) -> Span {
        self.item.sig.ident.span()
    }

    /// The functions and constants that the kernel uses.
    fn missing(&self, gathered: &Gathered) -> Vec<Need> {
        let (sig, block) = (&self.item.sig, &self.item.block);
        if !simt::is_simt(&self.item) {
            // A body of the other form is spoken of, and not its functions.
            let other = |name: &str| lower::is_builtin(name) || simt::is_known(name);
            let known = if lower::is_of_other_form(sig, block) { other } else { lower::is_builtin };
            return chain::left(gathered, scan::needs_of_others(sig, block, known));
        }
        // Who calls it learns of its gradient by it.
        let asked = |path: &syn::Path| !path.is_ident(&sig.ident);
        let gradient = simt::gradient::path(&self.item).filter(asked);
        let gradient = gradient.map(|path| Need { kind: ItemKind::Function, path });
        chain::left(gathered, scan::needs_of_others(sig, block, simt::is_known).into_iter().chain(gradient))
    }

    fn unless(&self) -> TokenStream {
        match self.form {
            KernelOutput::Callable => fallback::unless_kernel(&self.item),
            KernelOutput::Plans => TokenStream::new(),
        }
    }

    fn mistakes(&self, diag: &Diag, gathered: &Gathered, needs: &[Need]) {
        let (unit, item) = (self.unit(gathered, needs), &meant(diag, &self.item));
        if matches!(item.sig.inputs.first(), Some(FnArg::Receiver(_))) {
            return;
        }
        if simt::is_simt(item) {
            let item = &only_kernel(diag, item);
            for (item, _) in simt::instances(diag, item) {
                simt::lower(diag, &unit, &simt::signature(diag, &item, &unit.constants));
            }
            return;
        }
        for (function, _) in index_functions(diag, &unit, item) {
            let before = diag.count();
            if function.unsound.is_some() {
                lower::mistakes(diag, &unit, &function);
            } else {
                lower::lower(diag, &unit, &function, Mode::Inference);
            }
            // What is wrong for one element type is wrong for others in other words.
            if diag.count() > before {
                return;
            }
        }
    }

    fn expand(&self, diag: &Diag, gathered: &Gathered) -> Option<TokenStream> {
        let (unit, item) = (self.unit(gathered, &[]), &meant(diag, &self.item));
        let expanded = if let Some(FnArg::Receiver(receiver)) = item.sig.inputs.first() {
            diag.report(receiver.span(), &m::KERNEL_RECEIVER, &[]);
            None
        } else if simt::is_simt(item) {
            simt_item(diag, &unit, item)
        } else {
            index_item(self.form, diag, &unit, item)
        };
        if expanded.is_none() {
            guard::or_unsaid(diag, gathered, self.place());
        }
        let expanded = expanded.filter(|_| diag.count() == 0)?;
        let mut expanded = self.exported(gathered, true, expanded);
        if self.form == KernelOutput::Callable {
            let known = if simt::is_simt(item) { simt::is_known } else { lower::is_builtin };
            let called = scan::operations(&item.sig, &item.block, known);
            expanded.extend(expand::meant::operations(&called, CallingBody::Element));
        }
        dump::tokens(&parse::name(&item.sig.ident), "kernel", &expanded);
        Some(expanded)
    }

    fn stub(&self, gathered: &Gathered) -> TokenStream {
        let silent = Diag::new();
        let item = meant(&silent, &self.item);
        silent.dismiss();
        self.exported(gathered, false, fallback::kernel(&item))
    }
}

impl Kernel {
    /// What it has become, and what those learn who call it in a body.
    fn exported(&self, gathered: &Gathered, sound: bool, expanded: TokenStream) -> TokenStream {
        let (name, vis) = (&self.item.sig.ident, &self.item.vis);
        match self.form {
            KernelOutput::Callable => {
                chain::export_of_tensors(name, vis, &payload::kernel(gathered, &self.item, sound), expanded)
            }
            KernelOutput::Plans => expanded,
        }
    }
}

impl Kernel {
    /// What names mean in it, where the functions that `needs` names are not known.
    fn unit(&self, gathered: &Gathered, needs: &[Need]) -> Unit {
        let mut unit = Unit { own: Some(parse::name(&self.item.sig.ident)), ..Unit::default() };
        payload::names(gathered, &mut unit);
        unit.broken.extend(needs.iter().map(|need| parse::text(&need.path)));
        unit
    }
}

/// What is no function stays as it is; of a half-typed one there is a stub.
fn no_function(diag: Diag, error: &syn::Error, tokens: TokenStream, next: Option<TokenTree>) -> TokenStream {
    let half = recover::function(&tokens);
    let kept = match (syn::parse2::<syn::Item>(tokens.clone()), &half) {
        (Ok(syn::Item::Const(item)), None) => {
            diag.report(item.span(), &m::KERNEL_CONST, &[&lower::moved_constant(&item)]);
            tokens
        }
        (Ok(other), None) => {
            diag.report(other.span(), &m::KERNEL_ITEM, &[]);
            tokens
        }
        _ => {
            let (next, text) = match next {
                Some(next) => (next.span(), format!("`{}`", parse::text(&next))),
                None => (tokens.span(), "the end of the kernels".to_string()),
            };
            diag.syntax(error, &tokens, (next, &text));
            let (stub, prelude) = (half.as_ref().map(fallback::kernel), paths::prelude());
            quote!(#stub #prelude)
        }
    };
    let mut all = diag.finish().err().unwrap_or_default();
    all.extend(kept);
    all
}

/// A kernel in index form, once for each choice of its element types.
fn index_item(form: KernelOutput, diag: &Diag, unit: &Unit, item: &ItemFn) -> Option<TokenStream> {
    parse::mode::only_of_models(diag, &item.attrs);
    let mut instances = Vec::new();
    for (function, decisions) in index_functions(diag, unit, item) {
        if function.unsound.is_some() {
            lower::mistakes(diag, unit, &function);
            return None;
        }
        let mut paths = lower::lower(diag, unit, &function, Mode::Inference).paths();
        if paths.is_empty() {
            return None;
        }
        for path in &mut paths {
            path.decisions.splice(..0, decisions.iter().cloned());
        }
        instances.push((function, paths));
    }
    match form {
        KernelOutput::Callable => expand::kernel::kernel(diag, instances),
        KernelOutput::Plans => {
            let (function, paths) = instances.into_iter().next()?;
            expand::kernel::plans(diag, &function, paths)
        }
    }
}

/// The kernel for each choice of its element types, with what chooses it.
fn index_functions(diag: &Diag, unit: &Unit, item: &ItemFn) -> Vec<(FunctionItem, Vec<(TokenStream, bool)>)> {
    let instances = simt::instances(diag, &without_simt(diag, &only_kernel(diag, item)));
    // Of the signature all is said with the first.
    let (mut first, silent) = (true, Diag::new());
    let each = instances.into_iter().map(|(item, decisions)| {
        let function = index_function(if first { diag } else { &silent }, unit, &item);
        first = false;
        (function, decisions)
    });
    let functions = each.collect();
    silent.dismiss();
    functions
}

fn index_function(diag: &Diag, unit: &Unit, item: &ItemFn) -> FunctionItem {
    let ItemFn { attrs, vis, sig, block, .. } = item;
    let others: Vec<_> = attrs.iter().filter(|attr| !attr.path().is_ident(words::TYPES)).cloned().collect();
    let function = parse::function::function(diag, &others, vis, sig, block, &unit.constants, &BTreeSet::new());
    FunctionItem { indexed: true, ..function }
}

/// Rule: a kernel is compiled without an attribute that says so. Wrong: `#[netcl::function]` on it.
fn only_kernel(diag: &Diag, item: &ItemFn) -> ItemFn {
    let mut item = item.clone();
    attr::of_kernel(diag, &mut item.attrs);
    item
}

/// Rule: what is said of kernels in SIMT form stands on those. Wrong: `#[gradient(own)]` on a kernel in index form.
fn without_simt(diag: &Diag, item: &ItemFn) -> ItemFn {
    let mut item = item.clone();
    item.attrs.retain(|attr| {
        let of_simt = [words::GRADIENT, words::OPENCL].iter().any(|name| attr.path().is_ident(name));
        // Of a misspelt one its name has been spoken of.
        let written = attr.path().span().source_text().is_none_or(|written| attr.path().is_ident(written.as_str()));
        if of_simt && written {
            diag.report(attr.path().span(), &m::INDEX_ATTRIBUTE, &[&text(attr.path())]);
        }
        !of_simt
    });
    item
}

/// A kernel in SIMT form, once for each choice of its element types.
fn simt_item(diag: &Diag, unit: &Unit, item: &ItemFn) -> Option<TokenStream> {
    let before = diag.count();
    let mut instances = Vec::new();
    let item = &only_kernel(diag, item);
    for (item, decisions) in simt::instances(diag, item) {
        let signature = simt::signature(diag, &item, &unit.constants);
        let Some(lowered) = simt::lower(diag, unit, &signature) else { continue };
        match simt::compile(&signature, &lowered) {
            Ok(plans) => instances.push(expand::simt::Instance { signature, lowered, decisions, plans }),
            Err(diagnostic) => diag.diagnostic(&diagnostic, item.sig.ident.span()),
        }
    }
    (diag.count() == before && !instances.is_empty()).then(|| expand::simt::kernel(instances))
}
