//! The stages of a `#[netcl::function]` of tensors: a function of operations that is called like a kernel, and compiled in place
//! where a body calls it.

use crate::ast::{FunctionItem, Unit};
use crate::chain::{self, Gathered, Need};
use crate::diag::Diag;
use crate::expand::meant::CallingBody;
use crate::lower::{self, LoweredFunction};
use crate::{dump, expand, fallback, guard, messages as m, parse, payload, rounds, scan, simt, words};
use netcl_kernels::layers::Mode;
use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::ItemFn;
use syn::spanned::Spanned;

/// What plain arguments and the types of tensors are, where a plan is chosen.
type Decisions = Vec<(TokenStream, bool)>;

/// A function of tensors.
pub(crate) struct Tensors(pub(crate) ItemFn);

impl Tensors {
    /// What names mean in it, where the functions that `needs` names are not known.
    fn unit(&self, gathered: &Gathered, needs: &[Need]) -> Unit {
        let mut unit = Unit { own: Some(parse::name(&self.0.sig.ident)), ..Unit::default() };
        payload::names(gathered, &mut unit);
        unit.broken.extend(needs.iter().map(|need| parse::text(&need.path)));
        unit
    }

    /// The function for each choice of its element types, with what chooses it.
    fn functions(&self, diag: &Diag, unit: &Unit) -> Vec<(FunctionItem, Decisions)> {
        // Where it runs, it may be compiled as well.
        parse::mode::only_of_models(diag, self.0.attrs.iter().filter(|attr| !parse::mode::is_dynamic(attr)));
        for attr in self.0.attrs.iter().filter(|attr| parse::gradients::is_gradients(attr)) {
            diag.report(attr.path().span(), &m::GRADIENTS_PLACE, &[]);
        }
        let ours = |attr: &syn::Attribute| parse::gradients::is_gradients(attr) || attr.path().is_ident(words::TYPES);
        // Of the signature all is said with the first.
        let (mut first, silent) = (true, Diag::new());
        let each = simt::instances(diag, &self.0).into_iter().map(|(item, decisions)| {
            let ItemFn { attrs, vis, sig, block, .. } = &item;
            let attrs: Vec<_> = attrs.iter().filter(|attr| !ours(attr)).cloned().collect();
            let diag = if std::mem::take(&mut first) { diag } else { &silent };
            let own = parse::function::function(diag, &attrs, vis, sig, block, &unit.constants, &BTreeSet::new());
            (own, decisions)
        });
        let functions = each.collect();
        silent.dismiss();
        functions
    }

    /// What it has become, and what those learn who call it in a body.
    fn exported(&self, gathered: &Gathered, sound: bool, expanded: TokenStream) -> TokenStream {
        let (name, vis) = (&self.0.sig.ident, &self.0.vis);
        chain::export_of_tensors(name, vis, &payload::function(gathered, &self.0, sound), expanded)
    }
}

impl rounds::Item for Tensors {
    fn driver(&self) -> (&'static str, TokenStream) {
        ("function", self.0.to_token_stream())
    }

    fn place(&self) -> Span {
        self.0.sig.ident.span()
    }

    fn missing(&self, gathered: &Gathered) -> Vec<Need> {
        let ItemFn { sig, block, .. } = &self.0;
        let needs = scan::needs_of_others(sig, block, scan::is_known_to_tensors);
        chain::left(gathered, scan::structs(sig).chain(needs))
    }

    fn unless(&self) -> TokenStream {
        fallback::unless_kernel(&self.0)
    }

    fn mistakes(&self, diag: &Diag, gathered: &Gathered, needs: &[Need]) {
        let unit = self.unit(gathered, needs);
        let before = diag.count();
        for (function, _) in self.functions(diag, &unit) {
            match function.unsound.is_some() {
                true => lower::mistakes(diag, &unit, &function),
                false => drop(lower::lower(diag, &unit, &function, Mode::Inference)),
            }
            // What is wrong for one element type is wrong for others in other words.
            if diag.count() > before {
                return;
            }
        }
    }

    fn expand(&self, diag: &Diag, gathered: &Gathered) -> Option<TokenStream> {
        let unit = self.unit(gathered, &[]);
        let mut instances = Vec::new();
        for (function, decisions) in self.functions(diag, &unit) {
            if function.unsound.is_some() {
                lower::mistakes(diag, &unit, &function);
                return None;
            }
            let lowered = lower::lower(diag, &unit, &function, Mode::Inference);
            if matches!(lowered, LoweredFunction::Broken) {
                guard::or_unsaid(diag, gathered, self.place());
                return None;
            }
            let mut paths = lowered.paths();
            paths.iter_mut().for_each(|path| drop(path.decisions.splice(..0, decisions.iter().cloned())));
            instances.push((function, paths));
        }
        let expanded = expand::kernel::kernel(diag, instances).filter(|_| diag.count() == 0)?;
        let mut expanded = self.exported(gathered, true, expanded);
        let called = scan::operations(&self.0.sig, &self.0.block, scan::is_known_to_tensors);
        expanded.extend(expand::meant::operations(&called, CallingBody::Tensors));
        dump::tokens(&parse::name(&self.0.sig.ident), "function", &expanded);
        Some(expanded)
    }

    fn stub(&self, gathered: &Gathered) -> TokenStream {
        self.exported(gathered, false, fallback::kernel(&self.0))
    }

    fn is_in_module(&self) -> bool {
        self.0.sig.receiver().is_none()
    }
}
