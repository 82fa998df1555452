//! What products, convolutions and scatter-adds read and write: operands in memory or computed by prologues, results through
//! epilogues.

use super::access::{self, Trace, is_anchor, is_scalar, rows, table, trace};
use crate::dim::{Dim, Shape};
use crate::graph::{Attention, ConvKind, ConvNode, ConvShapes, Graph, NodeId, Op};
use crate::index::{self, Index};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Operands that a kernel reads through pointers and strides unless a prologue computes them.
pub(crate) fn memory_operands(op: &Op) -> Vec<NodeId> {
    match op {
        Op::Gather { source, .. } => vec![*source],
        Op::ScatterAdd { indices, updates } => vec![*indices, *updates],
        Op::Custom { kernel, operands, .. } => {
            let tensors = kernel.inputs.iter().zip(operands).filter(|(input, _)| input.shape.is_some());
            tensors.map(|(_, operand)| *operand).collect()
        }
        Op::Scan { operands, .. } | Op::Attention(Attention { operands, .. }) => operands.clone(),
        op => op.factors().map_or_else(Vec::new, Vec::from),
    }
}

/// The node that must lie in memory for `op` to read `operand`; none if what it reads lies there anyway.
///
/// A product reads through strides, so that a view of something computed asks for what it is a view of.
pub(super) fn memory_root(graph: &Graph, op: &Op, operand: NodeId, roots: &BTreeSet<NodeId>) -> Option<NodeId> {
    let mut base = lies_in(graph, op, operand);
    if matches!(op, Op::MatMul(..)) || is_matrix(op, operand) {
        let moved = |op: &Op| matches!(op, Op::View { .. } | Op::Reshape(_));
        let in_place = |id: NodeId| roots.contains(&id) || !(moved(&graph[id].op) || is_scalar(&graph[id].op));
        if let Some((source, _)) = strided(graph, operand, &in_place)
            .filter(|(_, address)| !is_matrix(op, operand) || has_whole_rows(graph, operand, address))
            && (in_memory_anyway(graph, source) || worth_whole(graph, operand, source))
        {
            base = source;
        }
    }
    (!roots.contains(&base) && !in_memory_anyway(graph, base)).then_some(base)
}

/// The node in whose memory `operand` lies for `op` where nothing else is chosen.
pub(super) fn lies_in(graph: &Graph, op: &Op, operand: NodeId) -> NodeId {
    match op {
        Op::Gather { .. } => rows(graph, operand).table,
        _ => table(graph, operand),
    }
}

/// Whether `op` is an attention that reads `operand` as rows of a matrix, which lie anywhere.
fn is_matrix(op: &Op, operand: NodeId) -> bool {
    matches!(op, Op::Attention(own) if own.operands[..own.kind.matrices()].contains(&operand))
}

/// Whether neighbours in a row of `operand` are neighbours at that address.
fn has_whole_rows(graph: &Graph, operand: NodeId, address: &Index) -> bool {
    address.coefficient(graph[operand].shape.rank() - 1).is_some_and(|stride| stride.is(1))
}

/// Whether a kernel of its own, or the caller, puts `id` into memory.
fn in_memory_anyway(graph: &Graph, id: NodeId) -> bool {
    is_anchor(&graph[id].op) && !is_scalar(&graph[id].op)
}

/// Whether computing all of `source` for its view `part` costs little more than computing the view.
fn worth_whole(graph: &Graph, part: NodeId, source: NodeId) -> bool {
    let (part, whole) = (graph[part].shape.elements(), graph[source].shape.elements());
    // Slices of one tensor are usually all used: queries, keys and values of one product.
    part.exact_div(&whole).is_some() || whole.exact_div(&part).and_then(|n| n.as_constant()).is_some_and(|n| n <= 4)
}

/// The stored node whose memory `id` is, elements in the same order.
fn contiguous_base(graph: &Graph, id: NodeId, stored: &dyn Fn(NodeId) -> bool) -> Option<NodeId> {
    if stored(id) || in_memory_anyway(graph, id) {
        return Some(id);
    }
    match graph[id].op {
        Op::Reshape(source) => contiguous_base(graph, source, stored),
        _ => None,
    }
}

/// `id` as a strided view of a stored node: that node and the affine address of an element of `id`.
fn strided(graph: &Graph, id: NodeId, stored: &dyn Fn(NodeId) -> bool) -> Option<(NodeId, Index)> {
    let extents = graph[id].shape.0.clone();
    let mut at = id;
    let mut coordinates: Rc<[Index]> = (0..extents.len()).map(Index::var).collect();
    loop {
        if stored(at) || in_memory_anyway(graph, at) {
            let address = index::flatten(&coordinates, &graph[at].shape);
            return address.is_affine().then_some((at, address));
        }
        if !matches!(graph[at].op, Op::View { .. } | Op::Reshape(_)) {
            return None;
        }
        let operand = access::operands(graph, at, &coordinates, &extents).remove(0);
        if !operand.guards.is_empty() {
            return None;
        }
        (at, coordinates) = (operand.node, operand.coordinates);
    }
}

/// The stored node that `op`, a product, convolution or scatter-add, reads `operand` from, and the affine address there of an element
/// of `operand`. None if the operand is computed: by a prologue.
pub(crate) fn in_memory(
    graph: &Graph,
    op: &Op,
    operand: NodeId,
    stored: &dyn Fn(NodeId) -> bool,
) -> Option<(NodeId, Index)> {
    if matches!(op, Op::MatMul(..)) {
        return strided(graph, operand, stored);
    }
    if is_matrix(op, operand)
        && let Some(found) =
            strided(graph, operand, stored).filter(|(_, address)| has_whole_rows(graph, operand, address))
    {
        return Some(found);
    }
    // Convolutions compute offsets from the sizes of images and weights.
    let own: Vec<Index> = (0..graph[operand].shape.rank()).map(Index::var).collect();
    let base = contiguous_base(graph, operand, stored)?;
    Some((base, index::flatten(&own, &graph[operand].shape)))
}

/// What `op`, a product, convolution or scatter-add, reads: the memory behind its operands, or what their prologues read.
pub(super) fn product_reads(graph: &Graph, op: &Op, stored: &dyn Fn(NodeId) -> bool) -> Vec<NodeId> {
    let mut reads = Vec::new();
    for operand in memory_operands(op) {
        match in_memory(graph, op, operand, stored) {
            Some((base, _)) => reads.push(base),
            None => reads.extend(prologue_trace(graph, operand, stored).leaves.into_iter().map(|leaf| leaf.node)),
        }
    }
    reads
}

/// What computing an element of `operand` in place reads and evaluates, over the operand's own coordinates.
pub(super) fn prologue_trace(graph: &Graph, operand: NodeId, stored: &dyn Fn(NodeId) -> bool) -> Trace {
    let shape = &graph[operand].shape;
    let coordinates: Vec<Index> = (0..shape.rank()).map(Index::var).collect();
    let stops = |id: NodeId| stored(id) || is_anchor(&graph[id].op);
    trace(graph, operand, &coordinates, &shape.0, &stops, false)
}

/// The sizes of a matrix product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Extents {
    /// Independent products; the groups of a convolution.
    pub batch: Dim,
    /// Rows of the left operand and of the result.
    pub m: Dim,
    /// Columns of the right operand and of the result.
    pub n: Dim,
    /// Terms of a sum.
    pub k: Dim,
}

/// The matrix product that the product or convolution `id` is.
///
/// A convolution's left operand is the weight, or the output's gradient where the weight's gradient is wanted; its right
/// one holds an element of the image for every tap of the filter.
pub(crate) fn extents(graph: &Graph, id: NodeId) -> Extents {
    let own = &graph[id].shape;
    if let Op::MatMul(a, _) = graph[id].op {
        let rank = own.rank();
        return Extents {
            batch: Shape(own.0[..rank - 2].to_vec()).elements(),
            m: own[rank - 2].clone(),
            n: own[rank - 1].clone(),
            k: graph[a].shape[rank - 1].clone(),
        };
    }
    let Some((ConvNode { kind, geometry, .. }, shapes)) = graph.conv(id) else {
        unreachable!("{:?} is no product", graph[id].op)
    };
    let ConvShapes { input, weight, output } = shapes;
    let image = |shape: &Shape| shape[0].clone() * shape[2].clone() * shape[3].clone();
    let taps = weight[2].clone() * weight[3].clone();
    let (m, n, k) = match kind {
        ConvKind::Forward => (output[1].floor_div(geometry.groups), image(output), weight[1].clone() * taps),
        ConvKind::InputGrad => {
            (input[1].floor_div(geometry.groups), image(input), output[1].floor_div(geometry.groups) * taps)
        }
        ConvKind::WeightGrad => (weight[0].floor_div(geometry.groups), weight[1].clone() * taps, image(output)),
    };
    Extents { batch: Dim::constant(geometry.groups as i64), m, n, k }
}

/// The coordinates of `id` at which the element of `product` at its own coordinates ends up, following elementwise
/// nodes, permutations and reshapes; `None` if `id` does not lie on such a path, or if `product` is a scatter-add, which adds
/// to an element as often as an update hits it, or a user's kernel, which writes whatever it wants.
pub(crate) fn epilogue_coordinates(graph: &Graph, product: NodeId, id: NodeId) -> Option<Vec<Index>> {
    if matches!(graph[product].op, Op::ScatterAdd { .. } | Op::Attention(_) | Op::Custom { .. } | Op::Scan { .. }) {
        return None;
    }
    let extents = &graph[product].shape.0;
    let mut at: BTreeMap<NodeId, Vec<Index>> = BTreeMap::new();
    at.insert(product, (0..extents.len()).map(Index::var).collect());
    for position in between(graph, product, id) {
        let node = &graph[position];
        let coordinates = match &node.op {
            Op::Reshape(source) => {
                at.get(source).map(|c| index::reshape(c, &graph[*source].shape, &node.shape, extents))
            }
            Op::View { source, index } => at.get(source).and_then(|c| {
                // A permutation, possibly with axes of size 1 added or dropped.
                let mut out = vec![None; node.shape.rank()];
                for (axis, index) in index.iter().enumerate() {
                    match index.as_axis() {
                        Some(own) if graph[*source].shape[axis] == node.shape[own] => out[own] = Some(c[axis].clone()),
                        _ if graph[*source].shape[axis].is(1) && index.terms.is_empty() => {}
                        _ => return None,
                    }
                }
                out.into_iter()
                    .enumerate()
                    .map(|(axis, c)| c.or_else(|| node.shape[axis].is(1).then(Index::default)))
                    .collect()
            }),
            op if op.is_elementwise() => op.operands().into_iter().find_map(|o| at.get(&o).cloned()),
            _ => None,
        };
        if let Some(coordinates) = coordinates {
            at.insert(position, coordinates);
        }
    }
    at.remove(&id)
}

/// The nodes behind `product` that may lie on a path from it to `id`, ascending.
fn between(graph: &Graph, product: NodeId, id: NodeId) -> BTreeSet<NodeId> {
    let mut between = BTreeSet::new();
    let mut left = vec![id];
    while let Some(node) = left.pop() {
        let op = &graph[node].op;
        let path = op.is_elementwise() || matches!(op, Op::View { .. } | Op::Reshape(_));
        if node > product && path && between.insert(node) {
            op.visit_operands(|operand| left.push(operand));
        }
    }
    between
}
