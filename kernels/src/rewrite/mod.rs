//! Variants that several kernels make up, as rewrites of the graph before it is divided: prologues, epilogues, buffers
//! and their lifetimes follow by themselves.
//!
//! A rewritten node becomes others that compute the same; the rest of the graph stays. What the new nodes must keep to
//! (which of them lie in memory, how a part is computed) is noted in [`Marks`].

mod im2col;
mod reduction;
mod split;
mod sums;
mod winograd;

use crate::decompose::written_out;
use crate::dim::{Bindings, Dim, IndexWidth, Shape};
use crate::dtype::DType;
use crate::fuse::Constraints;
use crate::graph::build::Builder;
use crate::graph::{Graph, NodeId, Op, OutputKind};
use crate::span::{Diagnostic, Result};
use crate::variant::{KernelConfig, PART, SPLIT_K, Variant};
use std::collections::{BTreeMap, BTreeSet};
pub(crate) use sums::as_sums;

/// What is known of the nodes of a graph besides the graph itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    /// How a part of a rewritten node is computed, where that is legal for the part; `None`: in one kernel, whichever.
    pub preferred: BTreeMap<NodeId, Option<KernelConfig>>,
    /// What the division keeps to.
    pub constraints: Constraints,
}

impl Marks {
    /// The marks of nodes that are elsewhere now, or nowhere.
    fn moved(self, to: &dyn Fn(NodeId) -> Option<NodeId>) -> Marks {
        let set = |ids: BTreeSet<NodeId>| ids.into_iter().filter_map(to).collect();
        Marks {
            preferred: self.preferred.into_iter().filter_map(|(id, config)| Some((to(id)?, config))).collect(),
            constraints: Constraints { stored: set(self.constraints.stored), apart: set(self.constraints.apart) },
        }
    }
}

/// The same function with each of the nodes in `wanted` computed as its configuration says. `sizes` are those that
/// the configurations are for: how fast the result is depends on them, what it computes does not.
///
/// # Errors
///
/// A configuration that is none for its node, which [`crate::variant::legal`] refuses.
pub(crate) fn rewrite(
    graph: &Graph,
    marks: Marks,
    wanted: &BTreeMap<NodeId, KernelConfig>,
    sizes: Bindings<'_>,
    width: IndexWidth,
) -> Result<(Graph, Marks)> {
    // Both gradients share what they write down with the forward pass.
    let writes = |id: &NodeId| wanted.get(id).is_some_and(|config| config.variant == Variant::AttentionNaive);
    if let Some((graph, places)) = written_out(graph, &|id, _| writes(&id))? {
        let to = |id: NodeId| places[id.index()];
        let rest = wanted.iter().filter(|(id, _)| !writes(id));
        let rest = rest.filter_map(|(id, config)| Some((to(*id)?, config.clone()))).collect();
        return rewrite(&graph, marks.moved(&to), &rest, sizes, width);
    }
    let mut rewriter = Rewriter { b: Builder::new(&graph.name), sizes, width, marks: Marks::default() };
    let mut moved: Vec<NodeId> = Vec::with_capacity(graph.nodes.len());
    for (id, node) in graph.iter() {
        rewriter.b.set_span(node.span);
        let op = node.op.clone().map_operands(|operand| moved[operand.index()]);
        let new = match wanted.get(&id) {
            Some(config) => rewriter.node(&op, (&node.shape, node.dtype), config)?,
            None => rewriter.b.push(op, node.shape.clone(), node.dtype),
        };
        if rewriter.b.shape(new) != &node.shape || rewriter.b.dtype(new) != node.dtype {
            let found = rewriter.b.shape(new);
            return Err(Diagnostic::new(format!("internal error: a variant of {} computes {found}", node.shape)));
        }
        rewriter.b.name(new, &node.name);
        moved.push(new);
    }
    let mut given: BTreeSet<NodeId> = BTreeSet::new();
    for (kind, id) in &graph.outputs {
        let mut id = moved[id.index()];
        // Every output is a buffer of its own, also where two have become equal.
        while !given.insert(id) {
            let (shape, dtype) = (rewriter.b.shape(id).clone(), rewriter.b.dtype(id));
            id = rewriter.b.push(Op::Reshape(id), shape, dtype);
        }
        let kind: OutputKind = kind.clone();
        rewriter.b.output(kind, id);
    }
    let mut all = marks.moved(&|id| Some(moved[id.index()]));
    all.preferred.extend(rewriter.marks.preferred);
    all.constraints.stored.extend(rewriter.marks.constraints.stored);
    let (graph, places) = rewriter.b.finish_with_places();
    Ok((graph, all.moved(&|id| places[id.index()])))
}

/// Builds the nodes that take a node's place.
struct Rewriter<'a> {
    b: Builder,
    /// What is known of symbols.
    sizes: Bindings<'a>,
    /// Of index arithmetic.
    width: IndexWidth,
    /// About the new nodes.
    marks: Marks,
}

impl Rewriter<'_> {
    /// The node that holds the value of `op`, of that shape and type, whose operands are in the new graph already.
    fn node(&mut self, op: &Op, (out, dtype): (&Shape, DType), config: &KernelConfig) -> Result<NodeId> {
        let parts = u64::from(config.values.get(SPLIT_K));
        let rest = KernelConfig { variant: config.variant, values: config.values.without(SPLIT_K) };
        match (config.variant, op, op.as_conv()) {
            (Variant::ReductionParallel, Op::Reduce { op, source, axes }, _) => {
                self.reduce_in_parts(*op, *source, axes, u64::from(config.values.get(PART)))
            }
            (Variant::Conv2dIm2col, _, Some(conv)) => self.im2col(conv, (out, dtype)),
            (Variant::Conv2dWinograd, _, Some(conv)) => self.winograd(conv, out),
            (_, Op::MatMul(a, b), _) if parts > 1 => self.split_product([*a, *b], dtype, parts, rest),
            (_, _, Some(conv)) if parts > 1 => self.split_conv(conv, (out, dtype), parts, rest),
            (variant, ..) => Err(Diagnostic::new(format!("internal error: {variant} is no rewrite of a node"))),
        }
    }

    /// Notes that `id` lies in memory.
    fn store(&mut self, id: NodeId) {
        self.marks.constraints.stored.insert(id);
    }

    /// Notes how the new node `id` is computed.
    fn prefer(&mut self, id: NodeId, config: Option<KernelConfig>) {
        self.marks.preferred.insert(id, config);
    }
}

fn dim(size: u64) -> Dim {
    Dim::constant(size as i64)
}

/// A size that may be the factor of a coordinate.
fn constant(dim: &Dim) -> Result<i64> {
    dim.as_constant().ok_or_else(|| Diagnostic::new(format!("internal error: the size {dim} is not known")))
}
