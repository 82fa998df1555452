//! Gradients of a function that has been computed: what was kept of its values is not computed again.

use super::order::HighestOrder;
use super::sweep::{found, zeros};
use crate::graph::build::Builder;
use crate::graph::{Graph, InputKind, NodeId, Op, OutputKind};
use crate::span::{Diagnostic, Result};

/// The graph that gives the derivatives of `value`, a number, in each of `wrt`, arguments of the graph: an output
/// [`OutputKind::ArgumentGradient`] for each, of zeros where `value` does not depend on it. It gives nothing else.
///
/// `saved` are nodes whose values the caller has, and the position of the argument as which it supplies each. What the
/// derivatives need of other nodes is computed again.
///
/// # Errors
///
/// A `value` that is no float scalar; a `wrt` that is no argument, or not of floats; a user's kernel on the way that has no
/// gradient.
pub fn gradients_from_saved(
    mut builder: Builder,
    value: NodeId,
    wrt: &[NodeId],
    saved: &[(usize, NodeId)],
) -> Result<Graph> {
    let (shape, dtype) = (builder.shape(value).clone(), builder.dtype(value));
    if shape.rank() != 0 || !dtype.is_float() {
        return Err(Diagnostic::new(format!("gradients need a scalar, found {dtype}{shape}"))
            .hint("reduce it with `.sum()` or `.mean()`"));
    }
    let seed = builder.constant(1.0, dtype);
    let gradients = found(&mut builder, &[(value, seed)], wrt, HighestOrder::First)?;
    for (gradient, &id) in gradients.into_iter().zip(wrt) {
        let Op::Input(InputKind::Argument(position)) = builder.node(id).op else {
            return Err(Diagnostic::new("gradients are asked for in something that is no argument"));
        };
        let gradient = gradient.unwrap_or_else(|| zeros(&mut builder, id));
        builder.output(OutputKind::ArgumentGradient(position), gradient);
    }
    for &(position, id) in saved {
        builder.supply(id, position);
    }
    Ok(builder.finish())
}
