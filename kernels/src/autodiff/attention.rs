//! Gradients of attention, and attention written out.

use super::gradients;
use super::rules::RequestedGradients;
use super::sweep::found;
use crate::dim::Shape;
use crate::dtype::DType;
use crate::graph::build::{Builder, attention_meaning};
use crate::graph::{Attention, AttentionKind, BinaryOp, Graph, InputKind, Node, NodeId, Op, OutputKind, ReduceOp};
use crate::precision::{MatmulPrecision, with_matmul_precision};
use crate::span::Result;
use std::collections::BTreeMap;

/// The cotangents of the operands of `id`, `attention`, that are wanted, given those of its results.
pub(super) fn contributions(
    builder: &mut Builder,
    id: NodeId,
    attention: &Attention,
    given: &[Option<NodeId>],
    wanted: &RequestedGradients<'_>,
) -> Result<Vec<(NodeId, NodeId)>> {
    if given.iter().all(Option::is_none) || !attention.operands.iter().any(|operand| wanted.has(*operand)) {
        return Ok(Vec::new());
    }
    match (attention.kind, attention.operands.as_slice()) {
        // What is asked of `lse` comes from gradients of gradients.
        (AttentionKind::Forward, &[q, k, v]) if matches!(given, [_] | [_, None]) => {
            forward(builder, (id, attention.causal), [q, k, v], given, wanted)
        }
        _ => again(builder, id, attention, given, wanted),
    }
}

/// By nodes of the two gradients, which compute the weights again.
fn forward(
    builder: &mut Builder,
    (id, causal): (NodeId, bool),
    [q, k, v]: [NodeId; 3],
    given: &[Option<NodeId>],
    wanted: &RequestedGradients<'_>,
) -> Result<Vec<(NodeId, NodeId)>> {
    let (shape, dtype, own) = (builder.shape(id).clone(), builder.dtype(id), builder.dtype(q));
    let rows = Shape(shape.0[..shape.rank() - 1].to_vec());
    let lse = builder.push(Op::CustomResult { call: id, result: 1 }, rows, dtype.compute());
    let g = given[0].unwrap_or_else(|| builder.full(0.0, &shape, dtype));
    let (long_g, out) = (builder.cast(g, dtype.compute())?, builder.cast(id, dtype.compute())?);
    let product = builder.binary(BinaryOp::Mul, long_g, out)?;
    let delta = builder.reduce(ReduceOp::Sum, product, &[shape.rank() - 1], false)?;
    let operands = vec![q, k, v, builder.cast(g, own)?, lse, delta];
    let mut results = Vec::new();
    let mut of = |builder: &mut Builder, kind: AttentionKind, to: &[NodeId]| -> Result<()> {
        if to.iter().any(|operand| wanted.has(*operand)) {
            let gradients = builder.attention(Attention { kind, causal, operands: operands.clone() }, dtype)?;
            for (operand, gradient) in to.iter().zip(gradients) {
                results.push((*operand, builder.cast(gradient, own)?));
            }
        }
        Ok(())
    };
    of(builder, AttentionKind::QueryGrad, &[q])?;
    of(builder, AttentionKind::KeyValueGrad, &[k, v])?;
    // As the sweep over what it stands for comes to them.
    results.sort_by_key(|(operand, _)| *operand != v);
    results.retain(|(operand, _)| wanted.has(*operand));
    Ok(results)
}

/// By the gradients of what it means.
fn again(
    builder: &mut Builder,
    id: NodeId,
    attention: &Attention,
    given: &[Option<NodeId>],
    wanted: &RequestedGradients<'_>,
) -> Result<Vec<(NodeId, NodeId)>> {
    let of = |builder: &Builder, id: NodeId| (builder.shape(id).clone(), builder.dtype(id));
    let shapes: Vec<(Shape, DType)> = attention.operands.iter().map(|id| of(builder, *id)).collect();
    let meaning = attention_meaning(attention.kind, attention.causal, &shapes, builder.dtype(id))?;
    let results = meaning.outputs.clone();
    let mut inner = Builder::extend(Graph { outputs: Vec::new(), ..meaning });
    let mut passed = attention.operands.clone();
    let mut seeded = Vec::new();
    for ((_, result), cotangent) in results.into_iter().zip(given) {
        if let Some(cotangent) = cotangent {
            let (shape, dtype) = of(builder, *cotangent);
            seeded.push((result, inner.input(InputKind::Argument(passed.len()), "", shape, dtype)));
            passed.push(*cotangent);
        }
    }
    let argument = |position: usize| {
        let is = |node: &Node| node.op == Op::Input(InputKind::Argument(position));
        inner.graph().iter().find(|(_, node)| is(node)).map(|(id, _)| id)
    };
    let mut wrt = Vec::new();
    for (position, operand) in attention.operands.iter().enumerate() {
        if let Some(argument) = argument(position).filter(|_| wanted.has(*operand)) {
            wrt.push((*operand, argument));
        }
    }
    let ids: Vec<NodeId> = wrt.iter().map(|(_, id)| *id).collect();
    let mut contributed = Vec::new();
    for ((operand, _), gradient) in wrt.into_iter().zip(found(&mut inner, &seeded, &ids, wanted.order)?) {
        if let Some(gradient) = gradient {
            inner.output(OutputKind::Result(contributed.len()), gradient);
            contributed.push(operand);
        }
    }
    let gradients = builder.splice(&inner.finish(), &passed)?;
    Ok(contributed.into_iter().zip(gradients).collect())
}

/// The graph with the attentions that `chosen` names written out, and where each of its nodes is now. Gradients take the weights of
/// the forward pass where that is written out too.
///
/// # Errors
///
/// An attention that is not verified.
pub(crate) fn written_out(
    graph: &Graph,
    chosen: &dyn Fn(NodeId, &Attention) -> bool,
) -> Result<(Graph, Vec<Option<NodeId>>)> {
    let mut builder = Builder::new(&graph.name);
    let mut moved: Vec<NodeId> = Vec::with_capacity(graph.nodes.len());
    let mut results: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for (id, node) in graph.iter() {
        builder.set_span(node.span);
        let op = node.op.clone().map_operands(|operand| moved[operand.index()]);
        let new = match (&node.op, op) {
            (Op::Attention(own), Op::Attention(attention)) if chosen(id, own) => {
                let nodes = match own.kind == AttentionKind::Forward || takes_weights(graph, own) {
                    true => write_out(&mut builder, &attention, node.dtype)?,
                    false => write_meaning(&mut builder, &attention, node.dtype)?,
                };
                let first = nodes[0];
                results.insert(id, nodes);
                first
            }
            (Op::CustomResult { call, result }, op) => match results.get(call) {
                Some(nodes) => nodes[*result],
                None => builder.push(op, node.shape.clone(), node.dtype),
            },
            (_, op) => builder.push(op, node.shape.clone(), node.dtype),
        };
        builder.name(new, &node.name);
        moved.push(new);
    }
    for (kind, id) in &graph.outputs {
        builder.output(kind.clone(), moved[id.index()]);
    }
    let (Graph { nodes, outputs, .. }, places) = builder.finish_with_places();
    let places = moved.into_iter().map(|id| places[id.index()]).collect();
    Ok((Graph { nodes, outputs, ..graph.clone() }, places))
}

/// Whether a gradient's `lse` is that of an attention of the same operands, and so `delta` of its output, as [`forward`] makes them.
fn takes_weights(graph: &Graph, gradient: &Attention) -> bool {
    let Op::CustomResult { call, result: 1 } = graph[gradient.operands[4]].op else { return false };
    match &graph[call].op {
        Op::Attention(own) => {
            own.kind == AttentionKind::Forward
                && own.causal == gradient.causal
                && own.operands == gradient.operands[..own.operands.len()]
        }
        _ => false,
    }
}

/// The results of an attention by what they mean.
fn write_meaning(builder: &mut Builder, attention: &Attention, dtype: DType) -> Result<Vec<NodeId>> {
    let given: Vec<(Shape, DType)> =
        attention.operands.iter().map(|id| (builder.shape(*id).clone(), builder.dtype(*id))).collect();
    let meaning = attention_meaning(attention.kind, attention.causal, &given, dtype)?;
    builder.splice(&meaning, &attention.operands)
}

/// The results of an attention by the products and the softmax of the forward pass, and their gradients.
fn write_out(builder: &mut Builder, attention: &Attention, dtype: DType) -> Result<Vec<NodeId>> {
    let own = builder.dtype(attention.operands[0]);
    let mut b = Builder::new(attention.kind.operation());
    let mut arguments = Vec::new();
    let matrices = attention.operands[..attention.kind.matrices()].to_vec();
    for (position, operand) in matrices.iter().enumerate() {
        arguments.push(b.input(InputKind::Argument(position), "", builder.shape(*operand).clone(), dtype));
    }
    let qkv = [arguments[0], arguments[1], arguments[2]];
    let out = b.composed_attention(qkv, attention.causal)?;
    let results = match attention.kind {
        AttentionKind::Forward => {
            let scores = b.attention_scores(qkv[0], qkv[1], attention.causal)?;
            vec![out, b.log_of_rows(scores)?]
        }
        // Both kinds write the same down, in the order of one sweep.
        AttentionKind::QueryGrad | AttentionKind::KeyValueGrad => gradients(&mut b, out, arguments[3], &qkv)?,
    };
    results.into_iter().enumerate().for_each(|(position, result)| b.output(OutputKind::Result(position), result));
    let graph = b.finish();
    let graph = match own {
        // Operands that were rounded: as products of that precision are written.
        DType::BF16 if dtype == DType::F32 => with_matmul_precision(graph, MatmulPrecision::Medium)?,
        _ => graph,
    };
    let nodes = builder.splice(&graph, &matrices)?;
    Ok(match attention.kind {
        AttentionKind::Forward | AttentionKind::QueryGrad => nodes,
        AttentionKind::KeyValueGrad => nodes[1..].to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Arguments, append_gradients};
    use super::*;
    use crate::graph::interp::{HostTensor, Precision, evaluate};

    /// The gradients of the square of an attention's gradients.
    fn second_order() -> Graph {
        let mut b = Builder::new("second");
        let operands: Vec<NodeId> = (0..3)
            .map(|position| b.input(InputKind::Argument(position), "x", Shape::of(&[2, 3, 2]), DType::F64))
            .collect();
        let forward = Attention { kind: AttentionKind::Forward, causal: true, operands: operands.clone() };
        let out = b.attention(forward, DType::F64).unwrap()[0];
        let square = b.binary(BinaryOp::Mul, out, out).unwrap();
        let seed = b.full(1.0, &Shape::of(&[2, 3, 2]), DType::F64);
        let first = gradients(&mut b, square, seed, &operands).unwrap();
        let mut loss = b.constant(0.0, DType::F64);
        for gradient in first {
            let square = b.binary(BinaryOp::Mul, gradient, gradient).unwrap();
            let sum = b.reduce(ReduceOp::Sum, square, &[0, 1, 2], false).unwrap();
            loss = b.binary(BinaryOp::Add, loss, sum).unwrap();
        }
        b.output(OutputKind::Result(0), loss);
        append_gradients(b.finish(), Arguments::Floats).unwrap()
    }

    fn values(graph: &Graph) -> Vec<f64> {
        let given = |kind: &InputKind, _: &str| match kind {
            InputKind::Argument(position) => {
                let own: Vec<f64> = (0..12).map(|at| (f64::from(at) * 1.3 + *position as f64).sin()).collect();
                HostTensor::from_f64(DType::F64, &[2, 3, 2], &own).ok()
            }
            _ => None,
        };
        let results = evaluate(graph, &[], &given, Precision::F64).unwrap();
        results.iter().flat_map(|(_, value)| value.to_f64()).collect()
    }

    #[test]
    fn gradients_of_gradients_written_out_are_the_same() {
        let graph = second_order();
        let attends = |graph: &Graph| graph.nodes.iter().filter(|node| matches!(node.op, Op::Attention(_))).count();
        let (written, _) = written_out(&graph, &|_, _| true).unwrap();
        assert!(attends(&graph) >= 3 && attends(&written) == 0);
        for (found, expected) in values(&written).into_iter().zip(values(&graph)) {
            assert!((found - expected).abs() < 1e-12 * expected.abs().max(1.0), "{found} against {expected}");
        }
    }
}
