//! States that a function reads and gives anew: whether the new value may lie where the old one is.

use super::program::Program;
use crate::fuse::{Kind, read_by};
use crate::graph::{InputKind, NodeId, Op, OutputKind};
use crate::plan::{Buffer, BufferId, Role};
use crate::schedule::Nest;
use std::collections::BTreeSet;

impl Program<'_> {
    /// The new values of states, computed by `clusters` in one launch, that may not lie where the old ones are.
    pub(super) fn apart(&self, clusters: &[usize]) -> Vec<BufferId> {
        let roots: BTreeSet<NodeId> = self.division.home.keys().copied().collect();
        let reads = |cluster: usize, id: NodeId| read_by(self.graph, self.division, cluster, &roots).contains(&id);
        let mut apart = Vec::new();
        for (kind, new) in &self.graph.outputs {
            let OutputKind::State(path) = kind else { continue };
            let home = self.division.home.get(new).filter(|home| clusters.contains(home));
            let old = self
                .graph
                .iter()
                .find(|(_, node)| matches!(node.op, Op::Input(InputKind::State)) && node.name == *path);
            let (Some(&home), Some((old, _))) = (home, old) else { continue };
            let safe = |cluster: usize| match &self.division.clusters[cluster].kind {
                _ if !reads(cluster, old) => true,
                Kind::Loop { .. } if cluster == home => {
                    Nest { graph: self.graph, division: self.division, cluster }.updates_in_place(old, *new)
                }
                _ => false,
            };
            if !clusters.iter().all(|&cluster| safe(cluster)) {
                apart.push(self.buffers.of(*new));
            }
        }
        apart
    }

    /// The names of buffers that may lie in one place with another: states and their new values, and arguments and
    /// results of one type and shape, since an optimizer writes its results over its arguments.
    pub(super) fn shared(&self) -> BTreeSet<String> {
        let buffers = &self.buffers.list;
        let replaces = |new: &Buffer, old: &Buffer| match (&new.role, &old.role) {
            (Role::Output(OutputKind::State(path)), Role::State(own)) => path == own,
            (Role::Output(OutputKind::Result(_)), Role::Argument(_)) => {
                new.dtype == old.dtype && new.shape == old.shape
            }
            _ => false,
        };
        let pairs = buffers.iter().flat_map(|new| buffers.iter().map(move |old| (new, old)));
        let shared = pairs.filter(|(new, old)| replaces(new, old));
        shared.flat_map(|(new, old)| [new.name.clone(), old.name.clone()]).collect()
    }
}
