//! What is known of a graph's nodes beside the graph.

use super::affine::Affine;
use super::value::ChosenWhole;
use netcl_kernels::graph::NodeId;
use netcl_kernels::ops::Position;
use std::collections::BTreeMap;

/// What a whole number without a type is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Untyped {
    /// One that is written: of each type that holds it the same.
    Written,
    /// What sums, products and bits of such ones give: the same bits in each type of 32 bits.
    Computed,
}

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
    /// Whole numbers without a type that a branch has chosen in a function of scalars, and what is computed of them: held as `i32` until it
    /// is known what they meet.
    pub(super) untyped: BTreeMap<NodeId, Untyped>,
    /// Operations of whole tensors that were called by their names alone, as functions are, by what they gave.
    pub(super) named: BTreeMap<NodeId, String>,
}
