//! Which variant each enum of layers in a model is.

use super::{Model, ModelCore};

/// What asks a model which variants its parts are: what chooses the way through a function.
#[derive(Clone, Copy)]
pub struct Variants<'m>(Option<(&'m ModelCore, &'m str)>);

impl<'m> Variants<'m> {
    /// Of the parts of a model.
    pub fn of(model: &'m impl Model) -> Variants<'m> {
        Variants::under(model.core(), model.prefix())
    }

    /// Of the parts whose paths start with a prefix.
    pub fn under(core: &'m ModelCore, prefix: &'m str) -> Variants<'m> {
        Variants(Some((core, prefix)))
    }

    /// Of no model: a function without one asks for none.
    pub fn none() -> Variants<'m> {
        Variants(None)
    }

    /// Whether the part at `path`, empty for the model itself, is that variant.
    #[must_use]
    pub fn is(&self, path: &str, variant: &str) -> bool {
        self.0.and_then(|(core, prefix)| core.variant_of(prefix, path)).is_some_and(|own| own == variant)
    }
}
