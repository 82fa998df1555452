//! `#[gradients(x)]` on a loss.

use super::{list, suggestion};
use crate::ast::{ArgType, FunctionItem};
use crate::diag::Diag;
use crate::messages as m;
use crate::parts::Composite;
use crate::words;
use proc_macro2::Ident;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Token};

/// Whether this is `#[gradients(..)]`.
pub(crate) fn is_gradients(attr: &Attribute) -> bool {
    attr.path().is_ident(words::GRADIENTS)
}

/// How many arguments it lists, whatever they are.
pub(crate) fn count(attrs: &[Attribute]) -> usize {
    let Some(given) = attrs.iter().find(|attr| is_gradients(attr)) else { return 0 };
    given.parse_args_with(Punctuated::<syn::Expr, Token![,]>::parse_terminated).map_or(0, |names| names.len())
}

/// Rule: the attribute lists names of arguments, once. Wrong: `#[gradients]`, `#[gradients(0)]`, `#[gradients(x, x)]`.
pub(super) fn asked(diag: &Diag, attrs: &[Attribute]) -> Vec<Ident> {
    let mut given = attrs.iter().filter(|attr| is_gradients(attr));
    let Some(first) = given.next() else { return Vec::new() };
    if let Some(second) = given.next() {
        diag.report(second.path().span(), &m::DUPLICATE_ATTRIBUTE, &[&words::GRADIENTS, &m::JOINED]);
    }
    let names = first.parse_args_with(Punctuated::<Ident, Token![,]>::parse_terminated);
    let place = |error: &syn::Error| match &first.meta {
        syn::Meta::List(given) if !given.tokens.is_empty() => error.span(),
        _ => first.path().span(),
    };
    match names {
        Ok(names) if !names.is_empty() => {
            let mut kept: Vec<Ident> = Vec::new();
            for name in names {
                match kept.contains(&name) {
                    true => diag.report(name.span(), &m::DUPLICATE_KEY, &[&name]),
                    false => kept.push(name),
                }
            }
            return kept;
        }
        Ok(_) => diag.report(first.path().span(), &m::GRADIENTS_FORM, &[]),
        Err(error) => diag.report(place(&error), &m::GRADIENTS_FORM, &[]),
    }
    Vec::new()
}

/// Rule: they are of a loss, in tensors of floats among its arguments. Wrong: `#[gradients(y)] fn loss(&self, x: ..)`.
pub(super) fn positions(diag: &Diag, function: &FunctionItem, asked: Vec<Ident>) -> Vec<usize> {
    let Some(first) = asked.first() else { return Vec::new() };
    if !function.is_loss() {
        diag.report(first.span(), &m::GRADIENTS_OF, &[&function.name, first]);
        return Vec::new();
    }
    let mut positions = Vec::new();
    for name in &asked {
        let tensor = function.tensors().position(|(own, _)| own == name);
        let dtype = function.tensors().find(|(own, _)| *own == name).map(|(_, ty)| ty.dtype);
        match (tensor, dtype) {
            (Some(position), Some(dtype)) if dtype.is_float() => positions.push(position),
            (_, Some(dtype)) => {
                diag.report(
                    name.span(),
                    &m::GRADIENTS_IN,
                    &[name, &dtype, &"leave it out: only floats have gradients"],
                );
            }
            _ => match function.args.iter().find(|arg| arg.name == *name).map(|arg| &arg.ty) {
                Some(ArgType::Scalar(dtype)) if dtype.is_float() => {
                    let instead = format!("pass it as a tensor without axes: `{name}: &Tensor<{dtype}>`");
                    diag.report(name.span(), &m::GRADIENTS_IN, &[name, &format!("a plain `{dtype}`"), &instead]);
                }
                Some(_) => {
                    let instead = "leave it out: only tensors of floats have gradients";
                    diag.report(name.span(), &m::GRADIENTS_IN, &[name, &"no tensor", &instead]);
                }
                None if function.params.iter().any(|param| is_named(&param.pattern, name)) => {
                    let of =
                        function.params.iter().find(|param| is_named(&param.pattern, name)).map(|param| &param.parts);
                    // In a struct there is no derivative as a whole.
                    let within = match of {
                        Some(Composite::Struct(_, fields)) => {
                            fields.first().map(|(field, _)| format!("&{name}.{field}")).unwrap_or_default()
                        }
                        _ => name.to_string(),
                    };
                    let instead = format!(
                        "pass its tensors as arguments of their own; or return `grad(&value, {within})` of a number in the body"
                    );
                    diag.report(name.span(), &m::GRADIENTS_IN, &[name, &"put together from several tensors", &instead]);
                }
                None => {
                    let own = name.to_string();
                    let known = || function.args.iter().map(|arg| super::name(&arg.name)).collect::<Vec<_>>();
                    let near = suggestion(&own, known().iter().map(String::as_str));
                    let all = list(known().iter().map(String::as_str));
                    diag.report(name.span(), &m::GRADIENTS_UNKNOWN, &[&function.name, name, &near, &all]);
                }
            },
        }
    }
    positions
}

fn is_named(pattern: &syn::Pat, name: &Ident) -> bool {
    matches!(pattern, syn::Pat::Ident(own) if own.ident == *name)
}
