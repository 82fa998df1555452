//! How much one kernel may compute: drivers take more than twice as long to build a kernel that is twice as long, and registers do
//! not hold what a long one has in use. Loops that are unrolled would make kernels of thousands of operations.

use super::reading::{Reading, Readings};
use crate::graph::{BinaryOp, NodeId, Op};
use std::collections::BTreeSet;

/// The most that a kernel computes for an element, in additions, what it reads included. Layers and losses have a tenth of it;
/// a driver for processors builds so much in about a second.
pub(super) const MOST: u32 = 512;

/// What a tensor that is read or written counts.
pub(super) const TENSOR: u32 = 4;

/// What is computed where that is the cost of each node, and so many tensors are read and one is written.
pub(super) fn weight(costs: impl IntoIterator<Item = u32>, tensors: usize) -> u32 {
    let tensors = u32::try_from(tensors).unwrap_or(u32::MAX).saturating_add(1);
    costs.into_iter().fold(tensors.saturating_mul(TENSOR), u32::saturating_add)
}

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

/// The cost of one element of `op` itself, its operands being there.
pub(super) fn own_cost(op: &Op) -> u32 {
    match op {
        Op::Unary(op, _) => op.cost(),
        Op::Random { .. } => 24,
        Op::Binary(BinaryOp::Pow | BinaryOp::Atan2, ..) => 16,
        Op::View { .. } | Op::Reshape(_) | Op::Constant(_) | Op::Iota { .. } | Op::Size(_) => 0,
        _ => 1,
    }
}
