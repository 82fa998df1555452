//! Gradients of attention.

use super::rules::RequestedGradients;
use super::scan::Sweep;
use crate::dim::Shape;
use crate::dtype::DType;
use crate::graph::build::{Builder, attention_meaning};
use crate::graph::{Attention, AttentionKind, BinaryOp, Graph, InputKind, Node, NodeId, Op, OutputKind, ReduceOp};
use crate::span::Result;

/// The cotangents of the operands of `id`, `attention`, that are wanted, given those of its results.
pub(super) fn contributions(
    builder: &mut Builder,
    id: NodeId,
    attention: &Attention,
    given: &[Option<NodeId>],
    wanted: &RequestedGradients<'_>,
    sweep: Sweep<'_>,
) -> Result<Vec<(NodeId, NodeId)>> {
    if given.iter().all(Option::is_none) || !attention.operands.iter().any(|operand| wanted.has(*operand)) {
        return Ok(Vec::new());
    }
    match (attention.kind, attention.operands.as_slice()) {
        // What is asked of `lse` comes from gradients of gradients.
        (AttentionKind::Forward, &[q, k, v]) if matches!(given, [_] | [_, None]) => {
            forward(builder, (id, attention.causal), [q, k, v], given, wanted)
        }
        _ => again(builder, (id, attention), given, wanted, sweep),
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
    (id, attention): (NodeId, &Attention),
    given: &[Option<NodeId>],
    wanted: &RequestedGradients<'_>,
    sweep: Sweep<'_>,
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
    for ((operand, _), gradient) in wrt.into_iter().zip(sweep(&mut inner, &seeded, &ids)?) {
        if let Some(gradient) = gradient {
            inner.output(OutputKind::Result(contributed.len()), gradient);
            contributed.push(operand);
        }
    }
    let gradients = builder.splice(&inner.finish(), &passed)?;
    Ok(contributed.into_iter().zip(gradients).collect())
}
