//! What nodes read when they are computed, remembered while roots come and go.
//!
//! Dividing goes over the graph many times, each time with a root more or less. A walk from a node down to memory depends
//! only on which of the nodes that it meets are roots, so that it is made again only when one of these has changed.

use super::access::{OperandAccess, ReadsCache, Trace, is_anchor, trace, trace_by};
use super::loops::{LoopId, Loops};
use super::product::{epilogue_coordinates, product_reads};
use crate::graph::{Graph, NodeId, Op};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// How a node is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// In a loop, a reduction in its own.
    Loop(LoopId),
    /// From the elements of a product or convolution as they come.
    Epilogue(NodeId),
    /// A product or convolution: by a kernel of its own.
    Product,
}

/// Something that is read.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub node: NodeId,
    /// Whether the cluster that is read for may have it as a member: it is read where it is computed.
    pub in_place: bool,
    /// Whether it is read at the coordinates of the loop.
    pub whole: bool,
}

/// What is met when a node is computed.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    /// What is read; as often as it is read at different places.
    pub leaves: Vec<Leaf>,
    /// What is read and is no mere number, ascending.
    pub tensors: Vec<NodeId>,
    /// Nodes that are computed in place, ascending.
    pub inlined: Vec<NodeId>,
}

/// A reading that holds.
struct Known {
    way: Way,
    /// The how-manieth that was made.
    number: usize,
    /// None where the node cannot be computed in that way.
    reading: Option<Rc<Reading>>,
}

/// The readings of a graph's nodes.
pub(super) struct Readings<'a> {
    pub graph: &'a Graph,
    pub loops: Loops,
    steps: RefCell<ReadsCache>,
    /// Whether a node must lie in memory though no kernel of its own computes it.
    roots: Vec<bool>,
    /// What is known of each node.
    known: Vec<Vec<Known>>,
    /// For each node the readings that depend on whether it is a root: of which node, and which they are. Some of them are
    /// forgotten by now.
    dependent: Vec<Vec<(NodeId, usize)>>,
    /// How many readings were made: the work of dividing.
    pub made: usize,
}

impl<'a> Readings<'a> {
    /// None yet.
    pub(super) fn new(graph: &'a Graph, roots: &BTreeSet<NodeId>) -> Self {
        let nodes = graph.nodes.len();
        Readings {
            graph,
            loops: Loops::new(graph),
            steps: RefCell::default(),
            roots: graph.iter().map(|(id, _)| roots.contains(&id)).collect(),
            known: (0..nodes).map(|_| Vec::new()).collect(),
            dependent: vec![Vec::new(); nodes],
            made: 0,
        }
    }

    pub(super) fn is_root(&self, id: NodeId) -> bool {
        self.roots[id.index()]
    }

    /// Whether walks end at `id`.
    pub(super) fn stops(&self, id: NodeId) -> bool {
        self.is_root(id) || is_anchor(&self.graph[id].op)
    }

    /// Makes `id` a root, or no root any more.
    pub(super) fn set_root(&mut self, id: NodeId, root: bool) {
        if std::mem::replace(&mut self.roots[id.index()], root) != root {
            for (node, number) in std::mem::take(&mut self.dependent[id.index()]) {
                self.known[node.index()].retain(|known| known.number != number);
            }
        }
    }

    /// What `id` reads where it is computed by a kernel of its own.
    pub(super) fn alone(&mut self, id: NodeId) -> Rc<Reading> {
        let way = match &self.graph[id].op {
            Op::Reduce { .. } => Way::Loop(self.loops.of(id)),
            op if is_anchor(op) => Way::Product,
            _ => Way::Loop(self.loops.of(id)),
        };
        self.of(id, way).unwrap_or_default()
    }

    /// What `id`, which is no reduction, reads as a member of a loop that holds it.
    pub(super) fn in_loop(&mut self, id: NodeId, of: LoopId) -> Rc<Reading> {
        self.of(id, Way::Loop(of)).unwrap_or_default()
    }

    /// What `id` reads where it is computed from the elements of `product`, if it can be.
    pub(super) fn in_epilogue(&mut self, id: NodeId, product: NodeId) -> Option<Rc<Reading>> {
        self.of(id, Way::Epilogue(product))
    }

    /// What clusters of these members read, ascending.
    pub(super) fn operands(&mut self, members: &[NodeId]) -> BTreeSet<NodeId> {
        let mut operands = BTreeSet::new();
        for &member in members {
            operands.extend(self.alone(member).leaves.iter().map(|leaf| leaf.node));
        }
        operands
    }

    fn of(&mut self, id: NodeId, way: Way) -> Option<Rc<Reading>> {
        if let Some(known) = self.known[id.index()].iter().find(|known| known.way == way) {
            return known.reading.clone();
        }
        let asked = RefCell::new(BTreeSet::new());
        let is_root = |node: NodeId| {
            // Whether it is a root itself matters to others only.
            if node != id {
                asked.borrow_mut().insert(node);
            }
            self.is_root(node)
        };
        let reading = self.read(id, way, &is_root).map(Rc::new);
        let number = self.made;
        self.made += 1;
        for node in asked.into_inner() {
            self.dependent[node.index()].push((id, number));
        }
        self.known[id.index()].push(Known { way, number, reading: reading.clone() });
        reading
    }

    fn read(&self, id: NodeId, way: Way, is_root: &dyn Fn(NodeId) -> bool) -> Option<Reading> {
        let graph = self.graph;
        let stops = |node: NodeId| is_anchor(&graph[node].op) || is_root(node);
        match way {
            Way::Loop(of) => {
                let (loops, steps) = (&self.loops, &mut self.steps.borrow_mut());
                let extents = &loops.space(of).0;
                let trace = match graph[id].op {
                    Op::Reduce { source, .. } => {
                        trace_by(graph, source, loops.element(of), extents, &stops, false, steps)
                    }
                    _ => trace_by(graph, id, loops.coordinates(graph, of, id), extents, &stops, true, steps),
                };
                Some(self.reading(trace, |leaf| Leaf {
                    node: leaf.node,
                    in_place: !leaf.indirect && leaf.is_at(loops.coordinates(graph, of, leaf.node)),
                    whole: !leaf.indirect && leaf.is_at(loops.element(of)),
                }))
            }
            Way::Epilogue(product) => {
                let coordinates = epilogue_coordinates(graph, product, id)?;
                let trace = trace(graph, id, &coordinates, &graph[product].shape.0, &stops, true);
                Some(self.reading(trace, |leaf| Leaf {
                    node: leaf.node,
                    in_place: !leaf.indirect
                        && epilogue_coordinates(graph, product, leaf.node).is_some_and(|own| *own == *leaf.coordinates),
                    whole: false,
                }))
            }
            Way::Product => {
                let reads = product_reads(graph, &graph[id].op, is_root);
                let leaves = reads.into_iter().map(|node| Leaf { node, in_place: false, whole: false }).collect();
                Some(Reading { leaves, ..Reading::default() })
            }
        }
    }

    fn reading(&self, trace: Trace, leaf: impl Fn(&OperandAccess) -> Leaf) -> Reading {
        let leaves: Vec<Leaf> = trace.leaves.iter().map(leaf).collect();
        let tensors = leaves.iter().map(|leaf| leaf.node).filter(|id| self.graph[*id].shape.rank() > 0);
        let tensors: BTreeSet<NodeId> = tensors.collect();
        let inlined: BTreeSet<NodeId> = trace.inlined.iter().map(|(id, _)| *id).collect();
        Reading { leaves, tensors: tensors.into_iter().collect(), inlined: inlined.into_iter().collect() }
    }
}
