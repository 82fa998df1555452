//! How a field is trained: `#[frozen]`, in which no gradient is computed, and `#[group(no_decay)]`, the group that optimizers step it in.

use super::own::find;
use super::training_keys::meant;
use crate::ast::{Field, FieldKind};
use crate::diag::Diag;
use crate::messages as m;
use crate::words;
use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Meta};

/// Whether it says how the field is trained, which whatever has parameters takes.
pub(super) fn is_of_training(attr: &Attribute) -> bool {
    words::TRAINING.iter().any(|name| attr.path().is_ident(name))
}

/// Whether the attributes say that no gradient is computed in the field.
pub(super) fn is_frozen(diag: &Diag, attrs: &[Attribute]) -> bool {
    let frozen = find(attrs, words::FROZEN);
    if let Some(attr) = frozen.filter(|attr| !matches!(attr.meta, Meta::Path(_))) {
        diag.report(attr.path().span(), &m::FROZEN_FORM, &[]);
    }
    frozen.is_some()
}

/// Rule: a state is not trained. Wrong: `#[group(slow)] #[state(init = 0.0)] mean: Tensor<f32, 8>`. Whether that was reported.
pub(super) fn of_state(diag: &Diag, attrs: &[Attribute]) -> bool {
    let wrong = [(words::FROZEN, &m::FROZEN_STATE), (words::GROUP, &m::GROUP_STATE)].map(|(name, message)| {
        let attr = find(attrs, name).filter(|_| find(attrs, words::STATE).is_some());
        attr.iter().for_each(|attr| diag.report(attr.path().span(), message, &[]));
        attr.is_some()
    });
    wrong.contains(&true)
}

/// The group that the attributes of the field say. Rule: it is one name. Wrong: `#[group("slow")]`, `#[group(slow, new)]`.
pub(super) fn group((diag, field): (&Diag, &str), attrs: &[Attribute]) -> Option<Ident> {
    let attr = find(attrs, words::GROUP)?;
    let (given, place) = match &attr.meta {
        Meta::Path(path) => (TokenStream::new(), path.span()),
        Meta::List(list) if list.tokens.is_empty() => (TokenStream::new(), list.path.span()),
        Meta::List(list) => (list.tokens.clone(), list.tokens.span()),
        Meta::NameValue(pair) => (quote::ToTokens::to_token_stream(&pair.value), pair.value.span()),
    };
    if let Ok(name) = attr.parse_args_with(Ident::parse_any)
        && name != "_"
    {
        return Some(name);
    }
    let (meant, more) = meant(given);
    let instead = match more {
        true => format!(
            "a field is in one group, and by itself an optimizer names it by its path, `.group(\"{field}\", ..)`"
        ),
        false => format!("what is set for it an optimizer says, `.group(\"{meant}\", ..)`"),
    };
    diag.report(place, &m::GROUP_FORM, &[&meant, &instead]);
    None
}

/// Rule: an optimizer names fields and groups alike, so that they have names of their own. Wrong: `#[group(norm)]` in a struct
/// with a field `norm`.
pub(super) fn apart(diag: &Diag, fields: &[Field]) {
    let is_field = |name: &str| fields.iter().any(|field| super::name(&field.name) == name);
    for group in fields.iter().filter_map(|field| field.group.as_ref()) {
        let name = super::name(group);
        if is_field(&name) {
            let mut other = format!("{name}_group");
            while is_field(&other) {
                other.push_str("_group");
            }
            diag.report(group.span(), &m::GROUP_FIELD, &[&name, &other]);
        }
    }
}

/// Rule: what is in a group may be stepped. Wrong: `#[group(slow)]` above a `Flatten`, a layer whose tensors are another's, or what is
/// frozen.
pub(super) fn stepped(diag: &Diag, fields: &[Field]) {
    for field in fields {
        let Some(group) = &field.group else { continue };
        let (place, name) = (group.span(), super::name(&field.name));
        match shared_alone(&field.kind) {
            _ if field.frozen => diag.report(place, &m::GROUP_FROZEN, &[]),
            Some(other) => diag.report(place, &m::GROUP_SHARED, &[&name, &other, &other]),
            None if has_none(&field.kind) => diag.report(place, &m::GROUP_EMPTY, &[&name]),
            None => {}
        }
    }
}

/// Whether it is certain that nothing in it is trained, whose-ever its tensors are.
fn has_none(kind: &FieldKind) -> bool {
    match kind {
        FieldKind::Layer(layer) => (layer.layer.tensors)(&layer.config.closed()).iter().all(|spec| !spec.trainable),
        kind => !kind.inner().is_empty() && kind.inner().iter().all(has_none),
    }
}

/// The field whose tensors a layer has, where it has no others that are trained.
fn shared_alone(kind: &FieldKind) -> Option<&String> {
    let FieldKind::Layer(layer) = kind else { return None };
    let own = layer.own_tensors(&layer.config.closed());
    layer.shared.as_ref().filter(|_| own.iter().all(|spec| !spec.trainable)).map(|shared| &shared.field)
}
