//! What computing again costs against what memory costs, in additions; what a cluster computes in all.

use super::access::{is_anchor, trace};
use super::{Division, Kind};
use crate::dim::Dim;
use crate::graph::{BinaryOp, Graph, NodeId, Op};
use crate::index::Index;
use std::collections::{BTreeMap, BTreeSet};

/// Roughly the cost of reading one element from memory, in additions.
pub(super) const READ: u32 = 40;

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

/// The operand of a reduction that is a function of several values of one other cluster, each of which would have to be
/// stored for it: storing the one operand instead is less. (The rows of a loss, before their mean.)
pub(super) fn cheaper_as_one(graph: &Graph, division: &Division) -> Option<NodeId> {
    let stops = |id: NodeId| division.home.contains_key(&id) || is_anchor(&graph[id].op);
    division.home.keys().find_map(|&id| {
        let Op::Reduce { source, .. } = graph[id].op else { return None };
        if stops(source) || matches!(graph[source].op, Op::View { .. } | Op::Reshape(_)) {
            return None;
        }
        let shape = &graph[source].shape;
        let coordinates: Vec<Index> = (0..shape.rank()).map(Index::var).collect();
        let leaves = trace(graph, source, &coordinates, &shape.0, &stops, false).leaves;
        let full = leaves.iter().filter(|leaf| leaf.coordinates == coordinates && !leaf.indirect);
        let mut homes = BTreeMap::new();
        full.filter_map(|leaf| division.home.get(&leaf.node)).for_each(|home| *homes.entry(home).or_insert(0) += 1);
        let other = homes.iter().any(|(home, count)| *count > 1 && Some(*home) != division.home.get(&id));
        other.then_some(source)
    })
}

/// A node that several clusters compute again although reading it would be cheaper.
pub(super) fn recomputed_too_dearly(graph: &Graph, division: &Division) -> Option<NodeId> {
    let mut visitors: BTreeMap<NodeId, BTreeSet<usize>> = BTreeMap::new();
    let stops = |id: NodeId| division.home.contains_key(&id) || is_anchor(&graph[id].op);
    for (position, cluster) in division.clusters.iter().enumerate() {
        for &member in &cluster.members {
            let (root, through) = match graph[member].op {
                Op::Reduce { source, .. } => (source, false),
                _ => (member, true),
            };
            let shape = &graph[root].shape;
            let coordinates: Vec<Index> = (0..shape.rank()).map(Index::var).collect();
            for (node, _) in trace(graph, root, &coordinates, &shape.0, &stops, through).inlined {
                visitors.entry(node).or_default().insert(position);
            }
        }
    }
    let mut cost: BTreeMap<NodeId, u32> = BTreeMap::new();
    let mut worst = None;
    for (id, node) in graph.iter() {
        if stops(id) {
            continue;
        }
        let mut sum = own_cost(&node.op);
        node.op.visit_operands(|operand| sum += cost.get(&operand).copied().unwrap_or(2));
        cost.insert(id, sum);
        let shared = visitors.get(&id).is_some_and(|visitors| visitors.len() > 1);
        if shared && sum > READ && node.shape.rank() > 0 && !matches!(node.op, Op::View { .. } | Op::Reshape(_)) {
            worst = Some(id);
        }
    }
    worst
}

/// Floating-point operations of a cluster: one for each node it evaluates, for each element.
pub(crate) fn flops(graph: &Graph, division: &Division, cluster: usize) -> Dim {
    let own = &division.clusters[cluster];
    match &own.kind {
        Kind::MatMul(id) => {
            let Op::MatMul(a, _) = graph[*id].op else { unreachable!("a product") };
            let depth = graph[a].shape.0.last().cloned().unwrap_or_default();
            graph[*id].shape.elements() * depth * Dim::constant(2)
        }
        Kind::Conv(id) => {
            let Some((_, shapes)) = graph.conv(*id) else { unreachable!("a convolution") };
            let taps = shapes.weight.0[1..].iter().cloned().fold(Dim::constant(2), |product, dim| product * dim);
            shapes.output.elements() * taps
        }
        Kind::Loop { space, .. } => {
            let stops = |id| division.home.get(&id).is_some_and(|home| *home != cluster) || is_anchor(&graph[id].op);
            let mut count = 0;
            for &member in &own.members {
                let (root, through) = match graph[member].op {
                    Op::Reduce { source, .. } => (source, false),
                    _ => (member, true),
                };
                let shape = &graph[root].shape;
                let coordinates: Vec<Index> = (0..shape.rank()).map(Index::var).collect();
                let inlined = trace(graph, root, &coordinates, &shape.0, &stops, through).inlined;
                count += inlined.iter().filter(|(id, _)| graph[*id].op.is_elementwise()).count() as i64;
                count += i64::from(root != member);
            }
            space.elements() * Dim::constant(count)
        }
    }
}
