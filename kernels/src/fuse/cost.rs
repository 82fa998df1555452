//! What computing again costs against what memory costs, in additions; what a cluster computes in all.

use super::access::{is_anchor, trace};
use super::division::{ClusterKind, Division};
use super::draft::Draft;
use super::price::{READ, own_cost};
use super::reading::Readings;
use crate::dim::{Dim, Shape};
use crate::graph::{AttentionKind, Graph, NodeId, Op};
use crate::index::Index;
use crate::target::Target;
use std::collections::BTreeSet;

/// The operand of a reduction that is a function of several values of one other cluster, each of which would have to be
/// stored for it: storing the one operand instead is less. (The rows of a loss, before their mean.)
pub(super) fn cheaper_as_one(readings: &mut Readings<'_>, draft: &Draft) -> Option<NodeId> {
    let graph = readings.graph;
    graph.iter().find_map(|(id, node)| {
        let Op::Reduce { source, .. } = node.op else { return None };
        if readings.stops(source) || matches!(graph[source].op, Op::View { .. } | Op::Reshape(_)) {
            return None;
        }
        let reading = readings.alone(id);
        let mut homes: Vec<usize> =
            reading.leaves.iter().filter(|leaf| leaf.whole).filter_map(|leaf| draft.home(leaf.node)).collect();
        homes.sort();
        let own = draft.home(id);
        homes.windows(2).any(|pair| pair[0] == pair[1] && Some(pair[0]) != own).then_some(source)
    })
}

/// Nodes that several clusters compute again although reading them would be cheaper, ascending. Several at a time, as each division takes
/// its time: the last of them, and before it those that no member computes which computes one that is stored already. Why they are to be
/// stored hardly changes by that.
pub(super) fn recomputed_too_dearly(readings: &mut Readings<'_>, target: Target, draft: &Draft) -> Vec<NodeId> {
    let graph = readings.graph;
    let mut met = vec![MetNode::default(); graph.nodes.len()];
    for (position, part) in draft.parts.iter().enumerate() {
        for &member in &part.members {
            let computed = readings.elements(computed(graph, member));
            for &node in &readings.alone(member).inlined {
                if !readings.is_dear(node) {
                    continue;
                }
                let own = &mut met[node.index()];
                own.repeated |= readings.elements(node) < computed;
                own.by.push((position, member));
            }
        }
    }
    // Patches of an image, say, have each of its elements several times.
    let is_dear = |id: NodeId| {
        target != Target::Gpu
            || met[id.index()].repeated
            || cost_of_expression(graph, id, &|id| readings.stops(id)) > READ
    };
    let nodes = graph.iter().map(|(id, _)| id);
    let dear: Vec<NodeId> = nodes.filter(|id| met[id.index()].is_shared() && is_dear(*id)).collect();
    let mut stored = Vec::new();
    // What is computed for a member together with one of them.
    let mut beside_stored = vec![false; graph.nodes.len()];
    for node in dear.into_iter().rev() {
        if beside_stored[node.index()] {
            continue;
        }
        stored.push(node);
        for (_, member) in &met[node.index()].by {
            readings.alone(*member).inlined.iter().for_each(|id| beside_stored[id.index()] = true);
        }
    }
    stored.reverse();
    stored
}

/// Who computes a node.
#[derive(Clone, Default)]
struct MetNode {
    /// The positions of clusters, ascending, each with the member for which it computes the node.
    by: Vec<(usize, NodeId)>,
    /// Whether for more elements than it has.
    repeated: bool,
}

impl MetNode {
    /// Whether several clusters do.
    fn is_shared(&self) -> bool {
        self.by.first().map(|(cluster, _)| cluster) != self.by.last().map(|(cluster, _)| cluster)
    }
}

/// Whose elements a member of a cluster computes: a reduction those that it reduces.
pub(super) fn computed(graph: &Graph, member: NodeId) -> NodeId {
    match graph[member].op {
        Op::Reduce { source, .. } => source,
        _ => member,
    }
}

/// What an element of `id` costs from what lies in memory on, each node of its expression counted once: sums over operands count those
/// that several nodes use as often as they do, as a processor pays for values that its few registers do not hold.
pub(super) fn cost_of_expression(graph: &Graph, id: NodeId, stops: &dyn Fn(NodeId) -> bool) -> u32 {
    let mut seen = BTreeSet::new();
    let mut ahead = vec![id];
    let mut sum = 0;
    while let Some(id) = ahead.pop().filter(|_| sum <= READ) {
        if !seen.insert(id) {
            continue;
        }
        if stops(id) {
            sum += 2;
            continue;
        }
        sum += own_cost(&graph[id].op);
        graph[id].op.visit_operands(|operand| ahead.push(operand));
    }
    sum
}

/// Floating-point operations of a cluster: one for each node it evaluates, for each element.
pub(crate) fn flops(graph: &Graph, division: &Division, cluster: usize) -> Dim {
    let own = &division.clusters[cluster];
    match &own.kind {
        ClusterKind::MatMul(id) => {
            let Op::MatMul(a, _) = graph[*id].op else { unreachable!("a product") };
            let depth = graph[a].shape.0.last().cloned().unwrap_or_default();
            graph[*id].shape.elements() * depth * Dim::constant(2)
        }
        ClusterKind::Conv(id) => {
            let Some((_, shapes)) = graph.conv(*id) else { unreachable!("a convolution") };
            let taps = shapes.weight.0[1..].iter().cloned().fold(Dim::constant(2), |product, dim| product * dim);
            shapes.output.elements() * taps
        }
        ClusterKind::Scatter(id) => match graph[*id].op {
            // An addition for each element of the updates.
            Op::ScatterAdd { updates, .. } => graph[updates].shape.elements(),
            _ => unreachable!("a scatter-add"),
        },
        // Products of each query with each key, and of their weights with values.
        ClusterKind::Attention(id) => attention_flops(graph, *id),
        // Of loops whose ends only the kernel knows nobody can tell; its step says what is known.
        ClusterKind::Custom(_) | ClusterKind::Scan(_) => Dim::default(),
        ClusterKind::Loop { space, .. } => {
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

/// A forward pass has two products; the query's gradient three, that of keys and values four. Causal ones have half of each.
fn attention_flops(graph: &Graph, id: NodeId) -> Dim {
    let Op::Attention(attention) = &graph[id].op else { unreachable!("an attention") };
    let Some(sizes) = graph.attention_sizes(attention) else { return Dim::default() };
    let pairs = Shape(sizes.batch).elements() * sizes.queries * sizes.keys;
    let [of_width, of_values] = match attention.kind {
        AttentionKind::Forward => [1, 1],
        AttentionKind::QueryGrad => [2, 1],
        AttentionKind::KeyValueGrad => [2, 2],
    };
    let each = sizes.width * Dim::constant(of_width) + sizes.value_width * Dim::constant(of_values);
    pairs * each * Dim::constant(if attention.causal { 1 } else { 2 })
}
