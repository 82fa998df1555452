//! A model's struct and its `impl` block.

use super::constant::{self, Constants};
use super::{function, gradients, mode, named, text, types};
use crate::ast::{Field, FieldKind, ModelImpl, ModelItem};
use crate::diag::Diag;
use crate::messages as m;
use crate::presence::Presence;
use crate::variants::{self, Variants};
use crate::{quotient, recover, unused};
use netcl_kernels::dim::{Dim, Symbol};
use netcl_kernels::layers::{self, ConfigKind, ConfigValue};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Attribute, Fields, GenericArgument, GenericParam, Generics, ImplItem, ItemImpl, ItemStruct, PathArguments, Token,
    Type,
};

/// What a struct without named fields is, and its fields with names.
fn unnamed(fields: &Fields) -> (&'static str, String) {
    const NAMES: [&str; 4] = ["first", "second", "third", "fourth"];
    if fields.is_empty() {
        return ("a struct without fields", "#[layer(inputs = 8, outputs = 4)] hidden: Linear".to_string());
    }
    let named = fields.iter().zip(NAMES).map(|(field, name)| {
        let attrs: String = field.attrs.iter().map(|attr| format!("{} ", text(attr))).collect();
        format!("{attrs}{name}: {}", text(&field.ty))
    });
    ("a tuple struct", named.collect::<Vec<_>>().join(", "))
}

/// The struct; fields that are wrong are reported and kept as unknown.
pub(crate) fn model(diag: &Diag, item: &ItemStruct, constants: &Constants) -> ModelItem {
    // Of a lifetime that a field has, the field is spoken of.
    let told = |name: &str| name.starts_with('\'') && item.fields.iter().any(|field| text(&field.ty).contains(name));
    let refused = only_parameters(diag, &item.generics, told);
    super::condition::decided(diag, &item.attrs, &m::CFG);
    super::reserved::layer_name(diag, &item.ident);
    known_defaults(diag, item);
    let mut constants = constants.with_types(type_names(&item.generics));
    constants.parameters = item.generics.const_params().map(|given| super::name(&given.ident)).collect();
    let constants = &constants;
    let fields: Vec<Field> = match &item.fields {
        Fields::Named(named) => {
            let fields = once(diag, named.named.iter());
            fields.filter_map(|f| named::with_values(diag, f, &refused, constants)).collect()
        }
        Fields::Unnamed(_) | Fields::Unit => {
            let (found, fields) = unnamed(&item.fields);
            diag.report(item.ident.span(), &m::NO_NAMED_FIELDS, &[&found, &item.ident, &fields]);
            Vec::new()
        }
    };
    let mut fields: Vec<Field> = fields.into_iter().map(|field| without_itself(diag, item, field)).collect();
    super::shared::resolve(diag, &mut fields);
    super::training::apart(diag, &fields);
    super::training::stepped(diag, &fields);
    let attrs = derived(diag, item);
    let parameters: Vec<(Ident, Option<Dim>)> = item
        .generics
        .const_params()
        .map(|given| {
            let default = given.default.as_ref().and_then(|(_, default)| types::expr_dim(default, constants));
            (given.ident.clone(), default)
        })
        .collect();
    fields.iter_mut().for_each(|field| with_plain_sizes(diag, item, field));
    let variants = Variants::of(item);
    if let Some(variants) = &variants {
        fields.iter_mut().for_each(|field| of_variant(variants, field));
    }
    let consts = consts(item, &fields, &parameters);
    let generics = parameters_only(&item.generics);
    ModelItem { attrs, vis: item.vis.clone(), name: item.ident.clone(), generics, parameters, consts, fields, variants }
}

/// Rule: what stands for a parameter where nothing is written is known where the struct is. Wrong: `struct Stack<A = Gelu, B = Mlp<A>>`.
fn known_defaults(diag: &Diag, item: &ItemStruct) {
    let own = type_names(&item.generics);
    for parameter in item.generics.type_params() {
        let Some((_, default @ Type::Path(_))) = &parameter.default else { continue };
        let Some(name) = own.iter().find(|name| find(default.to_token_stream(), name).is_some()) else { continue };
        let instead = format!("`{name}` is what each use of the model says: write a type in its place, or no default");
        let (default, parameter) = (text(default), &parameter.ident);
        diag.report(parameter.span(), &m::TYPE_ARGUMENT, &[&default, parameter, &item.ident, &instead]);
    }
}

/// The field as one that is there with its variant alone.
fn of_variant(variants: &Variants, field: &mut Field) {
    let Some(variant) = variants.of_field(&field.name) else { return };
    let ty = &field.ty;
    field.ty = syn::parse_quote!(::core::option::Option<#ty>);
    let each = Box::new(std::mem::replace(&mut field.kind, FieldKind::Unknown));
    if !matches!(*each, FieldKind::Unknown) {
        field.kind = FieldKind::Optional { each, present: Presence::Variant(super::name(&variant.name)) };
    }
}

/// Rule: a name is one field's. Wrong: `struct Net { a: Linear, a: Linear }`, which would be told of what is generated.
fn once<'a>(diag: &Diag, fields: impl Iterator<Item = &'a syn::Field>) -> impl Iterator<Item = &'a syn::Field> {
    let mut names = BTreeMap::new();
    fields.filter(move |field| {
        let Some(name) = field.ident.as_ref() else { return true };
        match names.entry(super::name(name)) {
            Entry::Vacant(entry) => drop(entry.insert(name.span())),
            Entry::Occupied(first) => {
                diag.report(name.span(), &m::DUPLICATE_FIELD, &[name, &super::line(*first.get())]);
                return false;
            }
        }
        true
    })
}

/// Rule: what is derived can be done with a model, whose tensors are on a device. Wrong: `#[derive(Default)]`.
///
/// Gives the attributes without what cannot be derived.
fn derived(diag: &Diag, item: &ItemStruct) -> Vec<Attribute> {
    let mut attrs = item.attrs.clone();
    attrs.retain(|attr| !variants::is_mark(attr));
    for attr in attrs.iter_mut().filter(|attr| attr.path().is_ident("derive")) {
        let Ok(paths) = attr.parse_args_with(Punctuated::<syn::Path, Token![,]>::parse_terminated) else { continue };
        let mut kept = Vec::new();
        for path in paths {
            let name = path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
            match underivable(&name, &item.ident) {
                Some(instead) => diag.report(path.span(), &m::DERIVED, &[&name, &instead]),
                None => kept.push(path),
            }
        }
        if let syn::Meta::List(list) = &mut attr.meta {
            list.tokens = quote::quote!(#(#kept),*);
        }
    }
    attrs
}

/// What there is instead of deriving the trait of that name, which no model can.
fn underivable(name: &str, model: &Ident) -> Option<String> {
    Some(match name {
        "Default" => format!("it is made on a device, from a seed: `{model}::new(&device, Seed(1))?`"),
        "PartialEq" | "Eq" | "Hash" | "PartialOrd" | "Ord" => {
            "its numbers are on a device: compare those of a tensor, `model.tensor(\"..\")?.to_vec::<f32>()?`, in ordinary Rust"
                .to_string()
        }
        "Copy" => "its tensors are shared by handles: write `#[derive(Clone)]`, whose copies are of the same tensors"
            .to_string(),
        "Serialize" | "Deserialize" => {
            "a model is saved by `netcl::io::save(&model, file)?` and loaded by `netcl::io::load(&mut model, file)?`"
                .to_string()
        }
        _ => return None,
    })
}

/// Rule: Rust computes nothing from parameters in the type of a field. Wrong: `block: Block<{ H * 2 }>` in `struct Net<const H: usize>`.
fn with_plain_sizes(diag: &Diag, item: &ItemStruct, field: &mut Field) {
    fn typed<'a>(kind: &'a FieldKind, sizes: &mut Vec<&'a Dim>) {
        match kind {
            FieldKind::Model(nested) => sizes.extend(&nested.sizes),
            FieldKind::Optional { each, .. } => typed(each, sizes),
            FieldKind::Several { kinds, .. } => kinds.iter().for_each(|kind| typed(kind, sizes)),
            // Layers are no fields of Rust, and the length of a `Vec` is no part of its type.
            FieldKind::Many { each, count, vec } if matches!(**each, FieldKind::Model(_) | FieldKind::Slot(_)) => {
                sizes.extend((!vec).then_some(count));
                typed(each, sizes);
            }
            _ => {}
        }
    }
    let mut sizes = Vec::new();
    typed(&field.kind, &mut sizes);
    sizes.retain(|size| !crate::ast::is_plain(size));
    let own = |size: &&&Dim| {
        let mut found = false;
        size.visit_symbols(&mut |symbol| found |= item.generics.const_params().any(|own| own.ident == symbol.name()));
        found
    };
    if let Some(size) = sizes.iter().find(own) {
        let model = field.kind.models().first().map_or_else(|| "Block".to_string(), |of| text(&of.path));
        diag.report(field.ty.span(), &m::COMPUTED_SIZE, &[size, &field.name, &model]);
        field.kind = FieldKind::Unknown;
    }
}

/// Rule: a model does not hold itself. Wrong: `struct Node { next: Node }`.
fn without_itself(diag: &Diag, item: &ItemStruct, mut field: Field) -> Field {
    let held = field.kind.models().into_iter().map(|nested| &nested.path);
    let own = |path: &&syn::Path| path.is_ident(&item.ident) || path.is_ident("Self");
    if let Some(path) = held.into_iter().find(own) {
        let instead = "a model holds other models; what repeats is an array of them: `[Block; 4]`";
        diag.report(path.span(), &m::SELF_FIELD, &[&item.ident, &instead]);
        field.kind = FieldKind::Unknown;
    }
    field
}

/// Rule: a model's parameters are sizes and types. Wrong: `struct Mlp<'a>`, `struct Mlp<const DEEP: bool>`.
///
/// Gives the names of those that are not, but for what is `told` elsewhere.
fn only_parameters(diag: &Diag, generics: &Generics, told: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let mut refused = BTreeSet::new();
    for parameter in generics.params.iter().filter(|parameter| !is_parameter(parameter)) {
        let (name, written, instead) = super::instead::parameter(parameter);
        if !told(&name) {
            diag.report(parameter.span(), &m::GENERIC_MODEL, &[&written, &instead]);
            refused.insert(name);
        }
    }
    refused
}

/// Whether a model may have the parameter: a size or a type.
pub(crate) fn is_parameter(parameter: &GenericParam) -> bool {
    match parameter {
        GenericParam::Const(given) => matches!(&given.ty, Type::Path(ty) if ty.path.is_ident("usize")),
        GenericParam::Type(_) => true,
        GenericParam::Lifetime(_) => false,
    }
}

/// The names of the parameters that are types.
pub(crate) fn type_names(generics: &Generics) -> BTreeSet<String> {
    generics.type_params().map(|given| super::name(&given.ident)).collect()
}

/// The parameters without those that no model can have.
fn parameters_only(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    generics.params = generics.params.into_iter().filter(is_parameter).collect();
    generics
}

/// Says to rustc what parameters that are types may be.
pub(crate) fn bound(generics: &mut Generics) {
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(syn::parse_quote!(::netcl::Module));
        if let Some((_, Type::Path(ty))) = &mut parameter.default
            && let Some(name) = ty.path.get_ident().filter(|name| layers::find(&super::name(name)).is_some())
        {
            ty.path = syn::parse_quote_spanned!(name.span()=> ::netcl::layers::#name);
        }
    }
}

/// The names in the fields' sizes that are no parameters, where they first stand.
fn consts(item: &ItemStruct, fields: &[Field], parameters: &[(Ident, Option<Dim>)]) -> Vec<Ident> {
    let mut names = BTreeSet::new();
    for field in fields {
        visit_sizes(&field.kind, &mut |size| {
            quotient::visit_names(size, &mut |name| names.extend([Symbol::new(name)]))
        });
    }
    names.retain(|name| !parameters.iter().any(|(parameter, _)| parameter == name.name()));
    let tokens: TokenStream = item.fields.iter().map(ToTokens::to_token_stream).collect();
    let written = |name: &Symbol| {
        find(tokens.clone(), name.name()).unwrap_or_else(|| Ident::new(name.name(), proc_macro2::Span::call_site()))
    };
    names.iter().map(written).collect()
}

/// The first identifier of that name.
fn find(tokens: TokenStream, name: &str) -> Option<Ident> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) if ident == name => Some(ident),
        TokenTree::Group(group) => find(group.stream(), name),
        _ => None,
    })
}

/// Calls `visit` for every size that a field is configured with and that is at least 1.
pub(crate) fn visit_sizes(kind: &FieldKind, visit: &mut dyn FnMut(&Dim)) {
    match kind {
        // Other keys may be 0.
        FieldKind::Layer(layer) => {
            layer.config.keys.iter().zip(&layer.config.values).for_each(|(key, value)| match value {
                ConfigValue::Named(size) => visit(size),
                ConfigValue::Open(sizes) if matches!(key.kind, ConfigKind::Size | ConfigKind::Fixed) => {
                    sizes.iter().for_each(&mut *visit);
                }
                _ => {}
            })
        }
        FieldKind::Tensor(tensor) => tensor.shape.iter().for_each(visit),
        FieldKind::Model(nested) => nested.sizes.iter().for_each(visit),
        FieldKind::Slot(slot) => {
            for (_, value) in &slot.settings {
                if let ConfigValue::Named(size) = value {
                    visit(size);
                }
            }
        }
        FieldKind::Constant { .. } | FieldKind::Unknown => {}
        other => other.inner().iter().for_each(|inner| visit_sizes(inner, visit)),
    }
}

/// The sizes that an `impl` block gives to the model's parameters: `H` in `impl<const H: usize> Mlp<H>`.
pub(crate) fn impl_sizes(item: &ItemImpl, constants: &Constants) -> Vec<Dim> {
    let constants = &constants.with_types(type_names(&item.generics));
    match &*item.self_ty {
        Type::Path(path) => types::sizes(&path.path, constants).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// The constants that an `impl` block declares with literal values.
pub(crate) fn impl_constants(item: &ItemImpl, constants: &mut Constants) {
    let own = match &*item.self_ty {
        Type::Path(path) => text(&super::without_arguments(&path.path)),
        other => text(other),
    };
    for item in &item.items {
        if let ImplItem::Const(declared) = item
            && let Some(value) = constant::declared(&declared.ty, &declared.expr, constants)
        {
            let (name, ty) = (&declared.ident, &own);
            for path in [format!("{ty}::{name}"), format!("Self::{name}")] {
                constants.note_type(&path, &declared.ty);
                constants.insert(path, value);
            }
        }
    }
}

/// The name in `#[netcl::model(block = training)]`, which a mark on the block carries.
pub(crate) fn block_name(item: &ItemImpl) -> Option<Ident> {
    let mark = item.attrs.iter().find(|attr| attr.path().is_ident(crate::words::NAMED_BLOCK))?;
    mark.parse_args().ok()
}

/// The path of the model that the block is for.
pub(crate) fn model_path(diag: &Diag, item: &ItemImpl) -> Option<syn::Path> {
    if let Some((path, _)) = &item.trait_ {
        diag.report(path.span(), &m::TRAIT_IMPL, &[&text(&item.self_ty)]);
        return None;
    }
    only_parameters(diag, &item.generics, |_| false);
    if let Some((ty, name)) = given_type(item) {
        diag.report(ty.span(), &m::BLOCK_TYPE, &[&text(ty), &name, &name]);
        return None;
    }
    if let Some((size, name)) = computed_size(item) {
        diag.report(size.span(), &m::BLOCK_SIZE, &[&text(size), &name, &text(size)]);
        return None;
    }
    match &*item.self_ty {
        Type::Path(path) if path.qself.is_none() => Some(super::without_arguments(&path.path)),
        _ => {
            diag.report(item.self_ty.span(), &m::NOT_A_TYPE_NAME, &[]);
            None
        }
    }
}

/// A type that a block is written for, where it has parameters for none, and a name for one: `LayerNorm` in `impl Block<LayerNorm>`.
pub(crate) fn given_type(item: &ItemImpl) -> Option<(&syn::Path, &'static str)> {
    let Type::Path(path) = &*item.self_ty else { return None };
    let own = type_names(&item.generics);
    let given = types::type_arguments(&path.path, &own);
    let is_own = |ty: &syn::Path| ty.get_ident().is_some_and(|name| own.contains(&super::name(name)));
    let free = ["L", "M", "A"].into_iter().find(|name| !own.contains(*name)).unwrap_or("L");
    given.into_iter().find(|ty| !is_own(ty)).map(|ty| (ty, free))
}

/// A size that a block computes, and the parameter that it computes it from: `{ H + 1 }` in `impl<const H: usize> Mlp<{ H + 1 }>`.
pub(crate) fn computed_size(item: &ItemImpl) -> Option<(&GenericArgument, &Ident)> {
    let Type::Path(path) = &*item.self_ty else { return None };
    let PathArguments::AngleBracketed(given) = &path.path.segments.last()?.arguments else { return None };
    given.args.iter().find_map(|size| {
        let GenericArgument::Const(syn::Expr::Block(block)) = size else { return None };
        let alone = matches!(block.block.stmts.as_slice(), [syn::Stmt::Expr(syn::Expr::Path(_), None)]);
        let own = |name: &&Ident| function::mentions(size.to_token_stream(), &|word| *word == **name);
        let name = item.generics.const_params().map(|parameter| &parameter.ident).find(own);
        name.filter(|_| !alone).map(|name| (size, name))
    })
}

/// The block; functions that are wrong are reported and left out. `sizes` are the names that the model binds.
pub(crate) fn model_impl(diag: &Diag, item: &ItemImpl, constants: &Constants, sizes: &BTreeSet<Symbol>) -> ModelImpl {
    super::condition::decided(diag, &item.attrs, &m::CFG);
    let mut functions = Vec::new();
    let (mut unsound, mut unfit) = (Vec::new(), BTreeSet::new());
    let mut others = Vec::new();
    // The struct brings `new`, the block the others.
    let name = block_name(item);
    let about = ModelImpl::about(name.as_ref()).map(|about| about.name.to_string());
    let mut taken: BTreeSet<String> = about.into_iter().chain(["new".to_string()]).collect();
    let compiled = item.items.iter().filter_map(|item| match item {
        ImplItem::Fn(f) if !function::is_ordinary(&f.attrs, &f.sig) => Some(super::name(&f.sig.ident)),
        _ => None,
    });
    taken.extend(compiled.map(|name| format!("{name}_with_gradients")));
    let mut declared: BTreeMap<String, proc_macro2::Span> = BTreeMap::new();
    for item in &item.items {
        let before = declared.clone();
        if let ImplItem::Fn(f) = item {
            declared.entry(super::name(&f.sig.ident)).or_insert(f.sig.ident.span());
        }
        match item {
            ImplItem::Fn(f) if taken.contains(&super::name(&f.sig.ident)) => {
                let own = super::name(&f.sig.ident);
                let of = match own.strip_suffix("_with_gradients") {
                    Some(loss) => format!("beside `{loss}`"),
                    None if own == "new" => "for every model".to_string(),
                    None => "for every block".to_string(),
                };
                diag.report(f.sig.ident.span(), &m::GENERATED_NAME, &[&own, &of]);
            }
            // What is generated would be there twice, under names that the user has not written.
            ImplItem::Fn(f) if before.contains_key(&super::name(&f.sig.ident)) => {
                let first = before.get(&super::name(&f.sig.ident)).map(|first| super::line(*first));
                diag.report(f.sig.ident.span(), &m::DUPLICATE_FUNCTION, &[&f.sig.ident, &first.unwrap_or_default()]);
            }
            ImplItem::Fn(f) if f.attrs.iter().any(recover::is_half_typed) => {
                unfit.insert(super::name(&f.sig.ident));
            }
            ImplItem::Fn(f) if !function::is_ordinary(&f.attrs, &f.sig) => {
                let function = super::several::of_model(diag, f, constants, sizes);
                match function.unsound {
                    None => functions.push(function),
                    Some(_) => {
                        unfit.insert(super::name(&f.sig.ident));
                        unsound.push(function);
                    }
                }
            }
            ImplItem::Fn(f) => {
                let mut f = f.clone();
                mode::only_of_compiled(diag, &f);
                mode::dynamic(diag, &f.attrs);
                for attr in f.attrs.iter().filter(|attr| gradients::is_gradients(attr)) {
                    diag.report(attr.path().span(), &m::GRADIENTS_PLACE, &[]);
                }
                f.attrs.retain(|attr| !mode::is_dynamic(attr) && !function::is_helper(attr));
                others.push(f.into_token_stream());
            }
            other => others.push(other.to_token_stream()),
        }
    }
    ModelImpl {
        generics: item.generics.clone(),
        self_ty: item.self_ty.clone(),
        levels: item.attrs.iter().filter(|attr| unused::is_level(attr)).cloned().collect(),
        functions,
        unsound,
        name,
        unfit,
        others,
    }
}
