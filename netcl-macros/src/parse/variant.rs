//! `#[layer(variant = Gelu)]`: which variant a field is whose type is an enum of layers.

use super::{attr, own, text};
use crate::ast::{FieldKind, Form, Nested};
use crate::diag::Diag;
use crate::{messages as m, words};
use proc_macro2::{Ident, Literal};
use quote::quote;
use syn::spanned::Spanned;
use syn::{Attribute, Expr};

/// Takes the key's value out of a field's attributes. A list says how long a `Vec` is.
pub(super) fn take(attrs: &mut Vec<Attribute>, is_vec: bool) -> Option<Expr> {
    let silent = Diag::new();
    let mut found = None;
    attrs.retain_mut(|attribute| {
        if own::helper(attribute) != Some(words::LAYER) {
            return true;
        }
        let mut pairs = attr::pairs(&silent, attribute);
        let Some(value) = pairs.take(words::VARIANT) else { return true };
        let mut given: Vec<_> = pairs.given.iter().map(|(key, value)| quote!(#key = #value)).collect();
        if let (Expr::Array(list), true) = (&value, is_vec && pairs.given.iter().all(|(key, _)| key != words::COUNT)) {
            let (key, count) = (Ident::new(words::COUNT, list.span()), Literal::usize_unsuffixed(list.elems.len()));
            given.push(quote!(#key = #count));
        }
        found = Some(value);
        if let syn::Meta::List(list) = &mut attribute.meta {
            list.tokens = quote!(#(#given),*);
        }
        !given.is_empty()
    });
    silent.dismiss();
    found
}

/// The field of that kind with its variant, or, in a list, each with its own.
pub(super) fn fixed((diag, field): (&Diag, &str), kind: FieldKind, value: &Expr) -> Option<FieldKind> {
    let refused = |given: &Expr| {
        diag.report(given.span(), &m::VARIANT_KEY, &[&text(given), &field]);
        None
    };
    match (kind, value) {
        (FieldKind::Many { each, count, vec }, Expr::Array(list)) => {
            let length = list.elems.len();
            match count.as_constant() {
                Some(count) if usize::try_from(count) == Ok(length) => {}
                Some(count) => {
                    diag.report(list.span(), &m::KEY_LIST_LENGTH, &[&words::VARIANT, &length, &field, &count]);
                    return None;
                }
                None => {
                    diag.report(list.span(), &m::KEY_LIST_OPEN, &[&words::VARIANT, &count, &length]);
                    return None;
                }
            }
            let kinds = list.elems.iter().map(|value| fixed((diag, field), (*each).clone(), value));
            let kinds = kinds.collect::<Option<Vec<_>>>()?;
            Some(FieldKind::Several { kinds, form: if vec { Form::Vec } else { Form::Array } })
        }
        (FieldKind::Many { each, count, vec }, value) => {
            Some(FieldKind::Many { each: Box::new(fixed((diag, field), *each, value)?), count, vec })
        }
        (FieldKind::Optional { each, present }, value) => {
            Some(FieldKind::Optional { each: Box::new(fixed((diag, field), *each, value)?), present })
        }
        (FieldKind::Model(nested), value) => match named(value) {
            Some(variant) => Some(FieldKind::Model(Nested { variant: Some(variant), ..nested })),
            // `"Gelu"`, `[Gelu, Relu]`.
            None => match value {
                Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(name), .. }) => {
                    diag.report(value.span(), &m::VARIANT_NAME, &[&text(value), &name.value()]);
                    None
                }
                Expr::Array(list) if !list.elems.is_empty() => {
                    diag.report(value.span(), &m::VARIANT_NAME, &[&text(value), &text(&list.elems[0])]);
                    None
                }
                _ => refused(value),
            },
        },
        (_, value) => refused(value),
    }
}

/// The variant that a key names: `Act::Gelu`, `Gelu`.
fn named(expr: &syn::Expr) -> Option<Ident> {
    match expr {
        syn::Expr::Path(path) => path.path.segments.last().map(|last| last.ident.clone()),
        syn::Expr::Paren(inner) => named(&inner.expr),
        syn::Expr::Group(inner) => named(&inner.expr),
        _ => None,
    }
}
