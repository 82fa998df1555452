//! What items tell each other: written by the one, read by the other, and what names mean once all is gathered.

use crate::ast::{Callable, Constant, FunctionItem, ModelImpl, ModelItem, TypeArgument, Unit};
use crate::chain::{self, Gathered, ItemKind, Need};
use crate::constants::TensorStruct;
use crate::diag::Diag;
use crate::lower::{self, Sizes};
use crate::module::{self, Around, Made, Substitute};
use crate::parse::constant::{self, Constants};
use crate::{identity, infer, parse, paths, scan, simt, told};
use netcl_kernels::dim::Dim;
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::{BTreeMap, BTreeSet};
use syn::{ItemConst, ItemFn, ItemImpl, ItemStruct, Type};

/// The word that says of what a body calls that it is a kernel.
const KERNEL: &str = "kernel";

/// What a kernel tells who calls it in a body: the same as a function, behind a word of its own.
pub(crate) fn kernel(gathered: &Gathered, item: &ItemFn, sound: bool) -> TokenStream {
    let (word, function) =
        (proc_macro2::Ident::new(KERNEL, proc_macro2::Span::call_site()), function(gathered, item, sound));
    quote!(#word #function)
}

/// What a kernel told, without its word; `None` of what is none.
fn read_kernel(payload: &TokenStream) -> Option<TokenStream> {
    let mut tokens = payload.clone().into_iter();
    let word = matches!(tokens.next(), Some(TokenTree::Ident(word)) if word == KERNEL);
    word.then(|| tokens.collect())
}

/// What a struct tells its `impl`: whether it is sound, the constants it uses, and its own tokens.
pub(crate) fn table(gathered: &Gathered, item: &ItemStruct, failed: bool) -> TokenStream {
    let constants = gathered.parts.iter().filter(|(kind, ..)| *kind == ItemKind::Constant).map(|(_, path, value)| {
        let value = chain::braces(value.clone());
        quote!({ #path #value })
    });
    quote!({ #failed } { #(#constants)* } { #item })
}

/// What [`table`] wrote.
#[derive(Clone)]
pub(crate) struct Table {
    pub(crate) failed: bool,
    pub(crate) constants: Constants,
    pub(crate) model: ModelItem,
}

/// Reads what [`table`] wrote.
pub(crate) fn read_table(payload: &TokenStream) -> Option<Table> {
    let (failed, constants, item) = read_struct(payload)?;
    // The struct's own expansion has reported its errors.
    let silent = Diag::new();
    let model = parse::model::model(&silent, &item, &constants);
    silent.dismiss();
    Some(Table { failed, constants, model })
}

/// The same with the struct as it is written: whether it is wrong, and the constants that it uses.
pub(crate) fn read_struct(payload: &TokenStream) -> Option<(bool, Constants, ItemStruct)> {
    let parts = chain::groups(payload.clone())?;
    let [failed, given, item] = parts.as_slice() else { return None };
    let mut constants = Constants::new();
    for entry in chain::groups(given.clone())? {
        let mut entry = entry.into_iter();
        let path = syn::parse2::<syn::LitStr>(entry.next()?.into_token_stream()).ok()?.value();
        let value = chain::groups(entry.collect())?.into_iter().next()?;
        add_constant(&mut constants, &path, &value);
    }
    let item: ItemStruct = syn::parse2(item.clone()).ok()?;
    Some((failed.to_string() == "true", constants, item))
}

/// What a constant tells whoever names it.
pub(crate) fn constant(item: &ItemConst) -> TokenStream {
    let (name, ty, expr) = (&item.ident, &item.ty, &item.expr);
    quote!(const #name: #ty = #expr;)
}

/// What a constant or a struct of tensors tells whoever names it that has been refused.
pub(crate) fn refused() -> TokenStream {
    quote!(refused)
}

/// The names of constants that have been refused: nothing more is said of what uses them.
pub(crate) fn refused_constants(gathered: &Gathered) -> impl Iterator<Item = String> {
    let refused = gathered
        .parts
        .iter()
        .filter(|(kind, _, value)| *kind == ItemKind::Constant && value.to_string() == refused().to_string());
    refused.map(|(_, path, _)| path.clone())
}

/// Whether a constant or a struct was refused: what would be said of sizes that it is in would be made up.
pub(crate) fn has_refused(gathered: &Gathered) -> bool {
    let refused = refused().to_string();
    let told = |kind: &ItemKind| matches!(kind, ItemKind::Constant | ItemKind::Struct);
    gathered.parts.iter().any(|(kind, _, value)| told(kind) && value.to_string() == refused)
}

/// Whether something that was gathered is wrong, which is reported where it stands.
pub(crate) fn has_unsound(gathered: &Gathered) -> bool {
    let unsound = |(kind, _, value): &(ItemKind, String, TokenStream)| match kind {
        ItemKind::Refused => true,
        ItemKind::Nested => told::read(value).is_none_or(|told| {
            let structure = read_struct(&told.table);
            told.failed || structure.is_none_or(|(failed, ..)| failed) || has_unsound(&told.gathered)
        }),
        ItemKind::Table => read_struct(value).is_none_or(|(failed, ..)| failed),
        ItemKind::Function => {
            let told = read_kernel(value);
            read_function(told.as_ref().unwrap_or(value)).is_none_or(|(_, gathered)| has_unsound(&gathered))
        }
        _ => chain::groups(value.clone())
            .is_some_and(|parts| parts.first().is_some_and(|sound| sound.to_string() == "false")),
    };
    has_refused(gathered) || gathered.parts.iter().any(unsound)
}

/// Reads what [`constant`](self::constant()) wrote.
fn add_constant(constants: &mut Constants, path: &str, value: &TokenStream) {
    // Of one that was refused nothing is known in bodies; where a size is wanted, it is some number.
    let parsed = syn::parse2::<ItemConst>(value.clone()).ok();
    if let Some(item) = &parsed {
        constants.note_type(path, &item.ty);
    }
    if let Some(list) = parsed.as_ref().and_then(|item| constant::declared_list(&item.ty, &item.expr, constants)) {
        constants.lists.insert(path.to_string(), list);
        return;
    }
    let value = parsed.and_then(|item| constant::declared(&item.ty, &item.expr, constants));
    constants.insert(path.to_string(), value.unwrap_or(Constant::Integer(1)));
}

/// The constants among what was gathered.
pub(crate) fn constants(gathered: &Gathered) -> Constants {
    let mut constants = Constants::new();
    constants_into(gathered, &mut constants);
    constants
}

/// Adds the constants among what was gathered.
pub(crate) fn constants_into(gathered: &Gathered, constants: &mut Constants) {
    for (_, path, value) in gathered.parts.iter().filter(|(kind, ..)| *kind == ItemKind::Constant) {
        add_constant(constants, path, value);
    }
    for (_, path, item) in gathered.parts.iter().filter(|(kind, ..)| *kind == ItemKind::Struct) {
        if let Some(item) = read_struct_of_tensors(item) {
            constants.structs.insert(path.clone(), item.into());
        }
    }
}

/// What a struct of tensors tells whoever names it, with what the structs tell that are fields of it.
pub(crate) fn struct_of_tensors(item: &ItemStruct, gathered: &Gathered) -> TokenStream {
    let identity = identity::of(item);
    let (item, gathered) = (ItemStruct { attrs: Vec::new(), ..item.clone() }, gathered.tokens());
    quote!({ #item } { #gathered } { #identity })
}

/// Reads what [`struct_of_tensors`] wrote; `None` of one that has been refused.
fn read_struct_of_tensors(payload: &TokenStream) -> Option<TensorStruct> {
    let [item, gathered, identity] = chain::groups(payload.clone())?.try_into().ok()?;
    let inner = constants(&chain::read(gathered)?).structs;
    let identity = syn::parse2::<syn::LitInt>(identity).ok()?.base10_parse().ok()?;
    Some(TensorStruct { identity, item: syn::parse2(item).ok()?, inner })
}

/// What a model tells models that have it as a field: whether it is sound, its `impl`, all that it gathered, and which of its
/// functions are compiled where they are used.
pub(crate) fn nested(gathered: &Gathered, item: &ItemImpl, failed: bool, open: &[&syn::Ident]) -> TokenStream {
    let parts = gathered.tokens();
    // Tokens with `$` cannot stand in a `macro_rules!`; functions that have them are no functions to compile.
    let item = scan::without_ordinary(item);
    let krate = paths::krate();
    quote!({ #failed } { #parts } { #item } { #(#open)* } { #krate })
}

/// Reads what [`nested`] wrote; errors in it have been reported where it stands.
pub(crate) fn read_nested(payload: &TokenStream) -> Option<Unit> {
    let Some(told) = told::read(payload) else { return read_functions(payload) };
    let silent = Diag::new();
    let table = read_table(&told.table);
    let read = table.map(|table| unit(&silent, &told.gathered, table, &told.item).0);
    silent.dismiss();
    read.filter(|_| !told.failed).map(|unit| Unit { open: told.open, krate: told.krate, ..unit })
}

/// The same of a model whose path alone says which it is: without parameters that are types.
fn read_model(payload: &TokenStream) -> Option<Unit> {
    told::read(payload).is_some().then(|| read_nested(payload)).flatten().filter(|_| !told::is_generic(payload))
}

/// A type with functions of scalars, as a model without fields.
fn read_functions(payload: &TokenStream) -> Option<Unit> {
    let (name, functions) = told::read_functions(payload)?;
    let mut gathered = Gathered::default();
    for (name, told) in functions {
        gathered.parts.push((ItemKind::Function, parse::name(&name), told));
    }
    let mut unit = Unit::default();
    helpers(&gathered, &mut unit);
    unit.scalars = std::mem::take(&mut unit.helpers);
    unit.model = Some(ModelItem {
        attrs: Vec::new(),
        vis: syn::Visibility::Inherited,
        name,
        generics: syn::Generics::default(),
        parameters: Vec::new(),
        consts: Vec::new(),
        fields: Vec::new(),
        variants: None,
    });
    Some(unit)
}

/// The model that `payload` tells of, as its type `ty` means it where it is used, and its sizes. What is wrong with the types is
/// reported; `None` then, and where the model is wrong.
pub(crate) fn instance(
    (diag, around): (&Diag, &Around<'_>),
    payload: &TokenStream,
    ty: &syn::Path,
) -> Option<(Unit, Vec<Dim>)> {
    let told = told::read(payload).filter(|told| !told.failed)?;
    let (failed, constants, structure) = read_struct(&told.table)?;
    let (open, krate, before) = (told.open.clone(), told.krate.clone(), diag.count());
    let Made { item, structure, gathered, sizes, given } =
        module::made((diag, around), (told, structure, &constants), ty).filter(|_| !failed)?;
    let mut constants = constants;
    constants.named_types.extend(given.values().filter_map(|given| match given {
        Substitute::Model(ty) => match &**ty {
            Type::Path(ty) => ty.path.segments.first().map(|name| parse::name(&name.ident)),
            _ => None,
        },
        _ => None,
    }));
    let outside = diag.within(Some(format!(" (of `{}`)", parse::text(ty))));
    let model = parse::model::model(diag, &structure, &constants);
    let mut unit = unit(diag, &gathered, Table { failed, constants, model }, &item).0;
    diag.within(outside);
    for (name, given) in given {
        let argument = match given {
            Substitute::Layer(layer, _) => TypeArgument::Layer(layer, module::without_keys(layer).map(Box::new)),
            Substitute::Model(ty) => TypeArgument::Model(parse::text(&ty)),
            Substitute::Functions(told) => TypeArgument::Functions(Box::new(read_functions(&told)?)),
            Substitute::Open => TypeArgument::Open,
        };
        unit.types.insert(name, argument);
    }
    let standing = module::standing(ty, around.constants);
    (diag.count() == before).then(|| (Unit { open, krate, standing, ..unit }, sizes))
}

/// The struct's table among what a first block tells.
pub(crate) fn table_of(nested: &TokenStream) -> Option<Table> {
    let parts = chain::groups(nested.clone())?;
    let [_, gathered, item, ..] = parts.as_slice() else { return None };
    let item: ItemImpl = syn::parse2(item.clone()).ok()?;
    let silent = Diag::new();
    let path = parse::model::model_path(&silent, &item);
    silent.dismiss();
    read_table(chain::read(gathered.clone())?.get(ItemKind::Table, &path?)?)
}

/// What names mean in a block, and the block itself.
pub(crate) fn unit(diag: &Diag, gathered: &Gathered, table: Table, item: &ItemImpl) -> (Unit, ModelImpl) {
    let mut constants = table.constants;
    constants_into(gathered, &mut constants);
    parse::model::impl_constants(item, &mut constants);
    let given = parse::model::impl_sizes(item, &constants);
    let sizes = Sizes::of(&table.model, &given);
    let mut known = constants.clone();
    known.parameters = given.iter().filter_map(lower::symbol).collect();
    let block = parse::model::model_impl(diag, item, &known, &sizes.names());
    let (functions, unfit) = (block.functions.clone(), block.unfit.clone());
    let mut model = table.model;
    let types = item.generics.type_params().map(|given| (parse::name(&given.ident), TypeArgument::Open));
    let mut unit = Unit { functions, unfit, constants, given, types: types.collect(), ..Unit::default() };
    let around = Around { gathered, constants: &unit.constants.with_types(parse::model::type_names(&model.generics)) };
    let mut nested = BTreeMap::new();
    for of in model.fields.iter_mut().flat_map(|field| field.kind.models_mut()) {
        let Some(payload) = gathered.get(ItemKind::Nested, &of.path) else { continue };
        if told::is_generic(payload) {
            if let Some((unit, sizes)) = instance((diag, &around), payload, &of.ty) {
                of.sizes = sizes;
                nested.insert(parse::text(&of.ty), unit);
            }
        } else if let Some(read) = read_nested(payload) {
            nested.insert(parse::text(&of.path), read);
        }
    }
    unit.nested = nested;
    helpers(gathered, &mut unit);
    unit.broken.extend(refused_constants(gathered));
    unit.dynamic.extend(item.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(f)
            if f.attrs.iter().any(parse::mode::is_dynamic) && parse::function::is_ordinary(&f.attrs, &f.sig) =>
        {
            Some(parse::name(&f.sig.ident))
        }
        _ => None,
    }));
    unit.model = Some(model);
    (unit, block)
}

/// The functions and kernels among what was gathered.
pub(crate) fn helpers(gathered: &Gathered, unit: &mut Unit) {
    for (_, path, payload) in gathered.parts.iter().filter(|(kind, ..)| *kind == ItemKind::Function) {
        let whole = syn::parse_str::<syn::Path>(path).ok();
        let of_type = whole.filter(|path| parse::type_of(path).is_some()).map(|path| parse::without_last(&path));
        let all = told::read_functions(payload).map(|(_, all)| all).filter(|_| of_type.is_some());
        if let (Some(of_type), Some(all)) = (&of_type, &all) {
            let names = all.iter().map(|(name, _)| parse::name(name)).collect();
            unit.of_types.insert(parse::text(of_type), names);
        }
        let tokens = match &all {
            Some(all) => all.iter().find(|(name, _)| path.ends_with(&format!("::{name}"))).map(|(_, tokens)| tokens),
            None => Some(payload).filter(|tokens| of_type.is_none() || is_function(tokens)),
        };
        // `Block::smooth(x)`, a function of a model.
        if let (Some(_), None, None, Some(model)) = (&of_type, &all, tokens, read_model(payload)) {
            let model_path = syn::parse_str::<syn::Path>(path).map(|path| parse::text(&parse::without_last(&path)));
            unit.nested.entry(model_path.unwrap_or_default()).or_insert(model);
        }
        if of_type.is_some() && tokens.is_none() && told::read(payload).is_some_and(|told| told.failed) {
            unit.broken.insert(path.clone());
        }
        // Of a function that the type has not, its call tells.
        let Some(tokens) = tokens else { continue };
        let kernel = read_kernel(tokens);
        let Some((item, rest)) = read_function(kernel.as_ref().unwrap_or(tokens)) else {
            unit.broken.insert(path.clone());
            continue;
        };
        if kernel.is_some() && simt::is_simt(&item) {
            let mut scope = Unit::default();
            names(&rest, &mut scope);
            unit.kernels.insert(path.clone(), simt::launched(item, scope));
            continue;
        }
        if kernel.is_some() || parse::function::is_of_tensors(&item.sig) {
            unit.callables.insert(path.clone(), callable(&item, &rest, kernel.is_some()));
            continue;
        }
        let silent = Diag::new();
        if let Some(mut helper) = parse::helper::helper(&silent, &item.sig, &item.block) {
            // What it calls is named as its own module names it.
            names(&rest, &mut helper.scope);
            infer::suffix_literals(&mut helper);
            unit.helpers.insert(path.clone(), helper);
        }
        silent.dismiss();
    }
}

/// Reports what is wrong with a function of scalars, whatever those are that `needs` names.
pub(crate) fn judge_helper(
    diag: &Diag,
    gathered: &Gathered,
    needs: &[Need],
    (sig, block): (&syn::Signature, &syn::Block),
) {
    if let Some(mut helper) = parse::helper::helper(diag, sig, block) {
        names(gathered, &mut helper.scope);
        helper.scope.broken.extend(needs.iter().map(|need| parse::text(&need.path)));
        infer::suffix_literals(&mut helper);
        lower::alone::function(diag, &helper);
    }
}

/// What names mean in a function or a kernel that has gathered that.
pub(crate) fn names(gathered: &Gathered, scope: &mut Unit) {
    helpers(gathered, scope);
    constants_into(gathered, &mut scope.constants);
    scope.broken.extend(gathered.refused().map(String::from));
    scope.broken.extend(refused_constants(gathered));
}

/// A kernel or a function of tensors; errors in it have been reported where it stands.
fn callable(item: &ItemFn, gathered: &Gathered, kernel: bool) -> Callable {
    let mut scope = Unit { own: Some(parse::name(&item.sig.ident)), ..Unit::default() };
    names(gathered, &mut scope);
    let silent = Diag::new();
    let instances = simt::instances(&silent, item).into_iter().map(|(item, _)| {
        let ItemFn { attrs, vis, sig, block, .. } = &item;
        let function = parse::function::function(&silent, attrs, vis, sig, block, &scope.constants, &BTreeSet::new());
        FunctionItem { indexed: kernel, ..function }
    });
    let functions = instances.collect();
    silent.dismiss();
    Callable { functions, scope }
}

/// What a function tells whoever calls it: whether it is sound, itself, and what it gathered.
pub(crate) fn function(gathered: &Gathered, item: &ItemFn, sound: bool) -> TokenStream {
    let gathered = gathered.tokens();
    quote!({ #sound } { #item } { #gathered })
}

/// Whether a function told that, be it wrong.
fn is_function(payload: &TokenStream) -> bool {
    let item = chain::groups(payload.clone()).and_then(|parts| parts.into_iter().nth(1));
    item.is_some_and(|item| syn::parse2::<ItemFn>(item).is_ok())
}

/// The function and what it gathered; `None` where it is wrong, which has been reported where it stands.
fn read_function(payload: &TokenStream) -> Option<(ItemFn, Gathered)> {
    let parts = chain::groups(payload.clone())?;
    let [sound, item, gathered] = parts.as_slice() else { return None };
    let item = syn::parse2(item.clone()).ok()?;
    (sound.to_string() == "true").then_some((item, chain::read(gathered.clone())?))
}
