//! Where what is too much for one kernel is divided.

use super::cost::computed;
use super::draft::Draft;
use super::price::{MOST, TENSOR, own_cost};
use super::reading::Readings;
use crate::graph::{Graph, NodeId};

/// Only a part of a kernel that is at least this share of [`MOST`] is worth a kernel and memory of its own.
const SMALLEST_SHARE: u32 = 8;

/// A node that divides what is computed for one member of a cluster, where that is too much for one kernel.
pub(super) fn too_large(readings: &mut Readings<'_>, draft: &Draft) -> Option<NodeId> {
    for part in &draft.parts {
        for &member in &part.members {
            let reading = readings.alone(member);
            if reading.weight > MOST {
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
    let computed = computed(graph, member);
    let elements = graph[computed].shape.elements().estimate();
    let mut before = 0u32;
    let first = inlined.iter().take_while(|id| {
        before = before.saturating_add(own_cost(&graph[**id].op));
        before + 2 * TENSOR <= MOST
    });
    let first: Vec<NodeId> = first.copied().collect();
    let mut best: Option<(u32, NodeId)> = None;
    // For none is more computed than for it and all before it: of a chain the last that fits ends the search.
    let mut at_most: u32 = first.iter().map(|id| own_cost(&graph[*id].op)).fold(0, u32::saturating_add);
    for (position, &id) in first.iter().enumerate().rev() {
        if best.is_some_and(|(most, _)| most >= at_most) {
            break;
        }
        let node = &graph[id];
        at_most = at_most.saturating_sub(own_cost(&node.op));
        // What is read at few places only would be computed at many.
        let fits = node.op.is_elementwise() && own_cost(&node.op) > 0 && node.shape.elements().estimate() <= elements;
        if !fits || id == computed {
            continue;
        }
        let own = closure(graph, &first, position);
        if own >= MOST / SMALLEST_SHARE && best.is_none_or(|(most, _)| own > most) {
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
