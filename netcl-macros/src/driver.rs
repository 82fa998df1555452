//! The stages of each macro: parse, gather what other items give, check, lower, expand.

use crate::ast::{FieldKind, ModelImpl, Unit};
use crate::chain::{self, Gathered, Kind, Need};
use crate::diag::Diag;
use crate::kernel::{Form, kernel};
use crate::lower::{self, Sizes, is_builtin};
use crate::parse::constant::{self, Constants};
use crate::payload::{self, Table};
use crate::{dump, expand, fallback, messages as m, nesting, parse, paths, recover, scan, words};
use netcl_kernels::layers::Mode;
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::BTreeSet;
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
            diag.report(name.map_or(first.span(), |name| name.span()), &m::MODEL_ARGUMENTS, &[]);
            // A further block is meant: what a first one brings would be there twice.
            let name = meant(args);
            if let Ok(Item::Impl(block)) = syn::parse2(quote!(#[#mark(#name)] #item)) {
                return with_errors(diag, || fallback::implementation(&block));
            }
            item
        }
        (None, _) => item,
    };
    match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Struct(parsed)) => with_errors(diag, || struct_item(Gathered::default(), &parsed)),
        Ok(Item::Impl(mut parsed)) => {
            no_bodies(&diag, &recover::bodies(&mut parsed));
            with_errors(diag, || block(&parsed))
        }
        Ok(other) => {
            diag.report(other.span(), &m::NOT_A_MODEL_ITEM, &[]);
            with_errors(diag, || item)
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
    name.last().unwrap_or_else(|| syn::Ident::new("further", proc_macro2::Span::call_site()))
}

/// The name in `block = training`.
fn block_argument(args: &TokenStream) -> Option<syn::Ident> {
    let pair = syn::parse2::<syn::MetaNameValue>(args.clone()).ok().filter(|pair| pair.path.is_ident(words::BLOCK))?;
    match pair.value {
        syn::Expr::Path(path) => path.path.get_ident().cloned(),
        _ => None,
    }
}

/// The block, with what there is of it if something that it asks for does not exist.
fn block(item: &ItemImpl) -> TokenStream {
    let asks = item.trait_.is_none();
    let unless = if asks { fallback::unless_block(item) } else { TokenStream::new() };
    let rest = impl_item(Gathered::default(), item);
    quote!(#unless #rest)
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
        let rest = || struct_item(Gathered::default(), &kept.item);
        return with_errors(diag, || said(kept.errors).chain([rest()]).collect());
    }
    if let Some(kept) = recover::block(item, error) {
        no_bodies(&diag, &kept.no_bodies);
        let rest = || block(&kept.item);
        return with_errors(diag, || said(kept.errors).chain(kept.loose).chain([rest()]).collect());
    }
    with_errors(diag, || recover::unless_rustc(error, item))
}

fn with_errors(diag: Diag, rest: impl FnOnce() -> TokenStream) -> TokenStream {
    let mut tokens = diag.finish().err().unwrap_or_default();
    tokens.extend(rest());
    tokens
}

/// Goes on where a request for another item's tokens has been answered.
pub(crate) fn resume(input: TokenStream) -> TokenStream {
    let Some(resumed) = chain::resume(input) else {
        return TokenStream::new();
    };
    let body = resumed.body;
    match resumed.driver.as_str() {
        "model_struct" => {
            syn::parse2(body).map_or_else(|e| e.to_compile_error(), |item| struct_item(resumed.gathered, &item))
        }
        "model_impl" => {
            syn::parse2(body).map_or_else(|e| e.to_compile_error(), |item| impl_item(resumed.gathered, &item))
        }
        "function" => {
            syn::parse2(body).map_or_else(|e| e.to_compile_error(), |item| function_item(resumed.gathered, &item))
        }
        "kernel" => kernel(Form::Callable, resumed.gathered, body),
        "rules" => kernel(Form::Plans, resumed.gathered, body),
        _ => TokenStream::new(),
    }
}

/// The struct of a model.
fn struct_item(gathered: Gathered, item: &ItemStruct) -> TokenStream {
    let constants = payload::constants(&gathered);
    if let Some(path) = parse::model::unknown_constants(item, &constants).into_iter().next() {
        let need = Need { kind: Kind::Constant, path };
        return chain::request(&need, &gathered, "model_struct", &item.to_token_stream());
    }
    let diag = Diag::new();
    let model = parse::model::model(&diag, item, &constants);
    let failed = diag.count() > 0 || model.fields.iter().any(|field| matches!(field.kind, FieldKind::Unknown));
    let errors = diag.finish().err().unwrap_or_default();
    let table = chain::table(&paths::table_macro(&item.ident), &item.vis, &payload::table(&gathered, item, failed));
    // What is wrong is left out.
    let rest = expand::model::structure(&model);
    let name = item.ident.to_string();
    dump::tokens(&name, "struct", &rest);
    quote!(#errors #rest #table)
}

/// The `impl` block of a model.
fn impl_item(gathered: Gathered, item: &ItemImpl) -> TokenStream {
    let diag = Diag::new();
    let Some(path) = parse::model::model_path(&diag, item) else {
        let stays = item.trait_.is_some();
        return with_errors(diag, || if stays { fallback::implementation(item) } else { TokenStream::new() });
    };
    diag.dismiss();
    let main = parse::model::block_name(item).map(|_| Need { kind: Kind::Nested, path: path.clone() });
    // A further block learns of the struct from the first one, which may stand in another module.
    let need = main.clone().unwrap_or(Need { kind: Kind::Table, path });
    let Some(given) = gathered.get(need.kind, &need.path) else {
        return chain::request(&need, &gathered, "model_impl", &item.to_token_stream());
    };
    let table = if main.is_some() { payload::table_of(given) } else { payload::read_table(given) };
    let Some(table) = table else {
        return fallback::implementation(item);
    };
    let needs = missing(&gathered, &table, item);
    if let Some(need) = needs.first() {
        let request = || chain::request(need, &gathered, "model_impl", &item.to_token_stream());
        return early(&gathered, table, main.as_ref(), item, &needs).unwrap_or_else(request);
    }
    let diag = Diag::new();
    // Judged again, because its errors are this block's.
    parse::model::model_path(&diag, item);
    let sound = !table.failed;
    let (unit, block) = unit(&diag, &gathered, table, item, main.as_ref());
    let functions = if sound { expand::functions::functions(&diag, &unit, &block) } else { Default::default() };
    let failed = diag.count() > 0 || functions.len() < block.functions.len() || !block.unfit.is_empty();
    let errors = diag.finish().err().unwrap_or_default();
    let rest = if failed {
        fallback::implementation(item)
    } else {
        expand::functions::implementation(&unit, &block, functions)
    };
    let name = unit.name();
    dump::tokens(&name, "impl", &rest);
    let ident = match &unit.model {
        Some(model) => model.name.clone(),
        None => syn::Ident::new(&name, proc_macro2::Span::call_site()),
    };
    let vis = unit.model.as_ref().map_or(syn::Visibility::Inherited, |model| model.vis.clone());
    if block.name.is_some() {
        return quote!(#errors #rest);
    }
    let export = chain::export(&ident, &vis, &payload::nested(&gathered, item, failed));
    quote!(#errors #rest #export)
}

/// What names mean in the block, those of the first one among them where this is another, `main`.
fn unit(diag: &Diag, gathered: &Gathered, table: Table, item: &ItemImpl, main: Option<&Need>) -> (Unit, ModelImpl) {
    let (mut unit, block) = payload::unit(diag, gathered, table, item);
    unit.main = main.map(|main| gathered.get(main.kind, &main.path).and_then(payload::read_nested).map(Box::new));
    (unit, block)
}

/// The block's mistakes, where only functions are left to be asked for and none has been: whoever calls a function that does
/// not exist hears of that from rustc, and of everything else here. `None` where there is nothing to say.
fn early(
    gathered: &Gathered,
    table: Table,
    main: Option<&Need>,
    item: &ItemImpl,
    needs: &[Need],
) -> Option<TokenStream> {
    if table.failed || !chain::begins_functions(gathered, needs) {
        return None;
    }
    let diag = Diag::new();
    let (mut unit, block) = unit(&diag, gathered, table, item, main);
    unit.broken.extend(needs.iter().map(|need| parse::text(&need.path)));
    block.unsound.iter().for_each(|function| lower::mistakes(&diag, &unit, function));
    for function in &block.functions {
        lower::lower(&diag, &unit, function, function.mode.unwrap_or(Mode::Inference));
    }
    let errors = diag.finish().err()?;
    let (rest, asked) = (fallback::implementation(item), chain::asked(gathered, needs));
    let model = unit.model.as_ref().filter(|_| block.name.is_none());
    let export = model.map(|model| chain::export(&model.name, &model.vis, &payload::nested(gathered, item, true)));
    Some(quote!(#errors #rest #export #asked))
}

/// What the block needs and does not have yet; functions last.
fn missing(gathered: &Gathered, table: &Table, item: &ItemImpl) -> Vec<Need> {
    let nested = table.model.fields.iter().filter_map(|field| payload::nested_path(&field.kind));
    let nested = nested.map(|path| Need { kind: Kind::Nested, path: path.clone() });
    let functions = scan::helper_paths(item).into_iter().map(|path| Need { kind: Kind::Function, path });
    let sizes = Sizes::of(&table.model, &parse::model::impl_sizes(item, &table.constants)).names();
    let constants = scan::constant_paths(item, &sizes).into_iter().map(|path| Need { kind: Kind::Constant, path });
    chain::left(gathered, nested.chain(constants).chain(functions))
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
    match (syn::parse2::<syn::ItemFn>(item.clone()), recover::function(&item)) {
        (Ok(parsed), _) => with_errors(diag, || function_item(Gathered::default(), &parsed)),
        (Err(error), Some(kept)) => with_errors(diag, || {
            let (said, stub) = (recover::unless_rustc(&error, &item), half_typed_function(&kept));
            quote!(#said #stub)
        }),
        (Err(_), None) => {
            let span = item.clone().into_iter().next().map_or_else(proc_macro2::Span::call_site, |first| first.span());
            diag.report(span, &m::FUNCTION_NOT_PLAIN, &[]);
            with_errors(diag, || item)
        }
    }
}

/// A function of which only the signature is known.
fn half_typed_function(kept: &syn::ItemFn) -> TokenStream {
    let stub = fallback::ordinary(&kept.attrs, &kept.vis, &kept.sig);
    let export = chain::export(&kept.sig.ident, &kept.vis, &quote!({ false }));
    quote!(#stub #export)
}

fn function_item(gathered: Gathered, item: &syn::ItemFn) -> TokenStream {
    let called =
        scan::calls(&item.sig, &item.block, is_builtin).into_iter().filter(|path| !path.is_ident(&item.sig.ident));
    let mut constants = Vec::new();
    scan::constants_of(&item.sig, &item.block, &Constants::new(), &BTreeSet::new(), &mut constants);
    let called = called.map(|path| Need { kind: Kind::Function, path });
    let constants = constants.into_iter().map(|path| Need { kind: Kind::Constant, path });
    let needs = chain::left(&gathered, constants.chain(called));
    let diag = Diag::new();
    if needs.is_empty() || chain::begins_functions(&gathered, &needs) {
        parse::attr::decided(&diag, &item.attrs);
        if let Some(mut helper) = parse::function::helper(&diag, &item.sig, &item.block) {
            payload::helpers(&gathered, &mut helper.scope);
            payload::constants_into(&gathered, &mut helper.scope.constants);
            helper.scope.broken.extend(needs.iter().map(|need| parse::text(&need.path)));
            lower::function(&diag, &helper);
        }
    }
    let sound = diag.count() == 0;
    if let Some(need) = needs.first().filter(|_| sound) {
        diag.dismiss();
        return chain::request(need, &gathered, "function", &item.to_token_stream());
    }
    let asked = chain::asked(&gathered, &needs);
    let errors = diag.finish().err().unwrap_or_default();
    let export = chain::export(&item.sig.ident, &item.vis, &payload::function(&gathered, item, sound));
    // What is wrong is said once, not by rustc as well.
    let rest =
        if sound { quote!(#[allow(dead_code)] #item) } else { fallback::ordinary(&item.attrs, &item.vis, &item.sig) };
    quote!(#errors #rest #export #asked)
}

/// `#[netcl::constant]`.
pub(crate) fn constant(args: TokenStream, item: TokenStream) -> TokenStream {
    let diag = Diag::new();
    if let Some(first) = args.into_iter().next() {
        diag.report(first.span(), &m::NO_ARGUMENTS, &[&"constant", &"constant"]);
    }
    if !nesting::judge(&diag, &item) {
        return with_errors(diag, TokenStream::new);
    }
    let parsed = syn::parse2::<syn::ItemConst>(item.clone()).ok();
    let value = parsed.as_ref().and_then(|item| constant::evaluate(&item.expr, &Constants::new()));
    let Some(parsed) = parsed else {
        if let Some((error, kept)) = recover::constant(&item) {
            let said = recover::unless_rustc(&error, &item);
            let export = chain::export(&kept.ident, &kept.vis, &payload::constant(&kept));
            return with_errors(diag, || quote!(#said #[allow(dead_code)] #kept #export));
        }
        let span = item.clone().into_iter().next().map_or_else(proc_macro2::Span::call_site, |first| first.span());
        diag.report(span, &m::CONSTANT_FORM, &[]);
        return with_errors(diag, || item);
    };
    if value.is_none() {
        diag.report(parsed.expr.span(), &m::CONSTANT_FORM, &[]);
    }
    let export = chain::export(&parsed.ident, &parsed.vis, &payload::constant(&parsed));
    with_errors(diag, || quote!(#[allow(dead_code)] #parsed #export))
}

/// `#[netcl::dynamic]` where no `#[netcl::model] impl` has taken it.
pub(crate) fn dynamic(item: TokenStream) -> TokenStream {
    let diag = Diag::new();
    let span = item.clone().into_iter().next().map_or_else(proc_macro2::Span::call_site, |first| first.span());
    diag.report(span, &m::DYNAMIC_OUTSIDE, &[]);
    with_errors(diag, || item)
}
