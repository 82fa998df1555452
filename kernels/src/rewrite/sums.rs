//! Products as sums, which loops compute.

use crate::dim::Shape;
use crate::dtype::DType;
use crate::fuse::access::{is_anchor, trace};
use crate::graph::build::Builder;
use crate::graph::{AxisIndex, BinaryOp, Graph, NodeId, Op, ReduceOp};
use crate::index::{self, Index};
use crate::span::Result;
use std::collections::BTreeSet;

/// The same graph with a sum in place of each product, and the nodes that these read and that are to lie in memory, because each of
/// their elements is read for many sums.
pub(crate) fn as_sums(graph: &Graph) -> Result<(Graph, BTreeSet<NodeId>)> {
    let mut builder = Builder::new(&graph.name);
    let mut moved: Vec<NodeId> = Vec::with_capacity(graph.nodes.len());
    let mut stored = BTreeSet::new();
    for (_, node) in graph.iter() {
        builder.set_span(node.span);
        let new = match node.op.clone().map_operands(|operand| moved[operand.index()]) {
            Op::MatMul(a, b) => {
                stored.extend([a, b].into_iter().filter_map(|operand| computed(builder.graph(), operand)));
                sum(&mut builder, [a, b], &node.shape, node.dtype)?
            }
            op => builder.push(op, node.shape.clone(), node.dtype),
        };
        builder.name(new, &node.name);
        moved.push(new);
    }
    for (kind, id) in &graph.outputs {
        builder.output(kind.clone(), moved[id.index()]);
    }
    let (graph, places) = builder.finish_with_places();
    Ok((graph, stored.into_iter().filter_map(|id| places[id.index()]).collect()))
}

/// What the operand of a product is a view of, if that is computed by a map.
fn computed(graph: &Graph, mut id: NodeId) -> Option<NodeId> {
    while let Op::View { source, .. } | Op::Reshape(source) = graph[id].op {
        id = source;
    }
    let op = &graph[id].op;
    (op.is_elementwise() && !op.operands().is_empty()).then_some(id)
}

/// `sum(a[.., m, k] * b[.., k, n])`, the innermost axis being that along which `b` lies in one piece.
fn sum(builder: &mut Builder, [a, b]: [NodeId; 2], own: &Shape, dtype: DType) -> Result<NodeId> {
    let rank = own.rank();
    let depth = builder.shape(b)[rank - 2].clone();
    // Where the axis of the terms stands, and the columns.
    let (k, n) = if along_columns(builder.graph(), b) { (rank - 1, rank) } else { (rank, rank - 1) };
    let mut space = own.0.clone();
    space.insert(k, depth);
    let space = Shape(space);
    let batch = || (0..rank - 2).map(AxisIndex::axis);
    let rows = batch().chain([rank - 2, k].map(AxisIndex::axis)).collect();
    let columns = batch().chain([k, n].map(AxisIndex::axis)).collect();
    let computed = builder.dtype(a).compute();
    let (a, b) = (builder.cast(a, computed)?, builder.cast(b, computed)?);
    let a = builder.view(a, space.clone(), rows)?;
    let b = builder.view(b, space, columns)?;
    let terms = builder.binary(BinaryOp::Mul, a, b)?;
    let sum = builder.reduce(ReduceOp::Sum, terms, &[k], false)?;
    builder.cast(sum, dtype)
}

/// Whether what a product's right operand reads lies in one piece along its columns, rather than along its rows.
fn along_columns(graph: &Graph, b: NodeId) -> bool {
    let shape = &graph[b].shape;
    let coordinates: Vec<Index> = (0..shape.rank()).map(Index::var).collect();
    let leaves = trace(graph, b, &coordinates, &shape.0, &|id| is_anchor(&graph[id].op), true).leaves;
    let addresses: Vec<Index> =
        leaves.iter().map(|leaf| index::flatten(&leaf.coordinates, &graph[leaf.node].shape)).collect();
    let along =
        |axis: usize| addresses.iter().filter(|address| address.coefficient(axis).is_some_and(|c| c.is(1))).count();
    along(shape.rank() - 1) >= along(shape.rank() - 2)
}
