//! The stages of `#[netcl::function]` on an `impl` block: functions of scalars that belong to a type, which stands for a parameter
//! of a model, `Mlp<Softsign>`.

use crate::chain::{self, Gathered, Need};
use crate::diag::Diag;
use crate::expand::meant::CallingBody;
use crate::lower::is_builtin;
use crate::{dump, expand, messages as m, parse, paths, payload, rounds, scan, told};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::{BTreeMap, BTreeSet};
use syn::spanned::Spanned;
use syn::{ImplItem, ItemFn, ItemImpl, PathArguments, Type, Visibility};

/// The block.
pub(crate) struct Associated(pub(crate) ItemImpl);

impl Associated {
    /// The type's name.
    fn name(&self) -> Option<&Ident> {
        let Type::Path(ty) = &*self.0.self_ty else { return None };
        let last = ty.path.segments.last().filter(|last| matches!(last.arguments, PathArguments::None))?;
        let own =
            ty.qself.is_none() && self.0.generics.params.is_empty() && !parse::reserved::is_known_type(&last.ident);
        own.then_some(&last.ident)
    }

    /// The functions, which call each other by the type's name alone.
    fn functions(&self) -> impl Iterator<Item = ItemFn> {
        self.0.items.iter().filter_map(|item| match item {
            ImplItem::Fn(f) => {
                let (attrs, sig, block) = (&f.attrs, &f.sig, f.block.to_token_stream());
                let block = self.name().map_or(block.clone(), |name| by_name(block, name));
                syn::parse2(quote!(#(#attrs)* #sig #block)).ok()
            }
            _ => None,
        })
    }

    /// Whether the path is that of a function of the type.
    fn is_own(&self, path: &syn::Path) -> bool {
        path.segments.len() == 2 && parse::type_of(path).is_some_and(|ty| Some(ty) == self.name())
    }

    /// What the function has gathered, with the functions of the type that it calls, directly and by others. Of a circle of calls
    /// only where it closes is noted.
    fn with_own(&self, gathered: &Gathered, f: &ItemFn, calls: &mut OwnCalls) -> Gathered {
        let mut whole = gathered.clone();
        calls.above.push(parse::name(&f.sig.ident));
        for Need { kind, path } in scan::needs(&f.sig, &f.block, is_builtin) {
            let Some((name, called)) = self.name().zip(path.segments.last()).filter(|_| self.is_own(&path)) else {
                continue;
            };
            let called = parse::name(&called.ident);
            if let Some(at) = calls.above.iter().position(|other| *other == called) {
                calls.circles.push(Circle { place: path.span(), names: calls.above[at..].to_vec() });
                continue;
            }
            if !calls.told.contains_key(&called)
                && let Some(other) = self.functions().find(|other| parse::name(&other.sig.ident) == called)
            {
                let told = payload::function(&self.with_own(gathered, &other, calls), &other, true);
                calls.told.insert(called.clone(), told);
            }
            let all = self.functions().map(|other| {
                let told = calls.told.get(&called).filter(|_| parse::name(&other.sig.ident) == called);
                (other.sig.ident, told.cloned().unwrap_or_default())
            });
            let told = told::functions(name, &all.collect::<Vec<_>>());
            whole.parts.push((kind, parse::text(&path), told));
        }
        calls.above.pop();
        whole
    }

    fn export(&self, gathered: &Gathered, sound: bool) -> TokenStream {
        let Some(name) = self.name() else { return TokenStream::new() };
        let told = self.functions().map(|f| {
            let gathered = self.with_own(gathered, &f, &mut OwnCalls::default());
            (f.sig.ident.clone(), payload::function(&gathered, &f, sound))
        });
        // Whoever sees the type sees its macro: how far that is, the block does not say.
        let public = Visibility::Public(syn::token::Pub::default());
        let export = chain::export(name, &public, &told::functions(name, &told.collect::<Vec<_>>()));
        let (private, ty) = (paths::private(), &self.0.self_ty);
        quote! {
            #[automatically_derived]
            impl ::netcl::Module for #ty {
                type Held = ();
                type Gradients = ();
                fn add_to(_: &mut #private::Schema, _: &#private::ModuleField<'_>) {}
                fn hold(_: &#private::ModelCore, _: &::core::primitive::str) {}
                fn gradients_of(_: &#private::Gradients, _: &::core::primitive::str) {}
            }
            #export
        }
    }
}

/// The calls that one function of a type leads to.
#[derive(Default)]
struct OwnCalls {
    /// Those that are looked at, each called by the one before.
    above: Vec<String>,
    /// What those tell that have been looked at: each once, however often it is called.
    told: BTreeMap<String, TokenStream>,
    circles: Vec<Circle>,
}

/// Functions of which each calls the next, and the last one the first, at that place.
struct Circle {
    place: Span,
    names: Vec<String>,
}

/// The body with the type's name where a function of it is called as `Self::gate(x)`.
fn by_name(body: TokenStream, name: &Ident) -> TokenStream {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    let is_colon = |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(colon)) if colon.as_char() == ':');
    let is_call = |at: usize| {
        let passed =
            matches!(tokens.get(at + 4), Some(TokenTree::Group(list)) if list.delimiter() == Delimiter::Parenthesis);
        passed && is_colon(at + 1) && is_colon(at + 2)
    };
    let each = tokens.iter().enumerate().map(|(at, token)| match token {
        TokenTree::Ident(own) if own == "Self" && is_call(at) => Ident::new(&name.to_string(), own.span()).into(),
        TokenTree::Group(inner) => {
            let mut group = Group::new(inner.delimiter(), by_name(inner.stream(), name));
            group.set_span(inner.span());
            group.into()
        }
        other => other.clone(),
    });
    each.collect()
}

impl rounds::Item for Associated {
    fn driver(&self) -> (&'static str, TokenStream) {
        ("functions", self.0.to_token_stream())
    }

    fn place(&self) -> Span {
        self.0.self_ty.span()
    }

    fn missing(&self, gathered: &Gathered) -> Vec<Need> {
        let needs = self.functions().flat_map(|f| scan::needs_of_others(&f.sig, &f.block, is_builtin));
        chain::left(gathered, needs.filter(|need| !self.is_own(&need.path)).collect::<Vec<_>>())
    }

    /// Nothing is made of it that others would miss.
    fn unless(&self) -> TokenStream {
        TokenStream::new()
    }

    /// Rule: the block is one type's, of a name that neither a layer nor a type of Rust's or netcl's has. Wrong: `impl<T> Activation for T`.
    fn mistakes(&self, diag: &Diag, gathered: &Gathered, needs: &[Need]) {
        if self.name().is_none() {
            diag.report(self.0.self_ty.span(), &m::FUNCTIONS_FORM, &[&parse::text(&self.0.self_ty)]);
            // Parameters of such a block mean nothing in its functions.
            return;
        }
        parse::condition::decided(diag, &self.0.attrs, &m::CFG);
        let mut said = BTreeSet::new();
        for f in self.functions() {
            let mut calls = OwnCalls::default();
            let gathered = self.with_own(gathered, &f, &mut calls);
            for Circle { place, names } in &calls.circles {
                // Each function of a circle has it: the first of them says so.
                if !names.iter().any(|name| said.contains(name)) {
                    diag.report(*place, &m::RECURSION, &[&names[0], &format!("{} → {}", names.join(" → "), names[0])]);
                }
                said.extend(names.iter().cloned());
            }
            if calls.circles.is_empty() {
                payload::judge_helper(diag, &gathered, needs, (&f.sig, &f.block));
            }
        }
    }

    fn expand(&self, diag: &Diag, gathered: &Gathered) -> Option<TokenStream> {
        self.mistakes(diag, gathered, &[]);
        if diag.count() > 0 {
            return None;
        }
        let (item, export) = (&self.0, self.export(gathered, true));
        let mut called: Vec<Ident> = Vec::new();
        for name in self.functions().flat_map(|f| scan::operations(&f.sig, &f.block, is_builtin)) {
            if !called.contains(&name) {
                called.push(name);
            }
        }
        let meant = expand::meant::operations(&called, CallingBody::Element);
        let tokens = quote!(#[allow(dead_code)] #item #export #meant);
        dump::tokens(&parse::text(&item.self_ty), "functions", &tokens);
        Some(tokens)
    }

    fn stub(&self, gathered: &Gathered) -> TokenStream {
        let export = self.export(gathered, false);
        let mut item = self.0.clone();
        for item in &mut item.items {
            if let ImplItem::Fn(f) = item {
                f.block = syn::parse_quote!({ ::core::unreachable!() });
            }
        }
        quote!(#[allow(dead_code, unused_variables)] #item #export)
    }
}
