//! What functions say of themselves: `#[mode(..)]`, `#[precision(..)]` and `#[matmul_precision(..)]`.

use crate::diag::Diag;
use crate::messages as m;
use netcl_kernels::layers::Mode;
use netcl_kernels::precision::{MatmulPrecision, Precision};
use proc_macro2::Ident;
use syn::Attribute;
use syn::spanned::Spanned;

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
        diag.report(word.map_or(first.path().span(), |word| word.span()), wrong, &[]);
    }
    value
}

/// Rule: a mode and a precision are said of models' functions, what these call having theirs. Wrong: `#[mode(training)]` on a kernel.
pub(crate) fn only_of_models(diag: &Diag, attrs: &[Attribute]) {
    for attr in attrs {
        if is_mode(attr) {
            diag.report(attr.path().span(), &m::MODE, &[]);
        } else if is_matmul_precision(attr) {
            diag.report(attr.path().span(), &m::MATMUL_PRECISION, &[]);
        } else if is_precision(attr) {
            diag.report(attr.path().span(), &m::PRECISION, &[]);
        }
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
