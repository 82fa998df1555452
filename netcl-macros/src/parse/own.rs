//! A field's attributes, and the keys that are not a layer's.

use super::attr;
use crate::diag::Diag;
use crate::messages as m;
use crate::words;
use syn::Attribute;
use syn::spanned::Spanned;

/// Which attribute is for what.
pub(super) const ATTRIBUTES_ARE: &str = "`#[layer]` is for layers, `#[parameter]` and `#[state]` for `Tensor<..>`, `#[constant]` for numbers, \
                                         `#[frozen]` for what would be trained without it, `#[group]` for what optimizers step by settings \
                                         of its own";

/// Which of our attributes this is.
pub(crate) fn helper(attr: &Attribute) -> Option<&'static str> {
    words::FIELD_ATTRIBUTES.into_iter().find(|name| attr.path().is_ident(name))
}

/// The attribute of that name.
pub(super) fn find<'a>(attrs: &'a [Attribute], name: &str) -> Option<&'a Attribute> {
    attrs.iter().find(|attr| attr.path().is_ident(name))
}

/// The key that is of what a layer or a model stands in, a `Vec` or an `Option`, and what receives its value.
pub(super) type OwnKey<'k> = Option<(&'static str, &'k mut Option<syn::Expr>)>;

/// Takes out the key of what the field stands in; where it stands in nothing of that kind, that is reported.
pub(super) fn own_keys(diag: &Diag, pairs: &mut attr::Pairs, mut own: OwnKey<'_>, name: &str) {
    for key in [words::COUNT, words::PRESENT] {
        let Some(given) = pairs.take(key) else { continue };
        match &mut own {
            Some((wanted, value)) if *wanted == key => **value = Some(given),
            _ if key == words::COUNT => diag.report(given.span(), &m::COUNT_WITHOUT_VEC, &[&name]),
            _ => diag.report(given.span(), &m::PRESENT_WITHOUT_OPTION, &[&name]),
        }
    }
}
