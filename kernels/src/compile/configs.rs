//! How what a division has to compute is computed: the survey's answers, which builders of steps heed.

use crate::graph::NodeId;
use crate::variant::KernelConfig;
use std::collections::{BTreeMap, BTreeSet};

/// How the clusters of a division are computed.
#[derive(Clone, Debug, Default)]
pub(super) struct ClusterConfigs {
    /// Products and convolutions by their node.
    pub nodes: BTreeMap<NodeId, KernelConfig>,
    /// Loops by their cluster.
    pub loops: BTreeMap<usize, KernelConfig>,
    /// Reductions that are to be made in two launches.
    pub in_parts: BTreeMap<NodeId, KernelConfig>,
    /// Maps that are to leave the kernel of their statistics.
    pub apart: BTreeSet<NodeId>,
}
