//! What a graph is divided into.

use crate::dim::{Dim, Shape};
use crate::graph::NodeId;
use crate::index::Index;
use std::collections::{BTreeMap, BTreeSet};

/// What a cluster iterates over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClusterKind {
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
    /// Attention or one of its gradients, alone, with all of its results.
    Attention(NodeId),
    /// A user's kernel, alone, with all of its results.
    Custom(NodeId),
    /// A loop, alone, with all of its results.
    Scan(NodeId),
}

/// Nodes computed by one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cluster {
    /// What it iterates over.
    pub kind: ClusterKind,
    /// Reductions and elementwise roots it computes, in topological order (the product itself included).
    pub members: Vec<NodeId>,
    /// Clusters it reads from.
    pub reads: BTreeSet<usize>,
    /// Every node outside itself, and every member, that it reads from memory, ascending.
    pub operands: Vec<NodeId>,
}

/// A division of a graph into clusters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Division {
    /// In order of creation; see [`Division::order`] for one in which reads come first.
    pub clusters: Vec<Cluster>,
    /// Which cluster computes an anchor or root.
    pub home: BTreeMap<NodeId, usize>,
    /// Members that other clusters or the caller read from memory.
    pub stored: BTreeSet<NodeId>,
    /// Where stored nodes begin in their buffers, if not at the beginning: what a round of a loop leaves behind.
    pub starts: BTreeMap<NodeId, Dim>,
}

impl Division {
    /// Where the stored node `id` begins in its buffer.
    pub(crate) fn start(&self, id: NodeId) -> Index {
        self.starts.get(&id).map_or_else(Index::default, |start| Index::constant(start.clone()))
    }

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
    pub stored: BTreeSet<NodeId>,
    /// Maps that no kernel with reductions computes.
    pub apart: BTreeSet<NodeId>,
}
