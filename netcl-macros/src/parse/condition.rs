//! Attributes by which rustc decides what is there, `#[cfg(..)]` and `#[cfg_attr(..)]`: macros see them before it has.

use super::{attr, text};
use crate::diag::Diag;
use crate::messages::{self as m, Message};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Token};

/// Rule: what is compiled is known to be there. Wrong: `#[cfg(test)] hidden: Linear` in a model, whose size in memory
/// follows before anybody looks at the condition.
pub(crate) fn decided(diag: &Diag, attrs: &[Attribute], message: &Message) {
    for attr in attrs.iter().filter(|attr| is_condition(attr)) {
        match added(attr).first().filter(|_| attr.path().is_ident("cfg_attr")) {
            // What a condition in it adds is one.
            Some(added) if !added.path().is_ident("cfg") => diag.report(attr.span(), &m::CFG_ATTR, &[&text(added)]),
            _ => diag.report(attr.span(), message, &[&text(attr.path())]),
        }
    }
}

/// Whether rustc decides by it what is there.
pub(crate) fn is_condition(attr: &Attribute) -> bool {
    attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr")
}

/// Whether a condition adds what changes nothing, as `#[cfg_attr(test, allow(unused))]` does.
pub(crate) fn adds_notes(attr: &Attribute) -> bool {
    let added = added(attr);
    attr.path().is_ident("cfg_attr") && !added.is_empty() && added.iter().all(|added| attr::is_note_path(added.path()))
}

/// What `#[cfg_attr(condition, attribute)]` adds.
fn added(attr: &Attribute) -> Vec<syn::Meta> {
    let parts = attr.parse_args_with(Punctuated::<syn::Meta, Token![,]>::parse_terminated);
    parts.into_iter().flatten().skip(1).collect()
}
