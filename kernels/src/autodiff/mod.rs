//! Gradients, graph → graph: a reverse sweep over one table of derivative rules ([`rules`]).
//!
//! # Conventions
//!
//! - The gradient is the cotangent in reverse mode: for an output `y` with seed `s`, the gradient in `x` is the tensor
//!   of `sum_i s_i * dy_i/dx`, of `x`'s shape and type.
//! - Integer and `bool` tensors have no gradient; step functions (`floor`, `sign`, comparisons, positions) have zero.
//! - Only nodes that lead from `wrt` to the output get one, so a graph's data cost nothing.
//! - What `select` (and so an `if` in a kernel) does not choose contributes nothing, also where its derivative is infinite
//!   or NaN (`guard`).
//! - Gradients are nodes like any other. Those that [`grad()`] gives, parts of a graph that is differentiated again, come from
//!   rules that are right to any order (`HighestOrder`).

mod attention;
mod behind;
#[cfg(feature = "interp")]
pub mod check;
mod custom;
mod grad;
mod guard;
mod maths;
mod order;
mod reduction;
pub mod rules;
mod saved;
mod scan;
mod sweep;
mod view;

use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{Graph, InputKind, Node, NodeId, Op, OutputKind};
use crate::span::{Diagnostic, Result, Span};
pub use grad::{grad, leading_to, leading_to_beside};
use maths::zeros;
pub use order::HighestOrder;
pub use saved::{Sweep, derivatives_from_saved, gradients_from_saved};
use sweep::found;

/// The gradients of `output`, with cotangent `seed` (of its shape and type), in each of `wrt`: zeros of the right shape
/// where the output does not depend on it.
///
/// # Errors
///
/// An output or a `wrt` that is no float tensor; a seed of another shape or type.
pub fn gradients(builder: &mut Builder, output: NodeId, seed: NodeId, wrt: &[NodeId]) -> Result<Vec<NodeId>> {
    gradients_of(builder, &[(output, seed)], wrt)
}

/// The same for several outputs with a seed each; the gradients add.
///
/// # Errors
///
/// Those of [`gradients`].
pub fn gradients_of(builder: &mut Builder, outputs: &[(NodeId, NodeId)], wrt: &[NodeId]) -> Result<Vec<NodeId>> {
    let found = found(builder, outputs, wrt, HighestOrder::First)?;
    Ok(found.into_iter().zip(wrt).map(|(gradient, id)| gradient.unwrap_or_else(|| zeros(builder, *id))).collect())
}

/// What [`append_gradients`] and [`append_vjp`] differentiate in besides the parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arguments<'a> {
    /// Parameters only.
    None,
    /// All arguments that are float tensors.
    Floats,
    /// The arguments at these positions.
    At(&'a [usize]),
}

/// The graph with an output `Gradient(path)` for every parameter that the result depends on, and an
/// `ArgumentGradient(position)` for every argument asked for: the derivatives of `Result(0)`, which must be a float scalar.
/// Other outputs stay.
///
/// # Errors
///
/// There is no `Result(0)`, or it is no float scalar; an argument asked for is none of floats.
pub fn append_gradients(graph: Graph, arguments: Arguments<'_>) -> Result<Graph> {
    let Some((_, loss)) = graph.outputs.iter().find(|(kind, _)| *kind == OutputKind::Result(0)).cloned() else {
        return Err(Diagnostic::new(format!("`{}` has no result to differentiate", graph.name)));
    };
    let Node { shape, dtype, span, .. } = &graph[loss];
    if shape.rank() != 0 || !dtype.is_float() {
        return Err(Diagnostic::new(format!(
            "gradients need a scalar result, `{}` returns {dtype}{shape}",
            graph.name
        ))
        .hint("reduce it with `.sum()` or `.mean()`, or ask for a vector-Jacobian product")
        .at(*span));
    }
    let dtype = *dtype;
    let mut builder = Builder::extend(graph);
    let seed = builder.constant(1.0, dtype);
    append(builder, &[(loss, seed)], arguments)
}

/// The graph as a vector-Jacobian product: every float result gets a cotangent, a new argument of its shape behind the
/// existing ones (in the results' order, named `cotangent`, `cotangent_1`, ..), and gradients are added as by
/// [`append_gradients`]. The results themselves stay outputs.
///
/// # Errors
///
/// No result is of floats; an argument asked for is none of floats.
pub fn append_vjp(graph: Graph, arguments: Arguments<'_>) -> Result<Graph> {
    let positions = graph.nodes.iter().filter_map(|node| match node.op {
        Op::Input(InputKind::Argument(position)) => Some(position + 1),
        _ => None,
    });
    let first = positions.max().unwrap_or(0);
    let mut results: Vec<(usize, NodeId)> = graph
        .outputs
        .iter()
        .filter_map(|(kind, id)| match kind {
            OutputKind::Result(position) if graph[*id].dtype.is_float() => Some((*position, *id)),
            _ => None,
        })
        .collect();
    if results.is_empty() {
        return Err(Diagnostic::new(format!("`{}` has no float result to differentiate", graph.name)));
    }
    results.sort();
    let mut builder = Builder::extend(graph);
    let mut seeded = Vec::new();
    for (number, (_, result)) in results.into_iter().enumerate() {
        let (shape, dtype) = (builder.shape(result).clone(), builder.dtype(result));
        let name = if number == 0 { "cotangent".to_string() } else { format!("cotangent_{number}") };
        seeded.push((result, builder.input(InputKind::Argument(first + number), &name, shape, dtype)));
    }
    append(builder, &seeded, arguments)
}

fn append(mut builder: Builder, seeded: &[(NodeId, NodeId)], arguments: Arguments<'_>) -> Result<Graph> {
    let mut wrt = Vec::new();
    for (id, node) in builder.graph().iter() {
        if seeded.iter().any(|(_, seed)| *seed == id) {
            continue;
        }
        match &node.op {
            Op::Input(InputKind::Parameter) if node.dtype.is_float() => {
                wrt.push((OutputKind::Gradient(node.name.clone()), id));
            }
            Op::Input(InputKind::Argument(position)) if wanted(arguments, *position, node.dtype) => {
                wrt.push((OutputKind::ArgumentGradient(*position), id));
            }
            _ => {}
        }
    }
    if let Arguments::At(positions) = arguments {
        for position in positions {
            if !wrt.iter().any(|(kind, _)| *kind == OutputKind::ArgumentGradient(*position)) {
                let name = &builder.graph().name;
                return Err(
                    Diagnostic::new(format!("`{name}` has no argument {position} to differentiate in")).at(Span::NONE)
                );
            }
        }
    }
    let ids: Vec<NodeId> = wrt.iter().map(|(_, id)| *id).collect();
    let gradients = found(&mut builder, seeded, &ids, HighestOrder::First)?;
    for ((kind, id), gradient) in wrt.into_iter().zip(gradients) {
        match (gradient, &kind) {
            (Some(gradient), _) => builder.output(kind, gradient),
            // A parameter that is only used detached has no gradient: optimizers leave it alone, as one that is not used.
            (None, OutputKind::Gradient(_)) => {}
            (None, _) => {
                let zeros = zeros(&mut builder, id);
                builder.output(kind, zeros);
            }
        }
    }
    Ok(builder.finish())
}

fn wanted(arguments: Arguments<'_>, position: usize, dtype: DType) -> bool {
    match arguments {
        Arguments::None => false,
        Arguments::Floats => dtype.is_float(),
        Arguments::At(positions) => positions.contains(&position),
    }
}
