//! Gradients that are part of a graph, which goes on with them.

use super::maths::zeros;
use super::order::HighestOrder;
use super::rules::differentiable_operands;
use super::sweep::found;
use crate::graph::build::Builder;
use crate::graph::{Graph, NodeId};
use crate::span::Result;

/// The derivatives of `value`, a number, in each of `wrt`: nodes that the graph goes on with, and that are right when they are
/// differentiated again. `None` where `value` does not depend on it in a way that has a derivative.
///
/// # Errors
///
/// A `value` or a `wrt` that is of no floats; a user's kernel on the way that has no gradient. `value` has the shape `[]`.
pub fn grad(builder: &mut Builder, value: NodeId, wrt: &[NodeId]) -> Result<Vec<Option<NodeId>>> {
    let (shape, dtype) = (builder.shape(value).clone(), builder.dtype(value));
    let seed = builder.full(1.0, &shape, dtype);
    let depends = leading_to(builder.graph(), value);
    let found = found(builder, &[(value, seed)], wrt, HighestOrder::Any)?;
    let each = found.into_iter().zip(wrt).map(|(gradient, id)| {
        // What is there and flat, as `x.pow(0.0)`, has a derivative of 0.
        let flat = depends.get(id.index()).copied().unwrap_or(false);
        gradient.or_else(|| flat.then(|| zeros(builder, *id)))
    });
    Ok(each.collect())
}

/// Of each node up to `value` whether that depends on it in a way that has a derivative.
pub fn leading_to(graph: &Graph, value: NodeId) -> Vec<bool> {
    leading_to_beside(graph, value, &[])
}

/// The same by ways that go through none of `others`.
pub fn leading_to_beside(graph: &Graph, value: NodeId, others: &[NodeId]) -> Vec<bool> {
    let mut leads = vec![false; value.index() + 1];
    leads[value.index()] = true;
    for id in (0..=value.index()).rev().map(|position| NodeId(position as u32)).collect::<Vec<_>>() {
        let flows = (graph[id].dtype.is_float() || graph[id].op.is_call()) && !others.contains(&id);
        if leads[id.index()] && flows {
            differentiable_operands(graph, id).into_iter().for_each(|operand| leads[operand.index()] = true);
        }
    }
    leads
}
