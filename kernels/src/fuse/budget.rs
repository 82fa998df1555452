//! How much one kernel may compute: drivers take more than twice as long to build a kernel that is twice as long, and registers do
//! not hold what a long one has in use. Loops that are unrolled would make kernels of thousands of operations.

use super::cost::own_cost;
use super::draft::Draft;
use super::reading::{Reading, Readings};
use crate::graph::{Graph, NodeId, Op};
use std::collections::BTreeSet;

/// The most that a kernel computes for an element, in additions, what it reads included. Layers and losses have a tenth of it;
/// a driver for processors builds so much in about a second.
pub(super) const MOST: u32 = 512;

/// What a tensor that is read or written counts.
const TENSOR: u32 = 4;

/// Only a part of a kernel that is at least this share of [`MOST`] is worth a kernel and memory of its own.
const SMALLEST_SHARE: u32 = 8;

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
    let mut tensors: BTreeSet<NodeId> = more.tensors.iter().copied().collect();
    for &member in members {
        let reading = readings.alone(member);
        nodes.extend(&reading.inlined);
        tensors.extend(&reading.tensors);
    }
    sum(readings.graph, &nodes, tensors.len() + members.len()) <= MOST
}

/// A node that divides what is computed for one member of a cluster, where that is too much for one kernel.
pub(super) fn too_large(readings: &mut Readings<'_>, draft: &Draft) -> Option<NodeId> {
    for part in &draft.parts {
        for &member in &part.members {
            let reading = readings.alone(member);
            if weight(readings.graph, &reading) > MOST {
                let cut = cut(readings.graph, member, &reading.inlined);
                if cut.is_some() {
                    return cut;
                }
            }
        }
    }
    None
}

/// Of `inlined`, which is computed for `member` and ascends, the node for which most is computed that still fits a kernel: pieces of
/// a chain that repeats are so equal.
fn cut(graph: &Graph, member: NodeId, inlined: &[NodeId]) -> Option<NodeId> {
    let computed = match graph[member].op {
        Op::Reduce { source, .. } => source,
        _ => member,
    };
    let elements = graph[computed].shape.elements().estimate();
    let mut before = 0u32;
    let first = inlined.iter().take_while(|id| {
        before = before.saturating_add(own_cost(&graph[**id].op));
        before + 2 * TENSOR <= MOST
    });
    let first: Vec<NodeId> = first.copied().collect();
    let mut best = None;
    for (position, &id) in first.iter().enumerate() {
        let node = &graph[id];
        // What is read at few places only would be computed at many.
        let fits = node.op.is_elementwise() && own_cost(&node.op) > 0 && node.shape.elements().estimate() <= elements;
        if !fits || id == computed {
            continue;
        }
        let own = closure(graph, &first, position);
        if own >= MOST / SMALLEST_SHARE && best.is_none_or(|(most, _)| own >= most) {
            best = Some((own, id));
        }
    }
    best.map(|(_, id)| id)
}

/// What is computed for the node at `position`, all of it among `nodes`, which ascend.
fn closure(graph: &Graph, nodes: &[NodeId], position: usize) -> u32 {
    let mut seen = vec![false; position + 1];
    let mut left = vec![position];
    let mut sum = 0u32;
    while let Some(at) = left.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        let op = &graph[nodes[at]].op;
        sum = sum.saturating_add(own_cost(op));
        op.visit_operands(|operand| left.extend(nodes[..at].binary_search(&operand)));
    }
    sum
}
