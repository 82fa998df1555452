//! What nodes read when they are computed, remembered while roots come and go.
//!
//! Dividing goes over the graph many times, each time with a root more or less. A walk from a node down to memory depends
//! only on which of the nodes that it meets are roots, so that it is made again only when one of these has changed.

use super::access::{is_anchor, is_transposed, trace};
use super::loops::{LoopId, Loops};
use super::places::ReadPlaces;
use super::price::{READ, own_cost, weight};
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
    /// Whether it is read at the coordinates of the loop.
    pub whole: bool,
}

/// What is met when a node is computed.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    /// What is read; as often as it is read at different places.
    pub leaves: Vec<Leaf>,
    /// What of it the cluster that is read for may not have as a member: it is computed, and read elsewhere than there.
    pub elsewhere: Vec<NodeId>,
    /// What is read and is no mere number, ascending.
    pub tensors: Vec<NodeId>,
    /// Nodes that are computed in place, ascending.
    pub inlined: Vec<NodeId>,
    /// What is computed for it ([`super::price`]).
    pub weight: u32,
}

impl Reading {
    fn read(&mut self, graph: &Graph, leaf: Leaf, in_place: bool) {
        let given = matches!(graph[leaf.node].op, Op::Input(_));
        self.elsewhere.extend((!in_place && !given).then_some(leaf.node));
        self.leaves.push(leaf);
    }
}

/// A reading that holds.
struct Known {
    way: Way,
    /// None where the node cannot be computed in that way.
    reading: Option<Rc<Reading>>,
    /// Whether which of these are roots matters besides those that it meets, ascending: to what a product reads.
    asked: Vec<NodeId>,
}

impl Known {
    /// Whether it is another one where `id`, met by others than itself, becomes a root or is none any more.
    fn depends_on(&self, id: NodeId) -> bool {
        let Some(reading) = &self.reading else { return false };
        let inlined = &reading.inlined;
        // Most of them are of a few neighbours.
        let between =
            inlined.first().is_some_and(|first| *first <= id) && inlined.last().is_some_and(|last| id <= *last);
        between && inlined.binary_search(&id).is_ok()
            || reading.leaves.iter().any(|leaf| leaf.node == id)
            || self.asked.binary_search(&id).is_ok()
    }
}

/// The readings of a graph's nodes.
pub(super) struct Readings<'a> {
    pub graph: &'a Graph,
    pub loops: Loops,
    /// About how many elements each node has, and what one of them costs.
    sizes: Vec<(u64, u32)>,
    /// What each costs from what lies in memory on, up to more than [`READ`]; sums count what several operands need as often.
    costs: Vec<u32>,
    /// Who computes with it.
    users: Vec<Vec<NodeId>>,
    /// The places in each space.
    places: Vec<ReadPlaces>,
    /// Whether a node must lie in memory though no kernel of its own computes it.
    roots: Vec<bool>,
    /// Whether walks end at a node.
    stops: Vec<bool>,
    /// Whether a node is a view whose rows lie across those of what it is a view of.
    is_transposed: Vec<bool>,
    /// What is known of each node.
    known: Vec<Vec<Known>>,
    /// How many readings were made: the work of dividing.
    pub made: usize,
}

impl<'a> Readings<'a> {
    /// None yet.
    pub(super) fn new(graph: &'a Graph, roots: &BTreeSet<NodeId>) -> Self {
        let nodes = graph.nodes.len();
        let loops = Loops::new(graph);
        let (shape_of, shapes) = loops.shapes();
        let elements: Vec<u64> = shapes.iter().map(|shape| shape.elements().estimate()).collect();
        let places = shapes.iter().map(|_| ReadPlaces::default()).collect();
        let sizes = graph.nodes.iter().zip(shape_of);
        let sizes = sizes.map(|(node, shape)| (elements[*shape], own_cost(&node.op))).collect();
        let roots: Vec<bool> = graph.iter().map(|(id, _)| roots.contains(&id)).collect();
        let stops = graph.iter().map(|(id, node)| roots[id.index()] || is_anchor(&node.op)).collect();
        let known = (0..nodes).map(|_| Vec::new()).collect();
        let is_transposed = graph.iter().map(|(id, _)| is_transposed(graph, id)).collect();
        let mut users = vec![Vec::new(); nodes];
        graph.iter().for_each(|(id, node)| node.op.visit_operands(|operand| users[operand.index()].push(id)));
        let costs = vec![0; nodes];
        let mut readings =
            Readings { graph, loops, sizes, costs, users, places, roots, stops, is_transposed, known, made: 0 };
        for (id, _) in graph.iter() {
            readings.costs[id.index()] = readings.cost(id);
        }
        readings
    }

    pub(super) fn is_root(&self, id: NodeId) -> bool {
        self.roots[id.index()]
    }

    /// Whether walks end at `id`.
    pub(super) fn stops(&self, id: NodeId) -> bool {
        self.stops[id.index()]
    }

    /// Whether `id` is a view whose rows lie across those of what it is a view of.
    pub(super) fn is_transposed(&self, id: NodeId) -> bool {
        self.is_transposed[id.index()]
    }

    /// About how many elements `id` has.
    pub(super) fn elements(&self, id: NodeId) -> u64 {
        self.sizes[id.index()].0
    }

    /// The cost of one of its elements, its operands being there.
    pub(super) fn own_cost(&self, id: NodeId) -> u32 {
        self.sizes[id.index()].1
    }

    /// Whether computing it, which a kernel of its own need not do, costs more than reading it.
    pub(super) fn is_dear(&self, id: NodeId) -> bool {
        self.costs[id.index()] > READ
            && !self.stops(id)
            && self.graph[id].shape.rank() > 0
            && !matches!(self.graph[id].op, Op::View { .. } | Op::Reshape(_))
    }

    /// What it costs, those of its operands being known.
    fn cost(&self, id: NodeId) -> u32 {
        if self.stops(id) {
            return 2;
        }
        let mut sum = self.own_cost(id);
        self.graph[id].op.visit_operands(|operand| sum = sum.saturating_add(self.costs[operand.index()]));
        sum.min(READ + 1)
    }

    /// Makes `id` a root, or no root any more.
    pub(super) fn set_root(&mut self, id: NodeId, root: bool) {
        if std::mem::replace(&mut self.roots[id.index()], root) != root {
            self.stops[id.index()] = root || is_anchor(&self.graph[id].op);
            let mut changed = BTreeSet::from([id]);
            while let Some(next) = changed.pop_first() {
                let cost = self.cost(next);
                if std::mem::replace(&mut self.costs[next.index()], cost) != cost {
                    changed.extend(&self.users[next.index()]);
                }
            }
            // Whether it is a root itself matters to others only, and those that read it come after it.
            self.known[id.index() + 1..].iter_mut().for_each(|known| known.retain(|known| !known.depends_on(id)));
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
        let mut asked = BTreeSet::new();
        let reading = self.read(id, way, &mut asked).map(Rc::new);
        self.made += 1;
        self.known[id.index()].push(Known { way, reading: reading.clone(), asked: asked.into_iter().collect() });
        reading
    }

    fn read(&mut self, id: NodeId, way: Way, asked: &mut BTreeSet<NodeId>) -> Option<Reading> {
        let graph = self.graph;
        let mut reading = Reading::default();
        match way {
            Way::Loop(of) => {
                let loops = &self.loops;
                let (root, coordinates, through) = match graph[id].op {
                    Op::Reduce { source, .. } => (source, loops.element(of), false),
                    _ => (id, loops.coordinates(graph, of, id), true),
                };
                let places = &mut self.places[loops.space_id(of)];
                let met = places.walk((graph, &loops.space(of).0), (root, coordinates), &self.stops, through);
                for leaf in met.leaves {
                    let in_place = !leaf.indirect && leaf.is_at(loops.coordinates(graph, of, leaf.node));
                    let whole = !leaf.indirect && leaf.is_at(loops.element(of));
                    reading.read(graph, Leaf { node: leaf.node, whole }, in_place);
                }
                reading.inlined = met.inlined;
            }
            Way::Epilogue(product) => {
                let coordinates = epilogue_coordinates(graph, product, id)?;
                let trace = trace(graph, id, &coordinates, &graph[product].shape.0, &|id| self.stops(id), true);
                for leaf in &trace.leaves {
                    let own = || epilogue_coordinates(graph, product, leaf.node);
                    let in_place = !leaf.indirect && own().is_some_and(|own| *own == *leaf.coordinates);
                    reading.read(graph, Leaf { node: leaf.node, whole: false }, in_place);
                }
                reading.inlined = trace.inlined.into_iter().map(|(id, _)| id).collect();
            }
            Way::Product => {
                let by = RefCell::new(asked);
                let is_root = |node: NodeId| {
                    by.borrow_mut().insert(node);
                    self.is_root(node)
                };
                let reads = product_reads(graph, &graph[id].op, &is_root);
                reads.into_iter().for_each(|node| reading.read(graph, Leaf { node, whole: false }, false));
                return Some(reading);
            }
        }
        reading.tensors = reading.leaves.iter().map(|leaf| leaf.node).collect();
        reading.tensors.retain(|id| graph[*id].shape.rank() > 0);
        ascending(&mut reading.tensors);
        ascending(&mut reading.inlined);
        reading.weight = weight(reading.inlined.iter().map(|id| self.own_cost(*id)), reading.tensors.len());
        Some(reading)
    }

    /// How many places were found at which something is read.
    #[cfg(test)]
    pub(super) fn places(&self) -> usize {
        self.places.iter().map(ReadPlaces::count).sum()
    }
}

/// Puts nodes in order, each once. A walk meets most of the nodes between the first and the last: they are marked rather than sorted, which
/// is most of the work where a long chain is read again and again.
fn ascending(nodes: &mut Vec<NodeId>) {
    let first = nodes.iter().min().map_or(0, |id| id.index());
    let between = nodes.iter().max().map_or(0, |id| id.index() + 1 - first);
    if between > 4 * nodes.len() {
        nodes.sort_unstable();
        return nodes.dedup();
    }
    let mut met = vec![false; between];
    nodes.drain(..).for_each(|id| met[id.index() - first] = true);
    nodes.extend(met.iter().zip(first..).filter(|(met, _)| **met).map(|(_, position)| NodeId(position as u32)));
}
