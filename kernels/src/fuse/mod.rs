//! Fusion: which nodes are computed together in one kernel.
//!
//! Elementwise nodes, views and reshapes belong to no kernel: whoever needs them computes them in place. What is
//! divided into [`Cluster`]s are the *anchors* (reductions, products, convolutions, scatter-adds) and the *roots* (nodes whose values
//! must lie in memory). Two rules make a division legal:
//!
//! 1. A cluster reads its own members only at the coordinates at which it is about to compute or has computed them.
//! 2. The clusters, with an arrow for every other read, have no cycle.
//!
//! A loop may compute whatever has its elements, or one for each of its rows; axes of one element do not matter.
//!
//! Everything else is a question of profit; the result is the same for every division but for the order of float sums.

pub(crate) mod access;
mod budget;
pub(crate) mod bundle;
pub(crate) mod cost;
mod dependencies;
mod division;
mod draft;
pub(crate) mod legalize;
mod loops;
mod materialize;
pub(crate) mod member;
mod memory;
mod pieces;
mod places;
mod price;
pub(crate) mod product;
mod prologue;
mod reading;
mod repeats;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_plain;

pub(crate) use division::{Cluster, ClusterKind, Constraints, Division};

use crate::graph::{Graph, NodeId};
use crate::target::Target;
use access::is_anchor;
use draft::Draft;
use materialize::to_materialize;
use product::{memory_operands, memory_root};
use reading::Readings;
use std::collections::BTreeSet;

/// Divides `graph` (made legal by [`legalize`]) for `target`.
pub(crate) fn divide(graph: &Graph, target: Target, constraints: &Constraints) -> Division {
    divide_by(&mut Readings::new(graph, &given_roots(graph, constraints)), target, constraints)
}

/// Nodes that lie in memory by themselves: outputs, what was asked for, and what products, gathers and scatter-adds read through
/// pointers.
fn given_roots(graph: &Graph, constraints: &Constraints) -> BTreeSet<NodeId> {
    let mut roots: BTreeSet<NodeId> = graph.outputs.iter().map(|(_, id)| *id).collect();
    roots.extend(constraints.stored.iter().copied().filter(|id| !is_anchor(&graph[*id].op)));
    for (_, node) in graph.iter() {
        for operand in memory_operands(&node.op) {
            roots.extend(memory_root(graph, &node.op, operand, &roots));
        }
    }
    repeats::store(graph, &mut roots);
    roots
}

/// Divides by the roots of `readings` and those that follow from them.
fn divide_by(readings: &mut Readings<'_>, target: Target, constraints: &Constraints) -> Division {
    let mut draft = Draft::new(readings, target, constraints);
    loop {
        let stored = to_materialize(readings, target, &draft);
        let Some(first) = stored.first() else {
            return prologue::fuse(readings, target, constraints, draft).finish(readings);
        };
        stored.iter().for_each(|root| readings.set_root(*root, true));
        draft.renew(*first, readings, target, constraints);
    }
}
