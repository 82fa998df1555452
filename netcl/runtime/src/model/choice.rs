//! A part of a model that is one of several.

use super::paths::under;

/// A part of a model that is one of several: where it is, what it may be, and what it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    pub(crate) path: String,
    /// The variants, each with the fields that it alone has.
    pub(crate) variants: Vec<(&'static str, &'static [&'static str])>,
    pub(crate) chosen: usize,
    /// Whether the field that holds it says which it is.
    pub(crate) fixed: bool,
}

impl Choice {
    /// The name of what it is.
    pub(crate) fn name(&self) -> &'static str {
        self.variants.get(self.chosen).map_or("", |(name, _)| name)
    }

    /// Its variants, for a message.
    pub(crate) fn names(&self) -> String {
        self.variants.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    }

    /// Whether what lies at `path` belongs to a variant that it is not.
    pub(crate) fn leaves_out(&self, path: &str) -> bool {
        let Some(rest) = under(&self.path, path) else { return false };
        let own = |field: &str| under(field, rest).is_some();
        let others = self.variants.iter().enumerate().filter(|(position, _)| *position != self.chosen);
        others.flat_map(|(_, (_, fields))| *fields).any(|field| own(field))
    }
}
