//! The stages of `#[netcl::function]` on an `impl` block: functions of scalars that belong to a type, which stands for a parameter
//! of a model, `Mlp<Softsign>`.

use crate::chain::{self, Gathered, Need};
use crate::diag::Diag;
use crate::expand::meant::CallingBody;
use crate::lower::is_builtin;
use crate::{dump, expand, messages as m, parse, paths, payload, rounds, scan, told};
use netcl_kernels::layers;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{ImplItem, ItemFn, ItemImpl, PathArguments, Type, Visibility};

/// The block.
pub(crate) struct Associated(pub(crate) ItemImpl);

impl Associated {
    /// The type's name.
    fn name(&self) -> Option<&Ident> {
        let Type::Path(ty) = &*self.0.self_ty else { return None };
        let last = ty.path.segments.last().filter(|last| matches!(last.arguments, PathArguments::None))?;
        let own = ty.qself.is_none()
            && self.0.generics.params.is_empty()
            && layers::find(&parse::name(&last.ident)).is_none();
        own.then_some(&last.ident)
    }

    fn functions(&self) -> impl Iterator<Item = ItemFn> {
        self.0.items.iter().filter_map(|item| match item {
            ImplItem::Fn(f) => {
                let (attrs, sig, block) = (&f.attrs, &f.sig, &f.block);
                syn::parse2(quote!(#(#attrs)* #sig #block)).ok()
            }
            _ => None,
        })
    }

    fn export(&self, gathered: &Gathered, sound: bool) -> TokenStream {
        let Some(name) = self.name() else { return TokenStream::new() };
        let told = self.functions().map(|f| (f.sig.ident.clone(), payload::function(gathered, &f, sound)));
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

impl rounds::Item for Associated {
    fn driver(&self) -> (&'static str, TokenStream) {
        ("functions", self.0.to_token_stream())
    }

    fn place(&self) -> Span {
        self.0.self_ty.span()
    }

    fn missing(&self, gathered: &Gathered) -> Vec<Need> {
        let own = |need: &Need| parse::type_of(&need.path).is_some_and(|ty| Some(ty) == self.name());
        let needs = self.functions().flat_map(|f| scan::needs_of_others(&f.sig, &f.block, is_builtin));
        chain::left(gathered, needs.filter(|need| !own(need)).collect::<Vec<_>>())
    }

    /// Nothing is made of it that others would miss.
    fn unless(&self) -> TokenStream {
        TokenStream::new()
    }

    /// Rule: the block is one type's, of a name that no layer has. Wrong: `impl<T> Activation for T`.
    fn mistakes(&self, diag: &Diag, gathered: &Gathered, needs: &[Need]) {
        if self.name().is_none() {
            diag.report(self.0.self_ty.span(), &m::FUNCTIONS_FORM, &[&parse::text(&self.0.self_ty)]);
            // Parameters of such a block mean nothing in its functions.
            return;
        }
        parse::condition::decided(diag, &self.0.attrs, &m::CFG);
        for f in self.functions() {
            payload::judge_helper(diag, gathered, needs, (&f.sig, &f.block));
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
