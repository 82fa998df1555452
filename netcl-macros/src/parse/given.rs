//! What stands behind the name of a field's type, `Block<4, -1>`, and in an attribute that is none of a layer.

use super::constant::{self, Constants};
use super::{own, text, types};
use crate::ast::{Constant, FieldKind};
use crate::words;
use netcl_kernels::layers::{self, Layer};
use proc_macro2::Span;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, GenericArgument, Meta, MetaNameValue, PathArguments, Token, Type};

/// What stands in an attribute's parentheses, if it is keys of the layer.
pub(super) fn keys_of(attr: &Attribute, layer: &Layer) -> Option<String> {
    let keys = attr.parse_args_with(Punctuated::<MetaNameValue, Token![,]>::parse_terminated).ok()?;
    let own = |key: &MetaNameValue| layer.config.iter().any(|known| key.path.is_ident(known.name));
    (!keys.is_empty() && keys.iter().all(own)).then(|| text(&keys))
}

/// The same of the attribute of a field of that type.
pub(super) fn of_layer(attr: &Attribute, ty: &Type) -> Option<String> {
    let Type::Path(path) = ty else { return None };
    let layer = layers::find(&super::name(&path.path.segments.last()?.ident))?;
    keys_of(attr, layer)
}

/// The keys of an attribute, if there is one, and behind them others, in the place of those of the same names.
pub(super) fn with_keys(attr: Option<&Attribute>, keys: &str) -> String {
    let list = match attr.map(|attr| &attr.meta) {
        Some(Meta::List(list)) if !list.tokens.is_empty() => list,
        _ => return keys.to_string(),
    };
    let parser = Punctuated::<MetaNameValue, Token![,]>::parse_terminated;
    let Ok(own) = list.parse_args_with(parser) else { return format!("{}, {keys}", text(&list.tokens)) };
    let names: Vec<String> = parser.parse_str(keys).iter().flatten().map(|key| text(&key.path)).collect();
    let other = |own: &&MetaNameValue| !names.contains(&text(&own.path));
    let kept = own.iter().filter(other).map(text);
    kept.chain([keys.to_string()]).collect::<Vec<_>>().join(", ")
}

/// What a `Vec` is of, and the keys that say how many there are.
pub(super) fn counted(each: &FieldKind, attr: Option<&Attribute>) -> [String; 2] {
    let what = if matches!(each, FieldKind::Model(_)) { "models" } else { "layers" };
    [what.to_string(), with_keys(attr, "count = 4")]
}

/// Where keys stand that a model has not, and where its sizes do.
pub(super) fn unconfigured(attr: Option<&Attribute>, ty: &syn::TypePath, sized: bool) -> (Span, String) {
    match attr.filter(|_| sized) {
        Some(attr) => (attr.path().span(), format!("`{}`", text(ty))),
        None => {
            let layers = super::list(layers::all().iter().map(|layer| layer.name));
            (ty.span(), format!("as in `Block<64>`; layers are {layers}"))
        }
    }
}

/// Where the key stands that says what an attribute of a field of that type does, `#[init(normal(0.02))]`: whose key it is, in which
/// attribute, and all keys of that.
pub(super) fn start(attr: &Attribute, ty: &Type, own: &[Attribute]) -> (&'static str, &'static str, String) {
    let start = start_of(attr).unwrap_or_else(|| "normal(0.02)".to_string());
    let (owner, helper) = match types::is_called_tensor(ty) {
        true => ("parameter", words::PARAMETER),
        false => ("layer", words::LAYER),
    };
    (owner, helper, with_keys(own::find(own, helper), &format!("init = {start}")))
}

/// How an attribute says that tensors start, if that is a way that there is: `#[init(normal(0.02))]`.
fn start_of(attr: &Attribute) -> Option<String> {
    let given = match &attr.meta {
        Meta::List(list) => text(&list.tokens),
        Meta::NameValue(pair) => text(&pair.value),
        Meta::Path(_) => return None,
    };
    let known = ["normal(", "uniform("].iter().any(|way| given.starts_with(way)) || given.parse::<f64>().is_ok();
    known.then_some(given)
}

/// Whether names among the arguments of a type are those of sizes.
pub(super) fn names_sizes(path: &syn::Path, constants: &Constants) -> bool {
    let known = |name: String| constants.parameters.contains(&name) || constants.contains_key(&name);
    match path.segments.last().map(|last| &last.arguments) {
        Some(PathArguments::AngleBracketed(given)) => given.args.iter().all(|argument| match argument {
            GenericArgument::Type(Type::Path(size)) => size.path.get_ident().map(super::name).is_some_and(known),
            _ => true,
        }),
        _ => true,
    }
}

/// A number below zero among the sizes of a model's type.
pub(super) fn negative<'p>(path: &'p syn::Path, constants: &Constants) -> Option<&'p syn::Expr> {
    let PathArguments::AngleBracketed(given) = &path.segments.last()?.arguments else { return None };
    given.args.iter().find_map(|argument| match argument {
        GenericArgument::Const(size) => match constant::evaluate(size, constants) {
            Some(Constant::Integer(number)) if number < 0 => Some(size),
            _ => None,
        },
        _ => None,
    })
}
