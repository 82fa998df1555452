//! Rewrites that fusion relies on: operations without a kernel of their own become ones that have one.

use crate::decompose::written_out;
use crate::dim::{Dim, Shape, Symbol};
use crate::dtype::Literal;
use crate::graph::build::Builder;
use crate::graph::{Attention, AxisIndex, CompareOp, Graph, Node, NodeId, Op, ReduceOp};
use crate::span::Result;
use crate::target::Target;
use crate::template::attention::WIDEST;
use std::collections::BTreeSet;

/// The most rows for which a scatter-add is a sum over all updates for each row: one launch, fused with what makes the updates
/// and with what takes the rows.
const ROWS_BY_SUM: i64 = 8;

/// The same function with
/// - attention written out where no kernel of that target computes it;
/// - `ScatterAdd` into few rows, or of a single update, as a sum over all updates of those that hit the row, and of half precision as one of `f32`,
///   rounded once;
/// - what is given, in place of the same without its gradient: nothing is differentiated any more, and products read it where it lies;
/// - reductions without axes of one element, so that loops over the same elements are the same loop;
/// - on the host a product or convolution of half precision that is not rounded as one of `f32`, the type of its library's results;
/// - every output in a buffer of its own (an output that is an input, or another output, becomes a copy).
///
/// # Errors
///
/// A rewritten operation does not check, which those of a verified graph do.
pub(crate) fn legalize(graph: &Graph, target: Target) -> Result<Graph> {
    let written = written_out(graph, &|_, own| !has_kernel(graph, own, target))?;
    let graph = written.as_ref().map_or(graph, |(written, _)| written);
    let mut builder = Builder::new(&graph.name);
    let mut moved: Vec<NodeId> = Vec::with_capacity(graph.nodes.len());
    for (_, node) in graph.iter() {
        builder.set_span(node.span);
        let op = node.op.clone().map_operands(|operand| moved[operand.index()]);
        let new = match unrounded(&mut builder, op, node, target)? {
            Op::Cast(x) if matches!(builder.graph()[x].op, Op::Input(_)) && builder.dtype(x) == node.dtype => x,
            Op::ScatterAdd { indices, updates } => scatter_add(&mut builder, node, indices, updates)?,
            Op::Reduce { op, source, axes } => reduce(&mut builder, node, op, source, &axes)?,
            op => builder.push(op, node.shape.clone(), node.dtype),
        };
        builder.name(new, &node.name);
        moved.push(new);
    }
    let mut given = BTreeSet::new();
    for (kind, id) in &graph.outputs {
        let mut id = moved[id.index()];
        // Every output is a buffer of its own, and none is an input's.
        while matches!(builder.graph()[id].op, Op::Input(_)) || given.contains(&id) {
            let (shape, dtype) = (builder.shape(id).clone(), builder.dtype(id));
            id = builder.push(Op::Reshape(id), shape, dtype);
        }
        given.insert(id);
        builder.output(kind.clone(), id);
    }
    Ok(builder.finish())
}

/// Whether a kernel of the target computes such an attention: of numbers of 16 bits, whose rows have few and known elements.
fn has_kernel(graph: &Graph, attention: &Attention, target: Target) -> bool {
    let known = |width: &Dim| width.as_constant().is_some_and(|width| width % 8 == 0 && width <= WIDEST as i64);
    widths(graph, attention, target).is_some_and(|widths| widths.iter().all(known))
}

/// How many elements the rows of an attention have for which the target may have a kernel.
fn widths(graph: &Graph, attention: &Attention, target: Target) -> Option<[Dim; 2]> {
    let dtype = graph[attention.operands[0]].dtype;
    let sizes = graph.attention_sizes(attention).filter(|_| target == Target::Gpu && dtype.compute() != dtype)?;
    Some([sizes.width, sizes.value_width])
}

/// The symbols in whose place kernels of the target would have numbers: how many elements the rows of an attention have.
pub fn symbols_of_widths(graph: &Graph, target: Target) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    for (_, node) in graph.iter() {
        if let Op::Attention(attention) = &node.op {
            let widths = widths(graph, attention, target);
            widths.iter().flatten().for_each(|width| width.visit_symbols(&mut |symbol| symbols.push(symbol.clone())));
        }
    }
    symbols
}

/// The operation, of operands that a product's or convolution's result is not longer than where a library computes it.
fn unrounded(builder: &mut Builder, op: Op, node: &Node, target: Target) -> Result<Op> {
    let Some([a, b]) = op.factors().filter(|_| target == Target::Host) else { return Ok(op) };
    let (long_a, long_b) = (builder.cast(a, node.dtype)?, builder.cast(b, node.dtype)?);
    Ok(op.map_operands(|id| if id == a { long_a } else { long_b }))
}

/// The reduction, of what has no axes of one element but those that are reduced.
fn reduce(builder: &mut Builder, node: &Node, op: ReduceOp, source: NodeId, axes: &[usize]) -> Result<NodeId> {
    let whole = builder.shape(source).clone();
    let single: Vec<usize> = (0..whole.rank()).filter(|axis| !axes.contains(axis) && whole[*axis].is(1)).collect();
    if single.is_empty() {
        return Ok(builder.push(Op::Reduce { op, source, axes: axes.to_vec() }, node.shape.clone(), node.dtype));
    }
    let source = builder.squeezed(source, &single)?;
    let axes = axes.iter().map(|axis| axis - single.iter().filter(|one| *one < axis).count()).collect();
    let rows = Shape(node.shape.0.iter().filter(|size| !size.is(1)).cloned().collect());
    let reduced = builder.push(Op::Reduce { op, source, axes }, rows, node.dtype);
    builder.name(reduced, &node.name);
    let index = (0..node.shape.rank()).filter(|axis| !node.shape[*axis].is(1)).map(AxisIndex::axis).collect();
    builder.view(reduced, node.shape.clone(), index)
}

fn scatter_add(builder: &mut Builder, node: &Node, indices: NodeId, updates: NodeId) -> Result<NodeId> {
    let few_rows = node.shape[0].as_constant().is_some_and(|rows| rows <= ROWS_BY_SUM);
    // Also a number of the caller's, which lies in no memory.
    if few_rows || builder.shape(indices).elements().is(1) {
        return scatter_as_sum(builder, node, indices, updates);
    }
    let updates = builder.cast(updates, node.dtype.compute())?;
    let sums = builder.scatter_add(indices, updates, &node.shape)?;
    builder.cast(sums, node.dtype)
}

/// `out[r, rest] = sum_i (indices[i] == r ? updates[i, rest] : 0)`.
fn scatter_as_sum(builder: &mut Builder, node: &Node, indices: NodeId, updates: NodeId) -> Result<NodeId> {
    let index_shape = builder.shape(indices).clone();
    let index_rank = index_shape.rank();
    let rest = node.shape.rank() - 1;
    // Space: rows, rest.., indices..
    let space = Shape(node.shape.0.iter().chain(&index_shape.0).cloned().collect());
    let at_indices = |axis: usize| AxisIndex::axis(1 + rest + axis);
    let dtype = builder.dtype(indices);
    let index = builder.view(indices, space.clone(), (0..index_rank).map(at_indices).collect())?;
    let row = builder.iota(&space, 0, dtype)?;
    let hit = builder.compare(CompareOp::Eq, index, row)?;
    let coordinates = (0..index_rank).map(at_indices).chain((0..rest).map(|axis| AxisIndex::axis(1 + axis)));
    let update = builder.view(updates, space.clone(), coordinates.collect())?;
    let zero = builder.push(Op::Constant(Literal::of(0.0, node.dtype)), space.clone(), node.dtype);
    let chosen = builder.select(hit, update, zero)?;
    let axes: Vec<usize> = (1 + rest..space.rank()).collect();
    builder.reduce(ReduceOp::Sum, chosen, &axes, false)
}
