//! The stages of each macro: parse, gather what other items give, check, lower, expand.

use crate::associated::Associated;
use crate::ast::FieldKind;
use crate::chain::{self, Gathered, ItemKind, Need};
use crate::diag::{Diag, with_errors};
use crate::kernel::{KernelOutput, kernel};
use crate::parse::stray::Place;
use crate::payload;
use crate::scalars::Scalars;
use crate::structs::{self, Struct};
use crate::tensors::Tensors;
use crate::{
    alias, declared_constant, dump, expand, fallback, identity, messages as m, model_block, nesting, parse, paths,
    recover, rounds, words,
};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{Item, ItemImpl, ItemStruct};

/// `#[netcl::model]`.
pub(crate) fn model(args: TokenStream, item: TokenStream) -> TokenStream {
    let diag = Diag::new();
    let item = if nesting::judge(&diag, &item) {
        item
    } else {
        match nesting::shallow(&item) {
            Some(kept) => kept,
            None => return with_errors(diag, TokenStream::new),
        }
    };
    let name = block_argument(&args);
    let is_block = |name: &syn::Ident| recover::block(&item, &syn::Error::new(name.span(), "")).is_some();
    let mark = quote::format_ident!("{}", words::NAMED_BLOCK);
    let item = match (args.clone().into_iter().next(), name) {
        (Some(_), Some(name)) if is_block(&name) => quote!(#[#mark(#name)] #item),
        (Some(first), name) => {
            let value = syn::parse2::<syn::MetaNameValue>(args.clone()).ok().map(|pair| pair.value.span());
            let place = name.map(|name| name.span()).or(value).unwrap_or(first.span());
            // A further block is meant: what a first one brings would be there twice.
            let (found, name) = (parse::text(&args), meant(args));
            diag.report(place, &m::MODEL_ARGUMENTS, &[&found, &name, &own_name(&item)]);
            if let Ok(Item::Impl(block)) = syn::parse2(quote!(#[#mark(#name)] #item)) {
                return with_errors(diag, || fallback::implementation(&block));
            }
            item
        }
        (None, _) => item,
    };
    match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Struct(mut parsed)) => {
            parse::attr::once(&diag, &mut parsed.attrs, "model");
            parse::stray::attributes(&diag, &mut parsed.attrs, Place::Model);
            parse::stray::sizes(&diag, &mut parsed.generics);
            parse::model::bound(&mut parsed.generics);
            with_errors(diag, || struct_item(Gathered::default(), &parsed))
        }
        Ok(Item::Impl(mut parsed)) => {
            parse::attr::once(&diag, &mut parsed.attrs, "model");
            parse::stray::sizes(&diag, &mut parsed.generics);
            parse::stray::undeclared(&diag, &mut parsed);
            parse::model::bound(&mut parsed.generics);
            no_bodies(&diag, &recover::bodies(&mut parsed));
            parse::renamed::meant(&diag, &mut parsed);
            parse::ordinary::reported(&diag, &mut parsed);
            parse::attr::of_items(&diag, &mut parsed);
            parse::stray::of_block(&diag, &mut parsed);
            parse::sized::meant(&diag, &mut parsed);
            parse::compiled::mark(&mut parsed);
            parse::inside::block(&diag, &mut parsed);
            with_errors(diag, || model_block::round(&Gathered::default(), parsed))
        }
        Ok(Item::Type(mut parsed)) => {
            parse::stray::attributes(&diag, &mut parsed.attrs, Place::Model);
            with_errors(diag, || alias::item(&Gathered::default(), parsed))
        }
        Ok(Item::Enum(mut parsed)) => {
            parse::attr::once(&diag, &mut parsed.attrs, "model");
            parse::stray::attributes(&diag, &mut parsed.attrs, Place::Model);
            let Some(mut parsed) = parse::enums::structure(&diag, &parsed) else {
                let table = fallback::no_table(&parsed.vis, &parsed.ident);
                return with_errors(diag, || quote!(#item #table));
            };
            parse::model::bound(&mut parsed.generics);
            with_errors(diag, || struct_item(Gathered::default(), &parsed))
        }
        Ok(Item::Fn(parsed)) => {
            let instead = "a function of tensors or of numbers has `#[netcl::function]`; with `&self` it stands in the `impl` \
                           block of a model, which has this";
            diag.report(parsed.sig.span(), &m::NOT_A_MODEL_ITEM, &[&"a function", &instead]);
            let of_tensors = parse::function::is_of_tensors(&parsed.sig);
            with_errors(diag, || if of_tensors { fallback::kernel(&parsed) } else { item })
        }
        Ok(other) => {
            let instead = "put it on the struct that holds the layers and on the `impl` block with `forward`";
            let (place, found) = match &other {
                Item::Union(other) => (other.union_token.span, "a union"),
                Item::Trait(other) => (other.trait_token.span, "a trait"),
                Item::Mod(other) => (other.mod_token.span, "a module"),
                other => (other.span(), "another item"),
            };
            diag.report(place, &m::NOT_A_MODEL_ITEM, &[&found, &instead]);
            let table = match &other {
                Item::Union(other) => fallback::no_table(&other.vis, &other.ident),
                _ => TokenStream::new(),
            };
            with_errors(diag, || quote!(#item #table))
        }
        Err(error) => half_typed(diag, &item, &error),
    }
}

/// The name that a block is meant to have whose argument is wrong: `training`, `block = "training"`.
fn meant(args: TokenStream) -> syn::Ident {
    let name = args.into_iter().filter_map(|token| match token {
        TokenTree::Ident(word) if word != words::BLOCK => Some(word),
        TokenTree::Literal(text) => syn::parse2::<syn::LitStr>(TokenTree::from(text).into()).ok()?.parse().ok(),
        _ => None,
    });
    name.last().unwrap_or_else(|| syn::Ident::new("training", proc_macro2::Span::call_site()))
}

/// The name of the model that the item is of.
fn own_name(item: &TokenStream) -> String {
    match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Struct(item)) => item.ident.to_string(),
        Ok(Item::Impl(item)) => parse::text(&item.self_ty),
        _ => "Mlp".to_string(),
    }
}

/// The name in `block = training`.
fn block_argument(args: &TokenStream) -> Option<syn::Ident> {
    let pair = syn::parse2::<syn::MetaNameValue>(args.clone()).ok().filter(|pair| pair.path.is_ident(words::BLOCK))?;
    match pair.value {
        syn::Expr::Path(path) => path.path.get_ident().cloned(),
        _ => None,
    }
}

/// Rule: what is compiled has a body. Wrong: `fn forward(&self, x: &Tensor<f32, N>) -> Tensor<f32, N>;`.
fn no_bodies(diag: &Diag, names: &[syn::Ident]) {
    for name in names {
        diag.report(name.span(), &m::MISSING_BODY, &[name]);
    }
}

/// What is left of a half-typed struct or block goes the way of a whole one.
fn half_typed(diag: Diag, item: &TokenStream, error: &syn::Error) -> TokenStream {
    let said = |errors: Vec<syn::Error>| errors.into_iter().map(|error| recover::unless_rustc(&error, item));
    if let Some(kept) = recover::structure(item, error) {
        let mut item = kept.item;
        parse::model::bound(&mut item.generics);
        let rest = || struct_item(Gathered::default(), &item);
        return with_errors(diag, || said(kept.errors).chain([rest()]).collect());
    }
    if let Some(kept) = recover::block(item, error) {
        no_bodies(&diag, &kept.no_bodies);
        let mut item = kept.item;
        parse::model::bound(&mut item.generics);
        parse::ordinary::reported(&diag, &mut item);
        parse::compiled::mark(&mut item);
        parse::inside::block(&diag, &mut item);
        let rest = model_block::round(&Gathered::default(), item);
        return with_errors(diag, || said(kept.errors).chain(kept.loose).chain([rest]).collect());
    }
    with_errors(diag, || recover::unless_rustc(error, item))
}

/// Goes on where a request for another item's tokens has been answered.
pub(crate) fn resume(input: TokenStream) -> TokenStream {
    let Some(resumed) = chain::resume(input) else {
        return TokenStream::new();
    };
    let (body, root) = (resumed.body, resumed.root);
    let expanded = match resumed.driver.as_str() {
        "model_struct" => {
            syn::parse2(body).map_or_else(|e| e.to_compile_error(), |item| struct_item(resumed.gathered, &item))
        }
        "model_table" => struct_table(&resumed.gathered, body),
        "model_impl" => {
            syn::parse2(body).map_or_else(|e| e.to_compile_error(), |item| model_block::round(&resumed.gathered, item))
        }
        "model_type" => {
            syn::parse2(body).map_or_else(|e| e.to_compile_error(), |item| alias::item(&resumed.gathered, item))
        }
        "function" => {
            syn::parse2(body).map_or_else(|e| e.to_compile_error(), |item| function_item(&resumed.gathered, item))
        }
        "functions" => {
            let round = |block| rounds::round(&Associated(block), &resumed.gathered);
            syn::parse2(body).map_or_else(|e| e.to_compile_error(), round)
        }
        "tensors" => {
            let round = |item| rounds::round(&Struct(item), &resumed.gathered);
            syn::parse2(body).map_or_else(|e| e.to_compile_error(), round)
        }
        "constant" => syn::parse2(body)
            .map_or_else(|e| e.to_compile_error(), |item| declared_constant::answered(&resumed.gathered, &item)),
        "kernel" => kernel(KernelOutput::Callable, resumed.gathered, body),
        "rules" => kernel(KernelOutput::Plans, resumed.gathered, body),
        _ => TokenStream::new(),
    };
    root.applied(expanded)
}

/// The struct of a model.
fn struct_item(gathered: Gathered, item: &ItemStruct) -> TokenStream {
    let constants = payload::constants(&gathered);
    let hidden = paths::table_macro(&item.ident);
    if let Some(need) = missing_constant(item, &gathered) {
        let request = chain::request(&need, &gathered, "model_struct", &item.to_token_stream());
        // Of a constant that does not exist rustc says so, and nobody goes on: the block asks for it by itself, and nobody misses
        // the struct.
        return match gathered.begins() {
            true => {
                let table = chain::asking(&hidden, &item.vis, "model_table", &item.to_token_stream());
                let unless = fallback::unless_structure(item);
                quote!(#table #unless #request)
            }
            false => request,
        };
    }
    let diag = Diag::new();
    let model = parse::model::model(&diag, item, &constants);
    let unknown = payload::has_refused(&gathered);
    let failed = unknown || has_failed(&diag, &model);
    // What is wrong with a made-up size is not the user's mistake.
    let errors = if unknown {
        diag.dismiss();
        TokenStream::new()
    } else {
        diag.finish().err().unwrap_or_default()
    };
    // A struct that has asked for constants has told its block already how to ask.
    let hidden = if gathered.begins() { hidden } else { paths::known_table(&item.ident) };
    let table = chain::table(&hidden, &item.vis, &payload::table(&gathered, item, failed));
    // What is wrong is left out.
    let rest = expand::model::structure(&model);
    let name = item.ident.to_string();
    dump::tokens(&name, "struct", &rest);
    quote!(#errors #rest #table)
}

/// A constant that the struct uses and that is not known yet.
fn missing_constant(item: &ItemStruct, gathered: &Gathered) -> Option<Need> {
    let path = parse::named::unknown_constants(item, &payload::constants(gathered)).into_iter().next()?;
    Some(Need { kind: ItemKind::Constant, path })
}

/// Whether something about the struct is wrong.
fn has_failed(diag: &Diag, model: &crate::ast::ModelItem) -> bool {
    diag.count() > 0 || model.fields.iter().any(|field| matches!(field.kind, FieldKind::Unknown))
}

/// Where the last of the tokens stands that are not generated.
fn innermost(tokens: TokenStream) -> Option<Span> {
    match tokens.into_iter().last()? {
        TokenTree::Group(group) => innermost(group.stream()).or(Some(group.span())),
        other => Some(other.span()),
    }
}

/// What a struct that uses constants tells its block once these are known.
fn struct_table(gathered: &Gathered, body: TokenStream) -> TokenStream {
    let Some([item, callback, rest]) = chain::groups(body).and_then(|parts| <[TokenStream; 3]>::try_from(parts).ok())
    else {
        return TokenStream::new();
    };
    let Ok(parsed) = syn::parse2::<ItemStruct>(item.clone()) else { return TokenStream::new() };
    // A block in another module need not see the constants, and finds by the struct's path what that has found.
    if let Some(mut path) = chain::asked_of(rest.clone()).filter(|path| path.segments.len() > 1)
        && let Some(last) = path.segments.last_mut()
    {
        last.ident = paths::known_table(&last.ident);
        return quote!(#path ! { { #callback } { #rest } });
    }
    if let Some(need) = missing_constant(&parsed, gathered) {
        // The struct's tokens come by a macro, of which rustc would tell beside the name: the block's do not.
        let place = innermost(rest.clone()).unwrap_or_else(Span::call_site);
        let need = Need { path: parse::at(&need.path, place), ..need };
        return chain::request(&need, gathered, "model_table", &quote!({ #item } { #callback } { #rest }));
    }
    let silent = Diag::new();
    let model = parse::model::model(&silent, &parsed, &payload::constants(gathered));
    let failed = payload::has_refused(gathered) || has_failed(&silent, &model);
    silent.dismiss();
    let payload = chain::braces(payload::table(gathered, &parsed, failed));
    quote!(#callback ! { #payload #rest })
}

/// `#[netcl::function]`.
pub(crate) fn function(args: TokenStream, item: TokenStream) -> TokenStream {
    let diag = Diag::new();
    if let Some(first) = args.into_iter().next() {
        diag.report(first.span(), &m::NO_ARGUMENTS, &[&"function", &"function"]);
    }
    if !nesting::judge(&diag, &item) {
        return with_errors(diag, || {
            nesting::function(&item).map(|kept| half_typed_function(&kept)).unwrap_or_default()
        });
    }
    if let Ok(mut block) = syn::parse2::<ItemImpl>(item.clone()) {
        parse::attr::once(&diag, &mut block.attrs, "function");
        let before = diag.count();
        for item in &mut block.items {
            if let syn::ImplItem::Fn(f) = item {
                parse::inside::function(&diag, &mut f.attrs, (&f.sig, &f.block), &m::CFG);
            }
        }
        let (sound, block) = (diag.count() == before, Associated(block));
        return with_errors(diag, || match sound {
            true => rounds::round(&block, &Gathered::default()),
            false => rounds::refused(&block),
        });
    }
    match (syn::parse2::<syn::ItemFn>(item.clone()), recover::function(&item)) {
        (Ok(mut parsed), _) => {
            parse::attr::once(&diag, &mut parsed.attrs, "function");
            parse::stray::attributes(&diag, &mut parsed.attrs, Place::Function);
            parse::sized::meant_beside(&diag, &mut parsed.sig);
            // rustc sees the body of a function of scalars as well, and would speak of the same.
            let before = diag.count();
            parse::inside::function(&diag, &mut parsed.attrs, (&parsed.sig, &parsed.block), &m::CFG);
            let sound = diag.count() == before;
            with_errors(diag, || match sound {
                true => function_item(&Gathered::default(), parsed),
                false if parse::function::is_of_tensors(&parsed.sig) => rounds::refused(&Tensors(parsed)),
                false => rounds::refused(&Scalars(parsed)),
            })
        }
        (Err(error), Some(kept)) => with_errors(diag, || {
            let (said, stub) = (recover::unless_rustc(&error, &item), half_typed_function(&kept));
            quote!(#said #stub)
        }),
        (Err(_), None) => {
            let span = item.clone().into_iter().next().map_or_else(proc_macro2::Span::call_site, |first| first.span());
            diag.report(span, &m::FUNCTION_NOT_PLAIN, &[&parse::helper::PLAIN_TYPES]);
            with_errors(diag, || item)
        }
    }
}

/// A function of which only the signature is known.
fn half_typed_function(kept: &syn::ItemFn) -> TokenStream {
    let stub = fallback::ordinary(&kept.attrs, &kept.vis, &kept.sig);
    let export = chain::export_of_numbers(&kept.sig.ident, &kept.vis, &quote!({ false }));
    quote!(#stub #export)
}

fn function_item(gathered: &Gathered, item: syn::ItemFn) -> TokenStream {
    match parse::function::is_of_tensors(&item.sig) {
        true => rounds::round(&Tensors(item), gathered),
        false => rounds::round(&Scalars(item), gathered),
    }
}

/// `#[netcl::tensors]`.
pub(crate) fn tensors(args: TokenStream, item: TokenStream) -> TokenStream {
    let diag = Diag::new();
    if let Some(first) = args.into_iter().next() {
        diag.report(first.span(), &m::NO_ARGUMENTS, &[&"tensors", &"tensors"]);
    }
    let parsed = syn::parse2::<ItemStruct>(item.clone()).ok();
    let named = |item: &ItemStruct| matches!(&item.fields, syn::Fields::Named(fields) if !fields.named.is_empty());
    let Some(mut parsed) = parsed.filter(|item| named(item) && item.generics.params.is_empty()) else {
        let rest = structs::refuse(&diag, item);
        return with_errors(diag, || rest);
    };
    if let Some(rest) = structs::holds_itself(&diag, &mut parsed) {
        return with_errors(diag, || rest);
    }
    parse::attr::once(&diag, &mut parsed.attrs, "tensors");
    let before = diag.count();
    parsed.fields.iter().for_each(|field| parse::condition::decided(&diag, &field.attrs, &m::CFG));
    if diag.count() > before {
        // The struct alone, of which rustc decides what it has.
        let mut rust = Item::Struct(parsed.clone());
        parse::parts::without_sizes(&mut rust);
        let rest = rounds::refused(&Struct(parsed));
        return with_errors(diag, || quote!(#rust #rest));
    }
    identity::mark(&mut parsed);
    let rust = structs::rust(&parsed);
    let prelude = paths::prelude();
    let rounds = rounds::round(&Struct(parsed), &Gathered::default());
    with_errors(diag, || quote!(#rust #prelude #rounds))
}
