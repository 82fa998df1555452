//! How much one kernel may compute: drivers take more than twice as long to build a kernel that is twice as long, and registers do
//! not hold what a long one has in use. Loops that are unrolled would make kernels of thousands of operations.

use super::price::{MOST, weight};
use super::reading::{Reading, Readings};
use crate::graph::NodeId;
use std::collections::BTreeSet;

/// What the members of a cluster compute and read together, what several of them need once; found out when it is first asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Together {
    nodes: BTreeSet<NodeId>,
    /// Read or written.
    tensors: BTreeSet<NodeId>,
    cost: u32,
    /// For each member that it is found out of, what that added.
    added: Vec<Added>,
}

#[derive(Clone, Debug)]
struct Added {
    nodes: Vec<NodeId>,
    tensors: Vec<NodeId>,
    /// What was computed before.
    cost: u32,
}

impl Together {
    /// Whether a kernel that computes `members` and what has the reading `more` stays small enough.
    pub(super) fn fits(&mut self, readings: &mut Readings<'_>, members: &[NodeId], more: &Reading) -> bool {
        for member in &members[self.added.len()..] {
            let reading = readings.alone(*member);
            if reading.weight > MOST {
                return false;
            }
            self.add(readings, *member, &reading);
        }
        if more.weight > MOST {
            return false;
        }
        let nodes = more.inlined.iter().filter(|id| !self.nodes.contains(id));
        let tensors = more.tensors.iter().filter(|id| !self.tensors.contains(id)).count();
        weight(nodes.map(|id| readings.own_cost(*id)).chain([self.cost]), self.tensors.len() + tensors) <= MOST
    }

    fn add(&mut self, readings: &Readings<'_>, member: NodeId, reading: &Reading) {
        let nodes: Vec<NodeId> = reading.inlined.iter().copied().filter(|id| self.nodes.insert(*id)).collect();
        let tensors = reading.tensors.iter().copied().chain([member]);
        let tensors = tensors.filter(|id| self.tensors.insert(*id)).collect();
        let cost = nodes.iter().fold(self.cost, |cost, id| cost.saturating_add(readings.own_cost(*id)));
        self.added.push(Added { nodes, tensors, cost: std::mem::replace(&mut self.cost, cost) });
    }

    /// Notes that there are only so many members any more, the first ones.
    pub(super) fn shorten(&mut self, members: usize) {
        while let Some(last) = (self.added.len() > members).then(|| self.added.pop()).flatten() {
            last.nodes.iter().for_each(|id| _ = self.nodes.remove(id));
            last.tensors.iter().for_each(|id| _ = self.tensors.remove(id));
            self.cost = last.cost;
        }
    }
}
