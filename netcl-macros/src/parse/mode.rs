//! What functions say of themselves: `#[mode(..)]`, `#[precision(..)]` and `#[matmul_precision(..)]`.

use crate::diag::Diag;
use crate::messages as m;
use netcl_kernels::layers::Mode;
use netcl_kernels::precision::{MatmulPrecision, Precision};
use proc_macro2::{Ident, Span, TokenStream};
use syn::spanned::Spanned;
use syn::{Attribute, Meta};

/// Rule: a function's mode is one of two, said once. Wrong: `#[mode(train)] fn forward(..)`.
pub(super) fn mode(diag: &Diag, attrs: &[Attribute]) -> Option<Mode> {
    let known = |word: &str| match word {
        "training" => Some(Mode::Training),
        "inference" => Some(Mode::Inference),
        _ => None,
    };
    word(diag, attrs, crate::words::MODE, known, &m::MODE)
}

/// Rule: products have one of three precisions, said once. Wrong: `#[matmul_precision(bf16)] fn forward(..)`.
pub(super) fn matmul_precision(diag: &Diag, attrs: &[Attribute]) -> MatmulPrecision {
    let attribute = crate::words::MATMUL_PRECISION;
    word(diag, attrs, attribute, MatmulPrecision::parse, &m::MATMUL_PRECISION).unwrap_or_default()
}

/// Rule: activations have one of three types, said once. Wrong: `#[precision(half)] fn forward(..)`.
pub(super) fn precision(diag: &Diag, attrs: &[Attribute]) -> Option<Precision> {
    word(diag, attrs, crate::words::PRECISION, Precision::parse, &m::PRECISION)
}

/// What the word in `#[attribute(word)]` says, where that is given; `wrong` is reported of one that is not known.
fn word<T>(
    diag: &Diag,
    attrs: &[Attribute],
    attribute: &str,
    known: impl Fn(&str) -> Option<T>,
    wrong: &m::Message,
) -> Option<T> {
    let mut given = attrs.iter().filter(|attr| attr.path().is_ident(attribute));
    let first = given.next()?;
    if let Some(second) = given.next() {
        diag.report(second.path().span(), &m::DUPLICATE_ATTRIBUTE, &[&attribute, &m::ONE_OF_THEM]);
    }
    let word = first.parse_args::<Ident>();
    let value = word.as_ref().ok().and_then(|word| known(&word.to_string()));
    if value.is_none() {
        let (place, found) = given_instead(first);
        diag.report(place, wrong, &[&found]);
    }
    value
}

/// Where the attribute says something else than a word that is known, and what that is, as the end of a message.
fn given_instead(attr: &Attribute) -> (Span, String) {
    let given = match &attr.meta {
        Meta::Path(_) => TokenStream::new(),
        Meta::List(list) => list.tokens.clone(),
        // The word may be the right one.
        Meta::NameValue(_) => return (attr.path().span(), format!(", found `#[{}]`", super::text(&attr.meta))),
    };
    match given.is_empty() {
        true => (attr.path().span(), ", and this says nothing".to_string()),
        false => (given.span(), format!(", found `{}`", super::text(&given))),
    }
}

/// Rule: a mode and a precision are said of models' functions, what these call having theirs. Wrong: `#[mode(training)]` on a kernel.
pub(crate) fn only_of_models<'a>(diag: &Diag, attrs: impl IntoIterator<Item = &'a Attribute>) {
    let instead = "above a function of a model, in its `impl` block";
    for attr in attrs.into_iter().filter(|attr| is_said(attr) || is_dynamic(attr)) {
        diag.report(attr.path().span(), &m::STRAY_ATTRIBUTE, &[&super::text(attr.path()), &instead]);
    }
}

/// Rule: they are said of functions that are compiled. Wrong: `#[precision(bf16)] pub fn half(&self, k: f32) -> f32`.
pub(super) fn only_of_compiled(diag: &Diag, f: &syn::ImplItemFn) {
    for attr in f.attrs.iter().filter(|attr| is_said(attr)) {
        let why = match f.attrs.iter().any(is_dynamic) {
            true => "its tensors have no sizes",
            false => "it makes a model, or has no tensor in its signature",
        };
        let instead = match is_precision(attr) {
            true => {
                "put it on the functions that this calls; `netcl::autocast(Precision::Bf16, || ..)` around a call is the same for \
                     what is computed at run time"
            }
            false => "put it on the functions that this calls, whose signatures have tensors with sizes",
        };
        let name = super::text(attr.path());
        diag.report(attr.path().span(), &m::ORDINARY_ATTRIBUTE, &[&name, &f.sig.ident, &why, &instead]);
    }
}

/// Whether this is said of how a function is compiled.
fn is_said(attr: &Attribute) -> bool {
    is_mode(attr) || is_matmul_precision(attr) || is_precision(attr)
}

/// Rule: `#[netcl::dynamic]` says all, once. Wrong: `#[netcl::dynamic(yes)]`.
pub(super) fn dynamic(diag: &Diag, attrs: &[Attribute]) {
    let mut given = attrs.iter().filter(|attr| is_dynamic(attr));
    let first = given.next();
    if let Some(second) = given.next() {
        diag.report(second.path().span(), &m::DUPLICATE_ATTRIBUTE, &[&super::text(second.path()), &m::ONE_OF_THEM]);
    }
    if let Some(first) = first.filter(|first| !matches!(first.meta, Meta::Path(_))) {
        let (place, _) = given_instead(first);
        diag.report(place, &m::NO_ARGUMENTS, &[&"dynamic", &"dynamic"]);
    }
}

/// The attribute; one that is nearly `#[mode(..)]` is reported and taken for it, and a mode alone is left out.
pub(super) fn attr_meant(diag: &Diag, attr: &Attribute) -> Option<Attribute> {
    let mut attr = attr.clone();
    if let Some(word) = ["training", "inference"].into_iter().find(|word| attr.path().is_ident(word)) {
        diag.report(attr.path().span(), &m::MODE_ALONE, &[&word, &word]);
        return None;
    }
    super::attr::meant(diag, &mut attr, &crate::words::FUNCTION_ATTRIBUTES, &m::FUNCTION_ATTRIBUTE);
    Some(attr)
}

/// Whether this is `#[matmul_precision(..)]`.
pub(super) fn is_matmul_precision(attr: &Attribute) -> bool {
    attr.path().is_ident(crate::words::MATMUL_PRECISION)
}

/// Whether this is `#[precision(..)]`.
pub(super) fn is_precision(attr: &Attribute) -> bool {
    attr.path().is_ident(crate::words::PRECISION)
}

/// Whether this is `#[mode(..)]`.
pub(super) fn is_mode(attr: &Attribute) -> bool {
    attr.path().is_ident(crate::words::MODE)
}

/// Whether this is `#[netcl::dynamic]`.
pub(crate) fn is_dynamic(attr: &Attribute) -> bool {
    attr.path().segments.last().is_some_and(|segment| segment.ident == crate::words::DYNAMIC)
}
