//! The only writer of graphs: infers shapes and types, inserts broadcasts, folds constants, shares equal nodes.

#![allow(clippy::missing_errors_doc, reason = "all have the same, which is written once: at `Builder`")]

mod adjoint;
mod agree;
mod attention;
mod autocast;
mod bounds;
mod contract;
mod custom;
mod distinct;
mod elementwise;
mod reshape;
mod scan;
mod sizes;
mod softmax;
mod splice;
mod view;

pub(crate) use agree::smaller;
pub use attention::attention_meaning;
pub use contract::window_count;
pub(crate) use reshape::rounded;
pub use scan::ScanDraft;

use super::*;
use crate::policy::Precision;
use crate::span::{Diagnostic, Result};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Appends nodes to a [`Graph`].
///
/// Every method checks its operands and returns an error that names the operation, what was given and what was
/// expected. Equal nodes are shared, so repeated subexpressions cost nothing.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    graph: Graph,
    known: FxHashMap<(Op, Shape, DType), NodeId>,
    span: Span,
    next_stream: u32,
    /// The rounds of loops, with how many there are.
    steps: Vec<(crate::dim::Symbol, Dim)>,
    literal: bool,
    /// See [`Builder::distinct`].
    distinct: BTreeSet<NodeId>,
    /// See [`Builder::settle`].
    settled: BTreeSet<crate::dim::Symbol>,
    /// What is known of sizes, and who asks for more.
    bounds: bounds::Bounds,
    /// See [`Builder::set_precision`].
    precision: Precision,
}

impl Builder {
    /// A builder of an empty graph called `name`.
    pub fn new(name: &str) -> Self {
        Builder { graph: Graph { name: name.to_string(), ..Graph::default() }, ..Builder::default() }
    }

    /// A builder that appends what it is asked for, folding and sharing nothing: the yardstick for tests of the
    /// simplifications.
    pub fn without_simplification(name: &str) -> Self {
        Builder { literal: true, ..Builder::new(name) }
    }

    /// A builder that goes on where `graph` ends (autodiff does).
    pub fn extend(graph: Graph) -> Self {
        let mut builder = Builder::default();
        for (id, node) in graph.iter() {
            if !matches!(node.op, Op::Input(_)) {
                builder.known.entry((node.op.clone(), node.shape.clone(), node.dtype)).or_insert(id);
            }
            if let Op::Random { stream, .. } = node.op {
                builder.next_stream = builder.next_stream.max(stream + 1);
            }
        }
        builder.graph = graph;
        builder.know_bounds();
        builder
    }

    /// The graph so far.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The finished graph, nodes that no output needs removed.
    pub fn finish(self) -> Graph {
        pruned(self.resolved()).0
    }

    /// The finished graph, and where each node so far is now, if an output needs it.
    pub(crate) fn finish_with_places(self) -> (Graph, Vec<Option<NodeId>>) {
        pruned(self.resolved())
    }

    /// Sets the place that nodes built from now on come from; returns the previous one.
    pub fn set_span(&mut self, span: Span) -> Span {
        std::mem::replace(&mut self.span, span)
    }

    /// The node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.graph[id]
    }

    /// The node's shape.
    pub fn shape(&self, id: NodeId) -> &Shape {
        &self.graph[id].shape
    }

    /// The node's element type.
    pub fn dtype(&self, id: NodeId) -> DType {
        self.graph[id].dtype
    }

    /// Names the node (an argument's, a `let`'s or a layer's name) unless it has a name.
    pub fn name(&mut self, id: NodeId, name: &str) {
        let node = &mut self.graph.nodes[id.index()];
        if node.name.is_empty() {
            node.name = name.to_string();
        }
    }

    /// Notes where the size of `axis` of `id` came from, for error messages.
    pub fn set_origin(&mut self, id: NodeId, axis: usize, origin: impl Into<Arc<Origin>>) {
        let origins = &mut self.graph.nodes[id.index()].origins;
        if origins.len() <= axis {
            origins.resize(axis + 1, None);
        }
        origins[axis] = Some(origin.into());
    }

    /// Where the size of `axis` of `id` came from, where that is known.
    pub fn origin(&self, id: NodeId, axis: usize) -> Option<&Arc<Origin>> {
        self.graph[id].origins.get(axis)?.as_ref()
    }

    /// The same as ` (from …)`, or nothing.
    pub fn origin_note(&self, id: NodeId, axis: usize) -> String {
        self.origin(id, axis).map_or_else(String::new, |origin| format!(" (from {origin})"))
    }

    /// Notes that `window` must fit, where symbols decide that.
    pub fn require_window(&mut self, window: Window) {
        if !window.spare().never_negative() && !self.graph.windows.iter().any(|own| own.is(&window)) {
            self.graph.windows.push(window);
        }
    }

    /// How many windows symbols must leave room for so far.
    pub fn windows(&self) -> usize {
        self.graph.windows.len()
    }

    /// Says of the windows from `first` on who slides them, a layer or an operation.
    pub fn name_windows(&mut self, first: usize, name: &str) {
        self.graph.windows[first..].iter_mut().for_each(|window| window.of = Some(name.to_string()));
    }

    /// Notes that the channels of `batch` must have more than one element, where symbols decide that.
    ///
    /// # Errors
    ///
    /// If they have not, whatever the symbols are.
    pub fn require_batch(&mut self, batch: Batch) -> Result<()> {
        match batch.count().as_constant() {
            Some(count) if count <= 1 => self.fail(batch.too_small(&batch.shape)),
            Some(_) => Ok(()),
            None => {
                if !self.graph.batches.contains(&batch) {
                    self.graph.batches.push(batch);
                }
                Ok(())
            }
        }
    }

    /// Notes that the symbols are a model's own: no argument's type says how large they are, so calls compare with them.
    pub fn settle(&mut self, size: &Dim) {
        size.visit_symbols(&mut |symbol| {
            self.settled.insert(symbol.clone());
        });
    }

    /// Whether the size is a number, or one of a model's own.
    pub(crate) fn is_settled(&self, size: &Dim) -> bool {
        let mut all = true;
        size.visit_symbols(&mut |symbol| all &= self.settled.contains(symbol));
        all
    }

    /// Notes that `end` may not be more than `size`, for which calls are checked: what follows is built as if it were not.
    pub(crate) fn limit(&mut self, limit: Limit) {
        self.bounds.sizes.insert(limit.size.clone() - limit.end.clone());
        if !self.graph.limits.contains(&limit) {
            self.graph.limits.push(limit);
        }
    }

    /// What has been noted so.
    pub(crate) fn limits(&mut self) -> &mut [Limit] {
        &mut self.graph.limits
    }

    /// Declares an output.
    pub fn output(&mut self, kind: OutputKind, id: NodeId) {
        self.graph.outputs.push((kind, id));
    }

    /// Appends a node whose operands, shape and type have been checked; shares it with an equal one.
    pub(crate) fn push(&mut self, op: Op, shape: Shape, dtype: DType) -> NodeId {
        let key = (op.clone(), shape.clone(), dtype);
        if !self.literal
            && let Some(&id) = self.known.get(&key)
        {
            return id;
        }
        let shared = !matches!(op, Op::Input(_));
        let id = self.append(op, shape, dtype);
        if shared {
            self.known.insert(key, id);
        }
        id
    }

    /// The same without sharing it.
    fn append(&mut self, op: Op, shape: Shape, dtype: DType) -> NodeId {
        let origins = self.inherited_origins(&op, &shape);
        self.bound_sizes(&op, &shape);
        let id = NodeId(self.graph.nodes.len() as u32);
        self.graph.nodes.push(Node { op, shape, dtype, name: String::new(), span: self.span, origins });
        id
    }

    /// Another node of the same value, which is shared with no other.
    pub(crate) fn copy(&mut self, id: NodeId) -> NodeId {
        let Node { shape, dtype, span, origins, .. } = self.graph[id].clone();
        let node = Node { op: Op::Reshape(id), shape, dtype, name: String::new(), span, origins };
        self.graph.nodes.push(node);
        NodeId(self.graph.nodes.len() as u32 - 1)
    }

    fn inherited_origins(&self, op: &Op, shape: &Shape) -> Vec<Option<Arc<Origin>>> {
        let mut origins = vec![None; shape.rank()];
        let mut inherit = |id: NodeId, own: usize, theirs: usize| {
            // A size that has become another one comes from elsewhere.
            if origins[own].is_none() && self.graph[id].shape[theirs] == shape[own] {
                origins[own] = self.origin(id, theirs).cloned();
            }
        };
        match op {
            _ if op.is_elementwise() => {
                op.visit_operands(|id| (0..shape.rank()).for_each(|axis| inherit(id, axis, axis)))
            }
            Op::View { source, index } => {
                for (theirs, index) in index.iter().enumerate() {
                    if let Some(own) = index.as_axis() {
                        inherit(*source, own, theirs);
                    }
                }
            }
            Op::Reduce { source, axes, .. } => {
                let kept = (0..self.shape(*source).rank()).filter(|axis| !axes.contains(axis));
                kept.enumerate().for_each(|(own, theirs)| inherit(*source, own, theirs));
            }
            Op::MatMul(a, b) => {
                let rank = shape.rank();
                (0..rank - 1).for_each(|axis| inherit(*a, axis, axis));
                inherit(*b, rank - 1, rank - 1);
            }
            Op::Conv2d { input, weight, .. } => {
                inherit(*input, 0, 0);
                inherit(*weight, 1, 0);
            }
            // The axes before and after those that are arranged anew.
            Op::Reshape(source) => {
                let from = self.shape(*source);
                let (ranks, fewer) = ((from.rank(), shape.rank()), from.rank().min(shape.rank()));
                let first = (0..fewer).take_while(|&axis| from[axis] == shape[axis]).count();
                (0..first).for_each(|axis| inherit(*source, axis, axis));
                let equal = |back: &usize| from[ranks.0 - 1 - back] == shape[ranks.1 - 1 - back];
                let last = (0..fewer - first).take_while(equal).count();
                (0..last).for_each(|back| inherit(*source, ranks.1 - 1 - back, ranks.0 - 1 - back));
            }
            _ => {}
        }
        origins
    }

    fn fail<T>(&self, message: String) -> Result<T> {
        Err(Diagnostic::new(message).at(self.span))
    }

    /// Makes of nodes what the caller supplies, each as the argument at that position: their values are there already. What was built
    /// of them stays as it is. All outputs are known. A call of which an output needs another result is computed again.
    pub(crate) fn supply(&mut self, saved: &[(usize, NodeId)]) {
        let (mut calls, others): (Vec<_>, Vec<_>) = saved.iter().partition(|(_, id)| self.node(*id).op.is_call());
        others.into_iter().for_each(|(position, id)| self.supply_one(id, position));
        // What a later call is supplied instead of need not be there.
        calls.sort_unstable_by_key(|(_, id)| std::cmp::Reverse(*id));
        for (position, id) in calls {
            let needed = needed(&self.graph);
            let has_other = |(other, node): (NodeId, &Node)| {
                needed[other.index()] && matches!(node.op, Op::CustomResult { call, .. } if call == id)
            };
            if !self.graph.iter().any(has_other) {
                self.supply_one(id, position);
            }
        }
    }

    fn supply_one(&mut self, id: NodeId, position: usize) {
        let node = &mut self.graph.nodes[id.index()];
        if matches!(node.op, Op::Input(_) | Op::Constant(_)) {
            return;
        }
        node.op = Op::Input(InputKind::Argument(position));
        if node.name.is_empty() {
            node.name = format!("saved_{position}");
        }
    }

    /// A tensor that the caller supplies.
    pub fn input(&mut self, kind: InputKind, name: &str, shape: Shape, dtype: DType) -> NodeId {
        let id = self.push(Op::Input(kind), shape, dtype);
        self.name(id, name);
        id
    }
}

/// The graph without nodes that no output needs; inputs stay, because they are the function's signature.
pub fn prune(graph: Graph) -> Graph {
    pruned(graph).0
}

/// The graph with its arguments numbered anew. Those that `place` gives no number to are none of its inputs, if nothing reads them.
pub fn renumbered(graph: Graph, place: impl Fn(usize) -> Option<usize>) -> Graph {
    let read = graph.read();
    let mut moved = vec![NodeId(0); graph.nodes.len()];
    let mut nodes = Vec::with_capacity(graph.nodes.len());
    for (position, mut node) in graph.nodes.into_iter().enumerate() {
        if let Op::Input(InputKind::Argument(number)) = &mut node.op {
            match place(*number) {
                Some(new) => *number = new,
                None if !read[position] => continue,
                None => {}
            }
        }
        moved[position] = NodeId(nodes.len() as u32);
        node.op = node.op.map_operands(|id| moved[id.index()]);
        nodes.push(node);
    }
    let outputs = graph.outputs.into_iter().map(|(kind, id)| (kind, moved[id.index()])).collect();
    Graph { nodes, outputs, ..graph }
}

/// As [`prune`], and where each node is now.
fn pruned(graph: Graph) -> (Graph, Vec<Option<NodeId>>) {
    let needed = needed(&graph);
    let mut moved = vec![NodeId(0); graph.nodes.len()];
    let mut nodes = Vec::new();
    for (position, mut node) in graph.nodes.into_iter().enumerate() {
        if needed[position] {
            moved[position] = NodeId(nodes.len() as u32);
            node.op = node.op.map_operands(|id| moved[id.index()]);
            nodes.push(node);
        }
    }
    let outputs = graph.outputs.into_iter().map(|(kind, id)| (kind, moved[id.index()])).collect();
    let places = moved.into_iter().zip(needed).map(|(id, needed)| needed.then_some(id)).collect();
    (Graph { nodes, outputs, ..graph }, places)
}

/// Which nodes an output needs. Inputs are needed, because they are the function's signature.
fn needed(graph: &Graph) -> Vec<bool> {
    let mut needed = vec![false; graph.nodes.len()];
    graph.outputs.iter().for_each(|(_, id)| needed[id.index()] = true);
    for (id, node) in graph.iter().rev() {
        if matches!(&node.op, Op::Input(kind) if !matches!(kind, InputKind::Carried(_))) {
            needed[id.index()] = true;
        }
        if needed[id.index()] {
            node.op.visit_operands(|operand| needed[operand.index()] = true);
        }
    }
    needed
}
