//! Gradients of a function that has been computed: what was kept of its values is not computed again.

use super::maths::zeros;
use super::order::HighestOrder;
use super::sweep::found;
use crate::graph::build::Builder;
use crate::graph::{Graph, InputKind, NodeId, Op, OutputKind};
use crate::span::{Diagnostic, Result};

/// The graph that gives the derivatives of `value`, a number, in each of `wrt`, arguments of the graph: an output
/// [`OutputKind::ArgumentGradient`] for each, of zeros where `value` does not depend on it. It comes after the outputs that there are.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Shape;
    use crate::dtype::DType;
    use crate::graph::{ReduceOp, UnaryOp};

    #[test]
    fn what_is_saved_is_not_computed_again() {
        let mut b = Builder::new("backward");
        let w = b.input(InputKind::Argument(0), "w", Shape::of(&[3, 4]), DType::F32);
        let x = b.input(InputKind::Argument(1), "x", Shape::of(&[2, 3]), DType::F32);
        let product = b.matmul(x, w).unwrap();
        let y = b.unary(UnaryOp::Tanh, product).unwrap();
        let loss = b.reduce(ReduceOp::Sum, y, &[0, 1], false).unwrap();
        let products = |graph: &Graph| graph.nodes.iter().filter(|node| matches!(node.op, Op::MatMul(..))).count();
        let graph = gradients_from_saved(b.clone(), loss, &[w], &[(2, product), (3, x)]).unwrap();
        // The gradient's own; `x` is an argument already.
        assert_eq!(products(&graph), 1);
        let inputs = graph.nodes.iter().filter(|node| matches!(node.op, Op::Input(_))).count();
        assert_eq!((inputs, graph.outputs.len()), (3, 1));
        assert!(matches!(graph.outputs[0].0, OutputKind::ArgumentGradient(0)));
        assert_eq!(products(&gradients_from_saved(b.clone(), loss, &[w], &[]).unwrap()), 2);
        assert!(gradients_from_saved(b.clone(), y, &[w], &[]).is_err());
        assert!(gradients_from_saved(b, loss, &[product], &[]).is_err());
    }
}
