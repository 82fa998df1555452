//! What is known of a graph's nodes beside the graph.

use super::affine::Affine;
use super::value::ChosenWhole;
use netcl_kernels::graph::NodeId;
use netcl_kernels::ops::Position;
use std::collections::BTreeMap;

/// What is known of nodes beside the graph.
#[derive(Clone, Default)]
pub(super) struct Marks {
    /// Positions that are no sizes, `(t + 1) % T`, by what they are as numbers.
    pub(super) positions: BTreeMap<NodeId, Position>,
    /// What is computed of sizes alone, which is a float where nobody says what it is, as the whole number that it is.
    pub(super) exact: BTreeMap<NodeId, NodeId>,
    /// What stands for indices among numbers.
    pub(super) from_indices: BTreeMap<NodeId, Affine>,
    /// Whole numbers without a type that a branch has chosen, or an index from a list, in a kernel in index form.
    pub(super) chosen_wholes: BTreeMap<NodeId, ChosenWhole>,
    /// Operations of whole tensors that were called by their names alone, as functions are, by what they gave.
    pub(super) named: BTreeMap<NodeId, String>,
}
