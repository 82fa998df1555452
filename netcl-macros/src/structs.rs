//! Structs of tensors: `#[netcl::tensors] struct Batch { x: Tensor<f32, N, 8>, state: State }`.

use crate::chain::{self, Gathered, ItemKind, Need};
use crate::diag::Diag;
use crate::{fallback, identity, messages as m, parse, paths, payload, rounds};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{Fields, GenericParam, Item, ItemStruct};

/// The struct in Rust, where tensors have no sizes, and how it is made of its fields where nobody can name it.
pub(crate) fn rust(item: &ItemStruct) -> TokenStream {
    let (private, name) = (paths::private(), &item.ident);
    let mut rust = syn::Item::Struct(item.clone());
    parse::parts::without_sizes(&mut rust);
    let syn::Item::Struct(mut rust) = rust else { return TokenStream::new() };
    rust.attrs.retain(|attr| !identity::is_mark(attr));
    let types: Vec<_> = rust.fields.iter().map(|field| &field.ty).collect();
    let fields: Vec<_> = rust.fields.iter().filter_map(|field| field.ident.as_ref()).collect();
    let identity = identity::of(item);
    // No variable may have a field's name, which may be that of a kernel, a static.
    let positions = (0..fields.len()).map(proc_macro2::Literal::usize_unsuffixed);
    // Bodies that are compiled make it and read it, which rustc does not see.
    let used = quote! {
        const _: () = {
            #[allow(dead_code, clippy::all)]
            fn __netcl_used(__netcl_value: #name) -> #name {
                #name { #(#fields: __netcl_value.#fields),* }
            }
        };
    };
    quote! {
        #rust
        #used
        impl #private::StructOfTensors for #name {
            const IDENTITY: u64 = #identity;
        }
        impl #private::Composed<(#(#types,)*)> for #name {
            fn compose(__netcl_fields: (#(#types,)*)) -> Self {
                Self { #(#fields: __netcl_fields.#positions),* }
            }
        }
    }
}

/// Rule: what bodies know is a struct whose fields have names. Wrong: `#[netcl::tensors] enum Inputs { .. }`.
///
/// Reports what stands there; gives it as Rust has it, with nothing more to say of what uses it.
pub(crate) fn refuse(diag: &Diag, item: TokenStream) -> TokenStream {
    const USUAL: &str = "write `struct Batch { x: Tensor<f32, N, 8>, labels: Tensor<u32, N> }`";
    let first = item.clone().into_iter().next().map_or_else(Span::call_site, |first| first.span());
    let Ok(mut kept) = syn::parse2::<Item>(item.clone()) else {
        diag.report(first, &m::TENSORS_FORM, &[&"", &USUAL]);
        return item;
    };
    let (place, found, instead) = match &kept {
        Item::Struct(own) => match (own.generics.params.first(), &own.fields) {
            (Some(parameter), _) => of_parameter(parameter),
            (None, Fields::Unnamed(fields)) if !fields.unnamed.is_empty() => {
                let named = fields.unnamed.iter().zip('a'..='z').map(|(field, name)| {
                    let ty = parse::text(&field.ty);
                    format!("{name}: {ty}")
                });
                let named = named.collect::<Vec<_>>().join(", ");
                let instead = format!("give each field a name: write `struct {} {{ {named} }}`", own.ident);
                (own.ident.span(), "a struct whose fields have none".to_string(), instead)
            }
            _ => (own.ident.span(), "a struct without fields".to_string(), USUAL.to_string()),
        },
        Item::Enum(own) => {
            let instead = "a struct has all of its tensors: which of several ways a function goes, another argument says, `deep: bool`";
            (own.enum_token.span, "an enum".to_string(), instead.to_string())
        }
        Item::Fn(own) => {
            let instead = "above a function of tensors or of numbers write `#[netcl::function]`";
            (own.sig.fn_token.span, "a function".to_string(), instead.to_string())
        }
        _ => (first, String::new(), USUAL.to_string()),
    };
    let found = if found.is_empty() { found } else { format!(", found {found}") };
    diag.report(place, &m::TENSORS_FORM, &[&found, &instead]);
    let prelude = paths::prelude();
    if let Item::Fn(own) = &kept
        && parse::function::is_of_tensors(&own.sig)
    {
        let stub = fallback::kernel(own);
        return quote!(#stub #prelude);
    }
    parse::parts::without_sizes(&mut kept);
    let export = match &mut kept {
        Item::Struct(own) => {
            use_parameters(own);
            Some((own.ident.clone(), own.vis.clone()))
        }
        Item::Enum(own) => Some((own.ident.clone(), own.vis.clone())),
        _ => None,
    };
    let export = export.map(|(name, vis)| chain::export(&name, &vis, &payload::refused()));
    quote!(#kept #export #prelude)
}

/// What is wrong with a parameter of a struct of tensors.
fn of_parameter(parameter: &GenericParam) -> (Span, String, String) {
    match parameter {
        GenericParam::Lifetime(own) => {
            let name = &own.lifetime;
            let instead = format!("its tensors are its own: leave `<{name}>` and `&{name}` out");
            (own.span(), format!("one with the lifetime `{name}`"), instead)
        }
        GenericParam::Type(own) => {
            let instead =
                "write the type itself, as in `x: Tensor<f32, N, 4>`, and a struct for each of several".to_string();
            (own.ident.span(), format!("one with the parameter `{}`", own.ident), instead)
        }
        GenericParam::Const(own) => {
            let name = &own.ident;
            let instead = format!(
                "sizes need no declaration: leave `<const {name}: usize>` out, and write `Tensor<f32, N, {name}>`"
            );
            (own.ident.span(), format!("one with the parameter `{name}`"), instead)
        }
    }
}

/// Adds a field that has the parameters which fields without sizes may have lost.
fn use_parameters(item: &mut ItemStruct) {
    let lifetimes = item.generics.lifetimes().map(|own| &own.lifetime);
    let types = item.generics.type_params().map(|own| &own.ident);
    let parts: Vec<TokenStream> = lifetimes.map(|own| quote!(&#own ())).chain(types.map(|own| quote!(#own))).collect();
    if parts.is_empty() {
        return;
    }
    let ty: syn::Type = syn::parse_quote!(::core::marker::PhantomData<(#(#parts,)*)>);
    match &mut item.fields {
        Fields::Named(fields) => fields.named.push(syn::parse_quote!(#[allow(dead_code)] __netcl: #ty)),
        Fields::Unnamed(fields) => fields.unnamed.push(syn::parse_quote!(#[allow(dead_code)] #ty)),
        Fields::Unit => {}
    }
}

/// Rule: what holds another is not held by it. Wrong: `struct Cell { inner: Cell }`, in which Rust finds no end.
///
/// What becomes of one that does.
pub(crate) fn holds_itself(diag: &Diag, item: &mut ItemStruct) -> Option<TokenStream> {
    let name = &item.ident;
    let place = item.fields.iter_mut().find_map(|field| {
        let path = parse::parts::structs_of_field(&field.ty).into_iter().find(|path| path.is_ident(name))?;
        field.ty = syn::parse_quote!(());
        Some(path.span())
    })?;
    let instead = "a struct of tensors holds others; what repeats is an axis of its tensors, or an array: `[State; 4]`";
    diag.report(place, &m::SELF_FIELD, &[name, &instead]);
    let mut rust = Item::Struct(item.clone());
    parse::parts::without_sizes(&mut rust);
    let rest = rounds::refused(&Struct(item.clone()));
    Some(quote!(#rust #rest))
}

/// A struct on its way: what it tells has what the structs tell that are fields of it.
pub(crate) struct Struct(pub(crate) ItemStruct);

impl rounds::Item for Struct {
    fn driver(&self) -> (&'static str, TokenStream) {
        ("tensors", self.0.to_token_stream())
    }

    fn place(&self) -> Span {
        self.0.ident.span()
    }

    fn missing(&self, gathered: &Gathered) -> Vec<Need> {
        let others = self.0.fields.iter().flat_map(|field| parse::parts::structs_of_field(&field.ty));
        chain::left(gathered, others.map(|path| Need { kind: ItemKind::Struct, path }))
    }

    /// Nothing is made of it that others would miss.
    fn unless(&self) -> TokenStream {
        TokenStream::new()
    }

    fn mistakes(&self, _: &Diag, _: &Gathered, _: &[Need]) {}

    fn expand(&self, diag: &Diag, gathered: &Gathered) -> Option<TokenStream> {
        let constants = payload::constants(gathered);
        for field in &self.0.fields {
            parse::parts::field(diag, field, &constants);
        }
        let item = &self.0;
        (diag.count() == 0).then(|| chain::export(&item.ident, &item.vis, &payload::struct_of_tensors(item, gathered)))
    }

    /// Nothing more is said of what uses it.
    fn stub(&self, _: &Gathered) -> TokenStream {
        chain::export(&self.0.ident, &self.0.vis, &payload::refused())
    }
}
