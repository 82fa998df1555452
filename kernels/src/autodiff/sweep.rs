//! The reverse sweep over the graph.

use super::custom::Results;
use super::guard::{self, Cotangent};
use super::order::HighestOrder;
use super::rules::{self, RequestedGradients};
use crate::graph::build::Builder;
use crate::graph::{Graph, NodeId, Op};
use crate::span::{Diagnostic, Result};
use std::collections::BTreeSet;

/// The gradients in each of `wrt`, `None` where the outputs do not depend on it.
pub(super) fn found(
    builder: &mut Builder,
    outputs: &[(NodeId, NodeId)],
    wrt: &[NodeId],
    order: HighestOrder,
) -> Result<Vec<Option<NodeId>>> {
    // Gradients are of the types of what they are in, whatever operations would convert.
    builder.as_given(|builder| swept(builder, outputs, wrt, order))
}

fn swept(
    builder: &mut Builder,
    outputs: &[(NodeId, NodeId)],
    wrt: &[NodeId],
    order: HighestOrder,
) -> Result<Vec<Option<NodeId>>> {
    check_arguments(builder, outputs, wrt)?;
    let count = outputs.iter().map(|(output, _)| output.index() + 1).max().unwrap_or(0);
    let targets: BTreeSet<NodeId> = wrt.iter().copied().collect();
    let leads = leading_from(builder.graph(), count, &targets);
    let mut cotangents: Vec<Option<Cotangent>> = vec![None; count];
    for &(output, seed) in outputs {
        if leads[output.index()] {
            accumulate(builder, &mut cotangents, output, Cotangent::everywhere(seed))?;
        }
    }
    let mut results = Results::default();
    for id in (0..count).rev().map(|position| NodeId(position as u32)) {
        let is_call = builder.node(id).op.is_call();
        let wanted = RequestedGradients { leads: &leads, targets: &targets, order };
        let Some(mut cotangent) = cotangents[id.index()].clone() else {
            // Other results of it may have one.
            if is_call {
                call(builder, id, &results, &wanted, &mut cotangents)?;
            }
            continue;
        };
        // Backward nodes are reported at the place of the forward node that they belong to.
        let outer = builder.set_span(builder.node(id).span);
        // Elements that mix with others must be right before they do.
        if !builder.node(id).op.is_elementwise() {
            cotangent = cotangent.closed(builder)?;
        }
        let is_target = targets.contains(&id);
        if is_target {
            cotangent = cotangent.closed(builder)?;
            // What is computed of one of several derivatives is computed of that tensor.
            if order == HighestOrder::Any && targets.len() > 1 && !matches!(builder.node(id).op, Op::Input(_)) {
                cotangent = Cotangent::everywhere(builder.distinct(cotangent.value));
            }
        }
        results.note(builder, id, cotangent.value);
        if is_call {
            call(builder, id, &results, &wanted, &mut cotangents)?;
        }
        let contributions = rules::contributions(builder, id, cotangent.value, &wanted)?;
        for (number, (operand, value)) in contributions.into_iter().enumerate() {
            let (guard, open) = guard::passed(builder, id, (operand, number), &cotangent)?;
            accumulate(builder, &mut cotangents, operand, Cotangent { value, guard, open })?;
        }
        if is_target {
            name_gradient(builder, id, cotangent.value);
            cotangents[id.index()] = Some(cotangent);
        }
        builder.set_span(outer);
    }
    let of = |id: &NodeId| cotangents.get(id.index()).and_then(Option::as_ref).map(|gradient| gradient.value);
    Ok(wrt.iter().map(of).collect())
}

/// Adds what a call of a user's kernel contributes.
fn call(
    builder: &mut Builder,
    id: NodeId,
    results: &Results,
    wanted: &RequestedGradients<'_>,
    cotangents: &mut [Option<Cotangent>],
) -> Result<()> {
    let outer = builder.set_span(builder.node(id).span);
    // A loop's rounds are swept as well.
    let inner =
        |body: &mut Builder, outputs: &[(NodeId, NodeId)], wrt: &[NodeId]| found(body, outputs, wrt, wanted.order);
    for (operand, value) in results.contributions(builder, id, wanted, &inner)? {
        accumulate(builder, cotangents, operand, Cotangent::everywhere(value))?;
    }
    builder.set_span(outer);
    Ok(())
}

/// That there are gradients of the outputs, whose seeds fit, and in each of `wrt`.
fn check_arguments(builder: &Builder, outputs: &[(NodeId, NodeId)], wrt: &[NodeId]) -> Result<()> {
    for &(output, seed) in outputs {
        let (node, given) = (builder.node(output), builder.node(seed));
        if !node.dtype.is_float() {
            return Err(Diagnostic::new(format!("only float tensors have gradients, the output is {}", node.dtype))
                .at(node.span));
        }
        if given.shape != node.shape || given.dtype != node.dtype {
            return Err(Diagnostic::new(format!(
                "the seed of a gradient must be {}{} as the output, found {}{}",
                node.dtype, node.shape, given.dtype, given.shape
            ))
            .at(node.span));
        }
    }
    for &id in wrt {
        let node = builder.node(id);
        if !node.dtype.is_float() {
            let what = if node.name.is_empty() { "a tensor".into() } else { format!("`{}`", node.name) };
            return Err(Diagnostic::new(format!("only float tensors have gradients, {what} is {}", node.dtype))
                .hint("leave it out, or convert it with `.cast(..)` before it is used")
                .at(node.span));
        }
    }
    Ok(())
}

/// Which of the first `count` nodes depend on any of `targets` in a way that has a gradient.
fn leading_from(graph: &Graph, count: usize, targets: &BTreeSet<NodeId>) -> Vec<bool> {
    let mut leads = vec![false; count];
    for id in (0..count).map(|position| NodeId(position as u32)) {
        leads[id.index()] = targets.contains(&id)
            || ((graph[id].dtype.is_float() || graph[id].op.is_call())
                && rules::differentiable_operands(graph, id).iter().any(|operand| leads[operand.index()]));
    }
    leads
}

fn accumulate(
    builder: &mut Builder,
    cotangents: &mut [Option<Cotangent>],
    operand: NodeId,
    contribution: Cotangent,
) -> Result<()> {
    debug_assert_eq!(builder.shape(operand), builder.shape(contribution.value), "a rule gave the wrong shape");
    debug_assert_eq!(builder.dtype(operand), builder.dtype(contribution.value), "a rule gave the wrong type");
    cotangents[operand.index()] = Some(match cotangents[operand.index()].take() {
        Some(sum) => sum.plus(builder, contribution)?,
        None => contribution,
    });
    Ok(())
}

/// Gradients are called `d_x`, so that kernels and reports can be read.
fn name_gradient(builder: &mut Builder, id: NodeId, gradient: NodeId) {
    let name = &builder.node(id).name;
    if !name.is_empty() && !matches!(builder.node(gradient).op, Op::Input(_) | Op::Constant(_)) {
        let name = format!("d_{name}");
        builder.name(gradient, &name);
    }
}
