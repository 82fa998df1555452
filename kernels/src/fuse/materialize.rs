//! What is materialized, stored once instead of computed wherever it is needed.

use super::cost::{cheaper_as_one, recomputed_too_dearly};
use super::draft::Draft;
use super::memory::read_too_often;
use super::pieces::too_large;
use super::reading::Readings;
use crate::graph::NodeId;
use crate::target::Target;

/// Nodes that are better stored, ascending; others may be when these are.
pub(super) fn to_materialize(readings: &mut Readings<'_>, target: Target, draft: &Draft) -> Vec<NodeId> {
    let mut stored = read_too_often(readings, target, draft);
    if stored.is_empty() {
        stored = recomputed_too_dearly(readings, target, draft);
    }
    if stored.is_empty() {
        stored.extend(cheaper_as_one(readings, draft).or_else(|| too_large(readings, draft)));
    }
    stored
}
