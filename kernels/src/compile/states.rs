//! States that a function reads and gives anew: whether the new value may lie where the old one is.

use super::buffers::Buffers;
use crate::fuse::{ClusterKind, Division};
use crate::graph::{Graph, InputKind, NodeId, Op, OutputKind};
use crate::plan::{Buffer, BufferId, Role};
use crate::schedule::Nest;
use std::collections::{BTreeMap, BTreeSet};

/// The states of `graph` that it gives anew, each with its new value, in the order of the outputs.
pub(super) fn states(graph: &Graph) -> Vec<(NodeId, NodeId)> {
    let states = graph.iter().filter(|(_, node)| matches!(node.op, Op::Input(InputKind::State)));
    let states: BTreeMap<&str, NodeId> = states.map(|(id, node)| (node.name.as_str(), id)).collect();
    let outputs = graph.outputs.iter().filter_map(|(kind, new)| match kind {
        OutputKind::State(path) => Some((*states.get(path.as_str())?, *new)),
        _ => None,
    });
    outputs.collect()
}

/// The new values of `states`, computed by `clusters` in one launch, that may not lie where the old ones are.
pub(super) fn not_in_place(
    graph: &Graph,
    division: &Division,
    buffers: &Buffers,
    states: &[(NodeId, NodeId)],
    clusters: &[usize],
) -> Vec<BufferId> {
    let reads = |cluster: usize, id: NodeId| division.clusters[cluster].operands.binary_search(&id).is_ok();
    let mut not_in_place = Vec::new();
    for &(old, new) in states {
        let home = division.home.get(&new).filter(|home| clusters.contains(home));
        let Some(&home) = home else { continue };
        let safe = |cluster: usize| match &division.clusters[cluster].kind {
            _ if !reads(cluster, old) => true,
            ClusterKind::Loop { .. } if cluster == home => Nest { graph, division, cluster }.updates_in_place(old, new),
            _ => false,
        };
        if !clusters.iter().all(|&cluster| safe(cluster)) {
            not_in_place.push(buffers.of(new));
        }
    }
    not_in_place
}

/// The names of `buffers` that may lie in one place with another: states and their new values, and arguments and results
/// of one type and shape, since an optimizer writes its results over its arguments.
pub(super) fn shared(buffers: &[Buffer]) -> BTreeSet<String> {
    let replaces = |new: &Buffer, old: &Buffer| match (&new.role, &old.role) {
        (Role::Output(OutputKind::State(path)), Role::State(own)) => path == own,
        (Role::Output(OutputKind::Result(_)), Role::Argument(_)) => new.dtype == old.dtype && new.shape == old.shape,
        _ => false,
    };
    let outputs = buffers.iter().filter(|buffer| matches!(buffer.role, Role::Output(_)));
    let inputs = || buffers.iter().filter(|buffer| matches!(buffer.role, Role::State(_) | Role::Argument(_)));
    let pairs = outputs.flat_map(|new| inputs().map(move |old| (new, old)));
    let shared = pairs.filter(|(new, old)| replaces(new, old));
    shared.flat_map(|(new, old)| [new.name.clone(), old.name.clone()]).collect()
}
