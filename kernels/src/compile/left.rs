//! What the rounds of a loop leave behind: where it goes.

use crate::dim::Dim;
use crate::fuse::access::is_anchor;
use crate::graph::build::Builder;
use crate::graph::{Graph, NodeId, Op, OutputKind, Scan};
use std::collections::{BTreeMap, BTreeSet};

/// Where in their buffers the nodes of the body `graph` begin that a round leaves behind.
pub(super) fn starts(scan: &Scan, graph: &Graph) -> BTreeMap<NodeId, Dim> {
    let mut starts = BTreeMap::new();
    for (kind, id) in &graph.outputs {
        if let OutputKind::Result(position) = kind
            && *position >= scan.carried
        {
            starts.insert(*id, scan.round() * graph[*id].shape.elements());
        }
    }
    starts
}

/// The body with a node of its own, which nothing else reads, for whatever a round leaves behind: it does not lie where its buffer
/// begins. The nodes that there are stay where they are.
pub(super) fn apart(graph: Graph, scan: &Scan) -> Graph {
    let mut read: BTreeSet<NodeId> = BTreeSet::new();
    graph.nodes.iter().for_each(|node| node.op.visit_operands(|operand| read.extend([operand])));
    let outputs = graph.outputs.clone();
    let mut builder = Builder::extend(Graph { outputs: Vec::new(), ..graph });
    for (kind, id) in outputs {
        let op = &builder.node(id).op;
        let left = matches!(kind, OutputKind::Result(position) if position >= scan.carried);
        let computed = is_anchor(op) && !matches!(op, Op::Reduce { .. });
        let own = if left && (computed || read.contains(&id)) { builder.copy(id) } else { id };
        read.insert(own);
        builder.output(kind, own);
    }
    builder.graph().clone()
}
