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
    builder.supply(saved);
    Ok(builder.finish())
}

/// Which derivatives of some values are asked for.
#[derive(Clone, Copy, Debug)]
pub enum Sweep<'a> {
    /// The gradients in each of `wrt`, of the sum of all values, each multiplied by its cotangent, which is of its shape and type.
    Backward {
        /// What the gradients are in.
        wrt: &'a [NodeId],
        /// One for each value.
        cotangents: &'a [NodeId],
    },
    /// The derivative of each value in the direction in which each of `wrt` goes by its tangent, which is of its shape and type.
    Forward {
        /// What moves.
        wrt: &'a [NodeId],
        /// One for each of them.
        tangents: &'a [NodeId],
    },
}

/// The graph that gives the derivatives of `values`: an output [`OutputKind::Result`] for each of what the sweep asks for, zeros
/// where the values do not depend on it. Outputs that there are must be none of that kind.
///
/// `saved` are as those of [`gradients_from_saved`].
///
/// # Errors
///
/// A value, or something that is differentiated in, that is not of floats; a cotangent or a tangent of another shape or type; a user's
/// kernel on the way that has no gradient.
pub fn derivatives_from_saved(
    mut builder: Builder,
    values: &[NodeId],
    sweep: Sweep<'_>,
    saved: &[(usize, NodeId)],
    order: HighestOrder,
) -> Result<Graph> {
    let results = match sweep {
        Sweep::Backward { wrt, cotangents } => {
            let seeded: Vec<(NodeId, NodeId)> = values.iter().copied().zip(cotangents.iter().copied()).collect();
            let gradients = found(&mut builder, &seeded, wrt, order)?;
            let of = |(gradient, id): (Option<NodeId>, &NodeId)| gradient.unwrap_or_else(|| zeros(&mut builder, *id));
            gradients.into_iter().zip(wrt).map(of).collect()
        }
        Sweep::Forward { wrt, tangents } => pushed(&mut builder, values, (wrt, tangents), order)?,
    };
    for (number, result) in results.into_iter().enumerate() {
        builder.output(OutputKind::Result(number), result);
    }
    builder.supply(saved);
    Ok(builder.finish())
}

/// The derivatives of values in a direction. The gradients are linear in their cotangents: what multiplies these, weighted with the
/// tangents, is the gradient of that product in the cotangents, wherever those are.
fn pushed(
    builder: &mut Builder,
    values: &[NodeId],
    (wrt, tangents): (&[NodeId], &[NodeId]),
    order: HighestOrder,
) -> Result<Vec<NodeId>> {
    let cotangent = |value: &NodeId| {
        let zeros = zeros(builder, *value);
        builder.distinct(zeros)
    };
    let cotangents: Vec<NodeId> = values.iter().map(cotangent).collect();
    let seeded: Vec<(NodeId, NodeId)> = values.iter().copied().zip(cotangents.iter().copied()).collect();
    let gradients = found(builder, &seeded, wrt, HighestOrder::Any)?;
    let weighted: Vec<(NodeId, NodeId)> =
        gradients.into_iter().zip(tangents).filter_map(|(gradient, tangent)| Some((gradient?, *tangent))).collect();
    let moved = found(builder, &weighted, &cotangents, order)?;
    let of = |(tangent, id): (Option<NodeId>, &NodeId)| tangent.unwrap_or_else(|| zeros(builder, *id));
    Ok(moved.into_iter().zip(values).map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Dim, Shape};
    use crate::dtype::DType;
    use crate::graph::build::renumbered;
    use crate::graph::verify::verify;
    use crate::graph::{BinaryOp, ReduceOp, UnaryOp, part_of_round};

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

    /// Also another result of it is there then.
    #[test]
    fn a_loop_of_which_the_rounds_are_needed_is_computed_again() {
        let mut b = Builder::new("backward");
        let x = b.input(InputKind::Argument(0), "x", Shape::of(&[3, 4]), DType::F32);
        let start = b.full(0.0, &Shape::of(&[4]), DType::F32);
        let draft = b.begin_scan("t", Dim::constant(3), &[start]);
        let part = b.view(x, Shape::of(&[4]), part_of_round(draft.round(), 1)).unwrap();
        let sum = b.binary(BinaryOp::Add, draft.carried()[0], part).unwrap();
        let next = b.unary(UnaryOp::Tanh, sum).unwrap();
        let results = b.end_scan(&draft, &[next], &[next]).unwrap();
        let of_last = b.reduce(ReduceOp::Sum, results[0], &[0], false).unwrap();
        let of_all = b.reduce(ReduceOp::Sum, results[1], &[0, 1], false).unwrap();
        let w = b.input(InputKind::Argument(1), "w", Shape::of(&[4]), DType::F32);
        let weighed = b.binary(BinaryOp::Mul, results[0], w).unwrap();
        let weighed = b.reduce(ReduceOp::Sum, weighed, &[0], false).unwrap();
        let loops = |value: NodeId, wrt: &[NodeId], saved: &[(usize, NodeId)]| {
            let graph = gradients_from_saved(b.clone(), value, wrt, saved).unwrap();
            assert!(verify(&graph).is_ok(), "{graph}");
            graph.nodes.iter().filter(|node| matches!(node.op, Op::Scan { .. })).count()
        };
        for saved in [&[(2, results[0])][..], &[(2, results[1])], &[(2, results[0]), (3, results[1])]] {
            assert!((1..=2).contains(&loops(of_last, &[x], saved)));
            assert!((1..=2).contains(&loops(of_all, &[x], saved)));
        }
        // Where its value alone is needed, that is there.
        assert_eq!(loops(weighed, &[w], &[(2, results[0])]), 0);
        assert_eq!(loops(weighed, &[w], &[]), 1);
    }

    #[test]
    fn a_tangent_leaves_nothing_of_the_gradients_that_it_is_derived_from() {
        let mut b = Builder::new("jvp");
        let [v, x] = [0, 1].map(|at| b.input(InputKind::Argument(at), ["v", "x"][at], Shape::of(&[2, 3]), DType::F32));
        let w = b.input(InputKind::Argument(2), "w", Shape::of(&[3, 4]), DType::F32);
        let product = b.matmul(x, w).unwrap();
        let y = b.unary(UnaryOp::Tanh, product).unwrap();
        let sweep = Sweep::Forward { wrt: &[x], tangents: &[v] };
        let products = |graph: &Graph| graph.nodes.iter().filter(|node| matches!(node.op, Op::MatMul(..))).count();
        let graph = derivatives_from_saved(b.clone(), &[y], sweep, &[], HighestOrder::First).unwrap();
        // The function's own, and `v` with `w`.
        assert_eq!(products(&graph), 2, "{graph}");
        assert_eq!(graph[graph.outputs[0].1].shape, Shape::of(&[2, 4]));
        let graph = derivatives_from_saved(b.clone(), &[y], sweep, &[(3, product)], HighestOrder::Any).unwrap();
        assert_eq!(products(&graph), 1, "{graph}");
        // Nothing reads `x`: the others are numbered without it.
        let graph = renumbered(graph, |number| [Some(0), None, Some(1), Some(2)][number]);
        let inputs: Vec<(&str, &Op)> = graph.nodes.iter().map(|node| (node.name.as_str(), &node.op)).collect();
        let argument = |name: &str| inputs.iter().find(|(own, _)| *own == name).map(|(_, op)| (*op).clone());
        assert_eq!(argument("x"), None);
        assert_eq!(argument("w"), Some(Op::Input(InputKind::Argument(1))));
        assert_eq!(argument("saved_3"), Some(Op::Input(InputKind::Argument(2))));
        // What does not move has a tangent of 0.
        let still = Sweep::Forward { wrt: &[w], tangents: &[w] };
        let graph = derivatives_from_saved(b.clone(), &[x], still, &[], HighestOrder::First).unwrap();
        assert!(matches!(graph[graph.outputs[0].1].op, Op::Constant(_)), "{graph}");
        let wrong = Sweep::Forward { wrt: &[w], tangents: &[x] };
        assert!(derivatives_from_saved(b, &[y], wrong, &[], HighestOrder::First).is_err());
    }
}
