//! How much one kernel may compute: drivers take more than twice as long to build a kernel that is twice as long, and registers do
//! not hold what a long one has in use. Loops that are unrolled would make kernels of thousands of operations.

use super::reading::{Reading, Readings};
use crate::graph::{BinaryOp, Graph, NodeId, Op};
use std::collections::BTreeSet;

/// The most that a kernel computes for an element, in additions, what it reads included. Layers and losses have a tenth of it;
/// a driver for processors builds so much in about a second.
pub(super) const MOST: u32 = 512;

/// What a tensor that is read or written counts.
pub(super) const TENSOR: u32 = 4;

/// What is computed for what has that reading.
pub(super) fn weight(graph: &Graph, reading: &Reading) -> u32 {
    sum(graph, &reading.inlined, reading.tensors.len())
}

fn sum<'n>(graph: &Graph, nodes: impl IntoIterator<Item = &'n NodeId>, tensors: usize) -> u32 {
    let tensors = u32::try_from(tensors).unwrap_or(u32::MAX).saturating_add(1);
    let start = tensors.saturating_mul(TENSOR);
    nodes.into_iter().fold(start, |sum, id| sum.saturating_add(own_cost(&graph[*id].op)))
}

/// Whether a kernel that computes `members` and what has the reading `more` stays small enough. What several of them need is computed
/// once.
pub(super) fn fits(readings: &mut Readings<'_>, members: &[NodeId], more: &Reading) -> bool {
    let mut nodes: BTreeSet<NodeId> = more.inlined.iter().copied().collect();
    let mut tensors: BTreeSet<NodeId> = more.tensors.iter().chain(members).copied().collect();
    for &member in members {
        let reading = readings.alone(member);
        nodes.extend(&reading.inlined);
        tensors.extend(&reading.tensors);
    }
    sum(readings.graph, &nodes, tensors.len()) <= MOST
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
