//! Fusion: which nodes are computed together in one kernel.
//!
//! Elementwise nodes, views and reshapes belong to no kernel: whoever needs them computes them in place. What is
//! divided into [`Cluster`]s are the *anchors* (reductions, products, convolutions, scatter-adds) and the *roots* (nodes whose values
//! must lie in memory). Two rules make a division legal:
//!
//! 1. A cluster reads its own members only at the coordinates at which it is about to compute or has computed them.
//! 2. The clusters, with an arrow for every other read, have no cycle.
//!
//! Everything else is a question of profit; the result is the same for every division but for the order of float sums.

pub(crate) mod access;
pub(crate) mod bundle;
pub(crate) mod cost;
mod draft;
pub(crate) mod legalize;
mod loops;
mod needs;
pub(crate) mod product;
mod prologue;
mod reading;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_plain;

use crate::dim::Shape;
use crate::graph::{Graph, NodeId};
use crate::sorted::{SortedMap, SortedSet};
use crate::target::Target;
use access::is_anchor;
use cost::{cheaper_as_one, recomputed_too_dearly};
use draft::Draft;
use product::{memory_operands, memory_root};
use reading::Readings;

/// What a cluster iterates over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Loops over `space`; the axes in `reduced` run innermost and are reduced (none: a plain map).
    Loop {
        /// Every axis.
        space: Shape,
        /// Ascending.
        reduced: Vec<usize>,
    },
    /// A matrix product and elementwise work on its result.
    MatMul(NodeId),
    /// One of the three convolutions and elementwise work on its result.
    Conv(NodeId),
    /// A scatter-add, alone: a row of its result is done only when all updates have been seen.
    Scatter(NodeId),
}

/// Nodes computed by one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cluster {
    /// What it iterates over.
    pub kind: Kind,
    /// Reductions and elementwise roots it computes, in topological order (the product itself included).
    pub members: Vec<NodeId>,
    /// Clusters it reads from.
    pub reads: SortedSet<usize>,
    /// Every node outside itself, and every member, that it reads from memory, ascending.
    pub operands: Vec<NodeId>,
}

/// A division of a graph into clusters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Division {
    /// In order of creation; see [`Division::order`] for one in which reads come first.
    pub clusters: Vec<Cluster>,
    /// Which cluster computes an anchor or root.
    pub home: SortedMap<NodeId, usize>,
    /// Members that other clusters or the caller read from memory.
    pub stored: SortedSet<NodeId>,
}

impl Division {
    /// The clusters in an order in which each comes after what it reads.
    pub(crate) fn order(&self) -> Vec<usize> {
        let reads = |cluster: usize| (cluster, self.clusters[cluster].reads.iter());
        let mut order = Vec::with_capacity(self.clusters.len());
        let mut seen = vec![false; self.clusters.len()];
        // Those that wait for what they read, each after the one that wants it; deep models have long chains of them.
        let mut waiting = Vec::new();
        for first in 0..self.clusters.len() {
            if !std::mem::replace(&mut seen[first], true) {
                waiting.push(reads(first));
            }
            while let Some((cluster, rest)) = waiting.last_mut() {
                match rest.find(|&&read| !std::mem::replace(&mut seen[read], true)) {
                    Some(&read) => waiting.push(reads(read)),
                    None => {
                        order.push(*cluster);
                        waiting.pop();
                    }
                }
            }
        }
        order
    }
}

/// What a division keeps to besides its own rules: how a variant was chosen to be computed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Constraints {
    /// Nodes that lie in memory, whatever computing them again would cost.
    pub stored: SortedSet<NodeId>,
    /// Maps that no kernel with reductions computes.
    pub apart: SortedSet<NodeId>,
}

/// Divides `graph` (made legal by [`legalize`]) for `target`.
pub(crate) fn divide(graph: &Graph, target: Target, constraints: &Constraints) -> Division {
    divide_by(&mut Readings::new(graph, &given_roots(graph, constraints)), target, constraints)
}

/// Nodes that lie in memory by themselves: outputs, what was asked for, and what products, gathers and scatter-adds read through
/// pointers.
fn given_roots(graph: &Graph, constraints: &Constraints) -> SortedSet<NodeId> {
    let mut roots: SortedSet<NodeId> = graph.outputs.iter().map(|(_, id)| *id).collect();
    roots.extend(constraints.stored.iter().copied().filter(|id| !is_anchor(&graph[*id].op)));
    for (_, node) in graph.iter() {
        for operand in memory_operands(&node.op) {
            roots.extend(memory_root(graph, &node.op, operand, &roots));
        }
    }
    roots
}

/// Divides by the roots of `readings` and those that follow from them.
fn divide_by(readings: &mut Readings<'_>, target: Target, constraints: &Constraints) -> Division {
    let mut draft = Draft::new(readings, target, constraints);
    loop {
        let better = recomputed_too_dearly(readings, &draft).or_else(|| cheaper_as_one(readings, &draft));
        let Some(root) = better else { return prologue::fuse(readings, target, constraints, draft).finish(readings) };
        readings.set_root(root, true);
        draft.renew(root, readings, target, constraints);
    }
}
