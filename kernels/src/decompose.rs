//! Attention by other nodes: its products and its softmax, where no kernel computes it as one.

use crate::autodiff::gradients;
use crate::dim::Shape;
use crate::dtype::DType;
use crate::graph::build::{Builder, attention_meaning};
use crate::graph::{Attention, AttentionKind, Graph, InputKind, NodeId, Op, OutputKind};
use crate::precision::MatmulPrecision;
use crate::precision::products::of_halves;
use crate::span::Result;
use std::collections::BTreeMap;

/// The graph with the attentions that `chosen` names written out, and where each of its nodes is now; `None` where it names none.
/// Gradients take the weights of the forward pass where that is written out too.
///
/// # Errors
///
/// An attention that is not verified.
pub(crate) fn written_out(
    graph: &Graph,
    chosen: &dyn Fn(NodeId, &Attention) -> bool,
) -> Result<Option<(Graph, Vec<Option<NodeId>>)>> {
    if !graph.iter().any(|(id, node)| matches!(&node.op, Op::Attention(own) if chosen(id, own))) {
        return Ok(None);
    }
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
    Ok(Some((Graph { nodes, outputs, ..graph.clone() }, places)))
}

/// Whether a gradient's `lse` is that of an attention of the same operands, and so `delta` of its output, as its derivative makes them.
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
        DType::BF16 if dtype == DType::F32 => of_halves(graph, MatmulPrecision::Medium, &Ok)?,
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
    use super::*;
    use crate::autodiff::{Arguments, append_gradients};
    use crate::graph::interp::{HostTensor, Precision, evaluate};
    use crate::graph::{BinaryOp, ReduceOp};

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
        assert!(written_out(&graph, &|_, _| false).unwrap().is_none());
        let (written, _) = written_out(&graph, &|_, _| true).unwrap().unwrap();
        assert!(attends(&graph) >= 3 && attends(&written) == 0);
        for (found, expected) in values(&written).into_iter().zip(values(&graph)) {
            assert!((found - expected).abs() < 1e-12 * expected.abs().max(1.0), "{found} against {expected}");
        }
    }
}
