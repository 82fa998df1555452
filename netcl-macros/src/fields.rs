//! What fields are made of.

use crate::ast::{FieldKind, Nested};

impl FieldKind {
    /// Those that it is made of, where it is made of some.
    pub(crate) fn inner(&self) -> &[FieldKind] {
        match self {
            FieldKind::Many { each, .. } | FieldKind::Optional { each, .. } => std::slice::from_ref(each),
            FieldKind::Several { kinds, .. } => kinds,
            _ => &[],
        }
    }

    /// The models that it is of.
    pub(crate) fn models(&self) -> Vec<&Nested> {
        match self {
            FieldKind::Model(nested) => vec![nested],
            other => other.inner().iter().flat_map(FieldKind::models).collect(),
        }
    }

    /// The same, to change them.
    pub(crate) fn models_mut(&mut self) -> Vec<&mut Nested> {
        match self {
            FieldKind::Model(nested) => vec![nested],
            FieldKind::Many { each, .. } | FieldKind::Optional { each, .. } => each.models_mut(),
            FieldKind::Several { kinds, .. } => kinds.iter_mut().flat_map(FieldKind::models_mut).collect(),
            _ => Vec::new(),
        }
    }
}
