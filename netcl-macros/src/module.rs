//! Models with parameters that are types: what stands for these where a model is used, and the model that this makes.
//!
//! `Block<64, Norm<8>>` is read as the block's own struct and functions in which `Norm` stands for its parameter `L`. A layer
//! stands there by its name. A model keeps the parameter's name, under which the block finds its tokens: what `Norm` means where
//! the block is used, it need not mean where the block stands. Its sizes become sizes of the block, `Block<64, 8>`, so that all
//! that is known of blocks with sizes holds.

use crate::ast::{LayerField, Starts};
use crate::chain::{Gathered, ItemKind, Need};
use crate::diag::Diag;
use crate::parse::constant::Constants;
use crate::parse::{attr, own, types};
use crate::told::{self, Told};
use crate::{messages as m, parse, words};
use netcl_kernels::dim::Dim;
use netcl_kernels::layers::{self, Config, Layer};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use std::collections::{BTreeMap, BTreeSet};
use syn::spanned::Spanned;
use syn::{GenericArgument, GenericParam, Generics, ItemImpl, ItemStruct, PathArguments, Type};

/// What is asked for to know what types stand for the parameters of the model `ty`; `own` are those of the model that has it.
pub(crate) fn needs(ty: &syn::Path, own: &BTreeSet<String>) -> Vec<Need> {
    let mut all = Vec::new();
    for given in types::type_arguments(ty, own) {
        if !is_own(given, own) && !is_known(given) {
            all.push(Need { kind: ItemKind::Nested, path: parse::without_arguments(given) });
            all.extend(needs(given, own));
        }
    }
    all
}

/// The types among the arguments of `ty`, for messages.
pub(crate) fn standing(ty: &syn::Path, constants: &Constants) -> Vec<String> {
    types::type_arguments(ty, &constants.named_types).into_iter().map(parse::text).collect()
}

/// The name of a size that is a size of what stands for a parameter.
const SIZE: &str = "__S";

/// Whether a size is one of what stands for a parameter, and not written where its model stands.
pub(crate) fn is_of_type(size: &str) -> bool {
    size.starts_with(SIZE)
}

/// The same of the types that stand for parameters where nothing is written.
pub(crate) fn defaults(generics: &Generics) -> Vec<Need> {
    let defaults = generics.type_params().filter_map(|given| match &given.default {
        Some((_, Type::Path(ty))) if !is_known(&ty.path) => Some(&ty.path),
        _ => None,
    });
    defaults.map(|path| Need { kind: ItemKind::Nested, path: parse::without_arguments(path) }).collect()
}

fn is_own(ty: &syn::Path, own: &BTreeSet<String>) -> bool {
    ty.get_ident().is_some_and(|name| own.contains(&parse::name(name)))
}

/// Whether it is a layer, or means one by a name in other letters, as PyTorch's `GELU`.
fn is_known(ty: &syn::Path) -> bool {
    types::layer_like(&last(ty)).is_some()
}

fn last(path: &syn::Path) -> String {
    path.segments.last().map(|last| parse::name(&last.ident)).unwrap_or_default()
}

/// Where a model is used.
pub(crate) struct Around<'a> {
    pub(crate) gathered: &'a Gathered,
    /// With the parameters of the model that has it.
    pub(crate) constants: &'a Constants,
}

/// What stands for a parameter.
pub(crate) enum Substitute {
    /// Whatever stands for one of the model around.
    Open,
    /// A layer, and its name at its place.
    Layer(&'static Layer, Ident),
    /// A model, as the block's own tokens name it.
    Model(Box<Type>),
    /// A type with functions of scalars, which told this.
    Functions(TokenStream),
}

/// A model's struct and block for the types that it is given.
pub(crate) struct Made {
    pub(crate) item: ItemImpl,
    pub(crate) structure: ItemStruct,
    pub(crate) gathered: Gathered,
    /// Its sizes, those of models that stand for parameters behind its own.
    pub(crate) sizes: Vec<Dim>,
    /// What stands for its types, by the block's names for them.
    pub(crate) given: BTreeMap<String, Substitute>,
}

/// What a model that told of itself becomes as `ty`. What is wrong with the types is reported; `None` then, and where a parameter
/// is missing, of which rustc tells.
pub(crate) fn made(
    (diag, around): (&Diag, &Around<'_>),
    (told, structure, constants): (Told, ItemStruct, &Constants),
    ty: &syn::Path,
) -> Option<Made> {
    let mut making = Making { diag, around, gathered: told.gathered, sizes: Vec::new(), open: Vec::new() };
    let (mut own, mut given, mut known) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
    let mut arguments = arguments(ty).into_iter();
    for parameter in &structure.generics.params {
        let argument = arguments.next();
        match parameter {
            GenericParam::Const(parameter) => {
                let size = match (argument, &parameter.default) {
                    (Some(argument), _) => types::dim(argument, around.constants)?,
                    // In terms of the parameters before.
                    (None, Some((_, default))) => {
                        crate::quotient::substitute(&types::expr_dim(default, constants)?, &known)
                    }
                    (None, None) => return None,
                };
                known.insert(parse::name(&parameter.ident), size.clone());
                own.push(size);
            }
            GenericParam::Type(parameter) => {
                let place = (&parameter.ident, &structure.ident);
                let what = match (argument, &parameter.default) {
                    (Some(GenericArgument::Type(Type::Path(argument))), _) => making.given(place, &argument.path),
                    (None, Some((_, Type::Path(default)))) => making.default(place.0, &default.path),
                    _ => None,
                };
                given.insert(parse::name(&parameter.ident), what?);
            }
            GenericParam::Lifetime(_) => {}
        }
    }
    let Making { mut gathered, sizes, open, .. } = making;
    let names = names(&told.item, &structure);
    let item = block(told.item, &names, &given, (&sizes, &open))?;
    let structure = with_types(structure, &given, (&sizes, &open));
    own.extend(sizes.into_iter().map(|(_, size)| size));
    let given = names.into_iter().filter_map(|(name, own)| Some((own, given.remove(&name)?)));
    let given: BTreeMap<String, Substitute> = given.collect();
    // Functions of scalars are called by the block's name for their type.
    for (own, given) in &given {
        if let Substitute::Functions(told) = given {
            let (_, all) = told::read_functions(told)?;
            let all = all.into_iter().map(|(name, told)| (ItemKind::Function, format!("{own}::{name}"), told));
            gathered.parts.extend(all);
        }
    }
    Some(Made { item, structure, gathered, sizes: own, given })
}

fn arguments(path: &syn::Path) -> Vec<&GenericArgument> {
    match path.segments.last().map(|last| &last.arguments) {
        Some(PathArguments::AngleBracketed(given)) => given.args.iter().collect(),
        _ => Vec::new(),
    }
}

/// The layer as it is without keys, where it needs none.
pub(crate) fn without_keys(layer: &'static Layer) -> Option<LayerField> {
    let config = Config::from_pairs(layer, &[]).ok()?;
    (layer.tensors)(&config).is_empty().then(|| LayerField {
        layer,
        config,
        places: vec![None; layer.config.len()],
        starts: Starts::default(),
        shared_with: None,
        starting: Vec::new(),
        shared: None,
    })
}

/// What a model becomes for the types that it is given.
struct Making<'a> {
    diag: &'a Diag,
    around: &'a Around<'a>,
    /// What the model has gathered, and what stands for its parameters.
    gathered: Gathered,
    /// The sizes of models that stand for parameters, by names that nobody writes.
    sizes: Vec<(Ident, Dim)>,
    /// Names of types that are parameters of the model around.
    open: Vec<Ident>,
}

impl Making<'_> {
    /// What stands for a parameter where `ty` is written around; the parameter and its model.
    fn given(&mut self, (parameter, model): (&Ident, &Ident), ty: &syn::Path) -> Option<Substitute> {
        let name = last(ty);
        if is_own(ty, &self.around.constants.types) {
            self.open.push(parameter.clone());
            return Some(Substitute::Open);
        }
        if let Some(layer) = layers::find(&name) {
            return Some(Substitute::Layer(layer, Ident::new(layer.name, ty.span())));
        }
        let Some(told) = self.around.gathered.get(ItemKind::Nested, &parse::without_arguments(ty)).cloned() else {
            if let Some(layer) = types::layer_like(&name) {
                let instead = format!("it is called `{}` here", layer.name);
                self.diag.report(ty.span(), &m::TYPE_ARGUMENT, &[&parse::text(ty), parameter, model, &instead]);
            }
            if !name.contains(char::is_lowercase) && ty.get_ident().is_some() && types::layer_like(&name).is_none() {
                let instead = "a name in capitals is a size: give the type one with small letters, such as `Softsign`";
                self.diag.report(ty.span(), &m::TYPE_ARGUMENT, &[&parse::text(ty), parameter, model, &instead]);
            }
            return None;
        };
        self.gathered.parts.push((ItemKind::Nested, parse::name(parameter), told.clone()));
        if told::read_functions(&told).is_some() {
            return Some(Substitute::Functions(told));
        }
        let structure = told::structure(&told::read(&told)?.table)?;
        let mut arguments = arguments(ty).into_iter();
        let mut all: Vec<TokenStream> = Vec::new();
        for (position, own) in structure.generics.params.iter().enumerate() {
            let Some(argument) = arguments.next() else { break };
            match (own, argument) {
                (GenericParam::Const(_), argument) => {
                    let name = format_ident!("{SIZE}{}", self.sizes.len());
                    self.sizes.push((name.clone(), types::dim(argument, self.around.constants)?));
                    all.push(quote!(#name));
                }
                (GenericParam::Type(_), GenericArgument::Type(Type::Path(argument))) => {
                    let own = format_ident!("__{}_{}", parameter, position);
                    all.push(match self.given((&own, &structure.ident), &argument.path)? {
                        Substitute::Open | Substitute::Functions(_) => quote!(#own),
                        Substitute::Layer(_, name) => quote!(#name),
                        Substitute::Model(ty) => quote!(#ty),
                    });
                }
                _ => return None,
            }
        }
        let parameter = Ident::new(&parameter.to_string(), ty.span());
        let ty = match all.is_empty() {
            true => syn::parse_quote!(#parameter),
            false => syn::parse_quote!(#parameter<#(#all),*>),
        };
        Some(Substitute::Model(Box::new(ty)))
    }

    /// The same of what the model's own struct says where nothing is written.
    fn default(&mut self, parameter: &Ident, ty: &syn::Path) -> Option<Substitute> {
        if let Some(layer) = layers::find(&last(ty)) {
            return Some(Substitute::Layer(layer, Ident::new(layer.name, parameter.span())));
        }
        let told = self.gathered.get(ItemKind::Nested, &parse::without_arguments(ty)).cloned()?;
        if told::read_functions(&told).is_some() {
            self.gathered.parts.push((ItemKind::Nested, parse::name(parameter), told.clone()));
            return Some(Substitute::Functions(told));
        }
        Some(Substitute::Model(Box::new(syn::parse_quote!(#ty))))
    }
}

impl Substitute {
    /// Whether the parameter is gone.
    fn is_closed(&self) -> bool {
        !matches!(self, Substitute::Open)
    }
}

/// The parameters that are types: as the struct calls them, and as the block does.
fn names(item: &ItemImpl, structure: &ItemStruct) -> Vec<(String, String)> {
    let Type::Path(ty) = &*item.self_ty else { return Vec::new() };
    let pairs = structure.generics.params.iter().zip(arguments(&ty.path));
    let pairs = pairs.filter_map(|(parameter, argument)| match (parameter, argument) {
        (GenericParam::Type(parameter), GenericArgument::Type(Type::Path(own))) => {
            Some((parse::name(&parameter.ident), parse::name(own.path.get_ident()?)))
        }
        _ => None,
    });
    pairs.collect()
}

/// The parameters for these types: without those for which something stands, with the sizes that come with that.
fn parameters(
    generics: &Generics,
    is_closed: impl Fn(&Ident) -> bool,
    (sizes, open): (&[(Ident, Dim)], &[Ident]),
) -> Generics {
    let mut generics = generics.clone();
    let params = std::mem::take(&mut generics.params).into_iter();
    generics.params = params.filter(|own| !matches!(own, GenericParam::Type(own) if is_closed(&own.ident))).collect();
    for name in open {
        let known = generics.type_params().any(|own| own.ident == *name);
        if !known {
            generics.params.push(syn::parse_quote!(#name));
        }
    }
    for (name, _) in sizes {
        generics.params.push(syn::parse_quote!(const #name: usize));
    }
    generics
}

/// The block for these types.
fn block(
    item: ItemImpl,
    own: &[(String, String)],
    given: &BTreeMap<String, Substitute>,
    (sizes, open): (&[(Ident, Dim)], &[Ident]),
) -> Option<ItemImpl> {
    let mut item = item;
    let is_closed = |name: &Ident| {
        let of = own.iter().find(|(_, own)| *name == own.as_str());
        of.and_then(|(name, _)| given.get(name)).is_some_and(Substitute::is_closed)
    };
    // Those of its own that stay open keep the block's names.
    let added: Vec<Ident> =
        open.iter().filter(|name| !own.iter().any(|(own, _)| *name == own.as_str())).cloned().collect();
    item.generics = parameters(&item.generics, is_closed, (sizes, &added));
    let Type::Path(ty) = &mut *item.self_ty else { return None };
    let PathArguments::AngleBracketed(arguments) = &mut ty.path.segments.last_mut()?.arguments else { return None };
    let all = std::mem::take(&mut arguments.args).into_iter();
    arguments.args = all
        .filter(|argument| match argument {
            GenericArgument::Type(Type::Path(ty)) => !ty.path.get_ident().is_some_and(is_closed),
            _ => true,
        })
        .collect();
    for name in added.iter().chain(sizes.iter().map(|(name, _)| name)) {
        arguments.args.push(syn::parse_quote!(#name));
    }
    Some(item)
}

/// The struct for these types.
fn with_types(
    structure: ItemStruct,
    given: &BTreeMap<String, Substitute>,
    (sizes, open): (&[(Ident, Dim)], &[Ident]),
) -> ItemStruct {
    let mut structure = structure;
    let is_closed = |name: &Ident| given.get(&parse::name(name)).is_some_and(Substitute::is_closed);
    structure.generics = parameters(&structure.generics, is_closed, (sizes, open));
    for field in &mut structure.fields {
        if let Some(what) = slot(&field.ty).and_then(|name| given.get(&parse::name(name))) {
            keys_of(&mut field.attrs, what);
        }
        replace(&mut field.ty, given);
    }
    structure
}

/// The name that a field's type is, or is a list or an `Option` of.
fn slot(ty: &Type) -> Option<&Ident> {
    match ty {
        Type::Array(array) => slot(&array.elem),
        Type::Paren(inner) => slot(&inner.elem),
        Type::Group(inner) => slot(&inner.elem),
        Type::Path(path) => path.path.get_ident().or_else(|| {
            let last = path.path.segments.last().filter(|last| last.ident == "Vec" || last.ident == "Option")?;
            match &last.arguments {
                PathArguments::AngleBracketed(given) => match given.args.first()? {
                    GenericArgument::Type(inner) => slot(inner),
                    _ => None,
                },
                _ => None,
            }
        }),
        _ => None,
    }
}

/// Leaves of a field's keys those that what stands for its type has.
fn keys_of(attrs: &mut Vec<syn::Attribute>, what: &Substitute) {
    let silent = Diag::new();
    attrs.retain_mut(|attribute| {
        if own::helper(attribute) != Some(words::LAYER) || matches!(what, Substitute::Open) {
            return true;
        }
        let keeps = |key: &Ident| match what {
            Substitute::Layer(layer, _) => {
                let own = layer.config.iter().any(|known| key == known.name);
                let starts = !(layer.tensors)(&Config::any(layer)).is_empty();
                own || starts && (key == words::INIT || key == words::BIAS_INIT)
            }
            Substitute::Model(_) => key == words::VARIANT,
            _ => false,
        };
        let mut pairs = attr::pairs(&silent, attribute).given;
        pairs.retain(|(key, _)| key == words::COUNT || key == words::PRESENT || keeps(key));
        let pairs: Vec<TokenStream> = pairs.iter().map(|(key, value)| quote!(#key = #value)).collect();
        if let syn::Meta::List(list) = &mut attribute.meta {
            list.tokens = quote!(#(#pairs),*);
        }
        !pairs.is_empty()
    });
    silent.dismiss();
}

/// Puts types in place of parameters.
fn replace(ty: &mut Type, given: &BTreeMap<String, Substitute>) {
    let what = match &*ty {
        Type::Path(path) => path.path.get_ident().and_then(|name| given.get(&parse::name(name))),
        _ => None,
    };
    match (what, ty) {
        (Some(Substitute::Layer(_, name)), ty) => *ty = syn::parse_quote!(#name),
        (Some(Substitute::Model(given)), ty) => *ty = Type::clone(given),
        (Some(Substitute::Open | Substitute::Functions(_)), _) => {}
        (None, Type::Array(array)) => replace(&mut array.elem, given),
        (None, Type::Paren(inner)) => replace(&mut inner.elem, given),
        (None, Type::Group(inner)) => replace(&mut inner.elem, given),
        (None, Type::Tuple(tuple)) => tuple.elems.iter_mut().for_each(|inner| replace(inner, given)),
        (None, Type::Path(path)) => {
            let arguments = path.path.segments.last_mut().map(|last| &mut last.arguments);
            if let Some(PathArguments::AngleBracketed(arguments)) = arguments {
                for argument in &mut arguments.args {
                    if let GenericArgument::Type(inner) = argument {
                        replace(inner, given);
                    }
                }
            }
        }
        (None, _) => {}
    }
}
