//! The stages of a `#[netcl::function]` of tensors: a function of operations that is called like a kernel, and compiled in place
//! where a body calls it.

use crate::ast::{FunctionItem, Unit};
use crate::chain::{self, Gathered, Need};
use crate::diag::Diag;
use crate::lower;
use crate::{dump, expand, fallback, messages as m, parse, paths, payload, rounds, scan};
use netcl_kernels::layers::Mode;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use std::collections::BTreeSet;
use syn::ItemFn;
use syn::spanned::Spanned;

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

    fn function(&self, diag: &Diag, unit: &Unit) -> FunctionItem {
        let ItemFn { attrs, vis, sig, block, .. } = &self.0;
        // A function has no layers that a mode would be of.
        for attr in attrs.iter().filter(|attr| parse::function::is_mode(attr)) {
            diag.report(attr.path().span(), &m::MODE, &[]);
        }
        for attr in attrs.iter().filter(|attr| parse::gradients::is_gradients(attr)) {
            diag.report(attr.path().span(), &m::GRADIENTS_PLACE, &[]);
        }
        let attrs: Vec<_> = attrs.iter().filter(|attr| !parse::gradients::is_gradients(attr)).cloned().collect();
        parse::function::function(diag, &attrs, vis, sig, block, &unit.constants, &BTreeSet::new())
    }

    fn export(&self, gathered: &Gathered, sound: bool) -> TokenStream {
        let (name, vis) = (&self.0.sig.ident, &self.0.vis);
        if paths::is_macro_of_rust(name) {
            return TokenStream::new();
        }
        chain::export(name, vis, &payload::function(gathered, &self.0, sound))
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
        let function = self.function(diag, &unit);
        if function.unsound.is_some() {
            lower::mistakes(diag, &unit, &function);
        } else {
            lower::lower(diag, &unit, &function, Mode::Inference);
        }
    }

    fn expand(&self, diag: &Diag, gathered: &Gathered) -> Option<TokenStream> {
        let unit = self.unit(gathered, &[]);
        let function = self.function(diag, &unit);
        if function.unsound.is_some() {
            lower::mistakes(diag, &unit, &function);
            return None;
        }
        let paths = lower::lower(diag, &unit, &function, Mode::Inference).paths();
        let mut expanded = expand::kernel::kernel(diag, vec![(function, paths)]).filter(|_| diag.count() == 0)?;
        expanded.extend(self.export(gathered, true));
        dump::tokens(&parse::name(&self.0.sig.ident), "function", &expanded);
        Some(expanded)
    }

    fn stub(&self, gathered: &Gathered) -> TokenStream {
        let (stub, export) = (fallback::kernel(&self.0), self.export(gathered, false));
        quote!(#stub #export)
    }
}
