//! What processors would read from memory again and again: values of several tensors that many kernels compute, and tensors that rows
//! are read across. GPUs hide such reads behind each other.

use super::access::{is_transposed, operands, trace};
use super::cost::computed;
use super::draft::{Draft, IterationSpace};
use super::reading::Readings;
use crate::dim::Shape;
use crate::graph::{Graph, NodeId};
use crate::index::{self, Index};
use crate::target::Target;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What has fewer elements is in a cache wherever it is read.
const LEAST_STORED: u64 = 4096;

/// The nodes that processors read less memory for if they are stored, ascending.
pub(super) fn read_too_often(readings: &mut Readings<'_>, target: Target, draft: &Draft) -> Vec<NodeId> {
    if target == Target::Gpu {
        return Vec::new();
    }
    let mut kernels = vec![0; readings.graph.nodes.len()];
    let mut last = vec![None; kernels.len()];
    for (position, part) in draft.parts.iter().enumerate() {
        for &member in &part.members {
            for node in &readings.alone(member).inlined {
                if last[node.index()].replace(position) != Some(position) {
                    kernels[node.index()] += 1;
                }
            }
        }
    }
    let elements: Vec<u64> = readings.graph.iter().map(|(id, _)| readings.elements(id)).collect();
    let read = most_read(readings.graph, &kernels, &elements, &|id| readings.stops(id));
    if read.is_empty() { transposed(readings, draft) } else { read }
}

/// The elementwise nodes, of that many elements each, that are computed from several tensors of their size, which `kernels` kernels read more of than it takes to store
/// such a node in the first of them and to read it in the others. All of a chain at once: who computes those before one does not matter to it.
pub(super) fn most_read(
    graph: &Graph,
    kernels: &[usize],
    elements: &[u64],
    stops: &dyn Fn(NodeId) -> bool,
) -> Vec<NodeId> {
    let is_computed = |id: NodeId| !stops(id) && graph[id].op.is_elementwise() && elements[id.index()] >= LEAST_STORED;
    // All that compute such a node compute one with it that is as large: that one is the better to store.
    let mut passed_on = vec![false; elements.len()];
    for (id, node) in graph.iter().filter(|(id, _)| is_computed(*id)) {
        let alike = |other: NodeId| (kernels[other.index()], elements[other.index()]);
        node.op.visit_operands(|operand| passed_on[operand.index()] |= alike(operand) == alike(id));
    }
    let mut tensors: Vec<Tensors> = Vec::with_capacity(elements.len());
    let mut stored = Vec::new();
    for (id, node) in graph.iter() {
        let mut own = Tensors::default();
        if !stops(id) {
            node.op.visit_operands(|operand| {
                let read = tensors[operand.index()].all().filter(|read| elements[read.index()] >= elements[id.index()]);
                read.for_each(|read| own.add(read));
            });
        }
        let (kernels, count) = (kernels[id.index()], own.all().count());
        let pays = is_computed(id) && !passed_on[id.index()] && kernels * count > kernels + count;
        if pays {
            stored.push(id);
        }
        tensors.push(if pays || stops(id) { Tensors([Some(id), None, None]) } else { own });
    }
    stored
}

/// The first tensors that something is computed from: three settle every question.
#[derive(Clone, Copy, Default)]
struct Tensors([Option<NodeId>; 3]);

impl Tensors {
    fn add(&mut self, id: NodeId) {
        if !self.0.contains(&Some(id))
            && let Some(free) = self.0.iter_mut().find(|place| place.is_none())
        {
            *free = Some(id);
        }
    }

    fn all(self) -> impl Iterator<Item = NodeId> {
        self.0.into_iter().flatten()
    }
}

/// The views whose rows lie across those of what they are views of (a transposed matrix) and are read more than once, ascending: none of
/// the kernels that read them could use vectors. One kernel that copies a view has to do without.
fn transposed(readings: &mut Readings<'_>, draft: &Draft) -> Vec<NodeId> {
    let graph = readings.graph;
    let mut visits: BTreeMap<NodeId, usize> = BTreeMap::new();
    for part in &draft.parts {
        let IterationSpace::Loop(own) = part.form else { continue };
        // A map has one round, reductions are of one or more, and what follows is another.
        let most = if readings.loops.reduced(own).is_empty() { 1 } else { 2 };
        let mut within: BTreeMap<NodeId, usize> = BTreeMap::new();
        for &member in &part.members {
            let reading = readings.alone(member);
            let candidate = |id: &NodeId| readings.is_transposed(*id) && !readings.stops(*id);
            if reading.inlined.iter().any(candidate)
                && let Some(view) = transposed_for(graph, member, readings.loops.space(own), &|id| readings.stops(id))
            {
                *within.entry(view).or_default() += 1;
            }
        }
        within.into_iter().for_each(|(view, count)| *visits.entry(view).or_default() += count.min(most));
    }
    visits.into_iter().filter(|(_, count)| *count > 1).map(|(view, _)| view).collect()
}

/// The first view on the way from `member` to memory that neighbours of a row of `space` are not neighbours beyond.
pub(super) fn transposed_for(
    graph: &Graph,
    member: NodeId,
    space: &Shape,
    stops: &dyn Fn(NodeId) -> bool,
) -> Option<NodeId> {
    let root = computed(graph, member);
    if graph[root].shape != *space {
        return None;
    }
    let coordinates: Vec<Index> = (0..space.rank()).map(Index::var).collect();
    let met = trace(graph, root, &coordinates, &space.0, stops, root == member);
    let across = |node: NodeId, at: &[Index]| {
        let place = index::flatten(at, &graph[node].shape);
        space.rank() > 0 && place.coefficient(space.rank() - 1).is_none_or(|c| !c.is(0) && !c.is(1))
    };
    // What is transposed and transposed back is not.
    if !met.leaves.iter().any(|leaf| !leaf.indirect && across(leaf.node, &leaf.coordinates)) {
        return None;
    }
    let first_across = |(id, at): &&(NodeId, Rc<[Index]>)| {
        is_transposed(graph, *id)
            && !stops(*id)
            && !across(*id, at)
            && operands(graph, *id, at, &space.0).iter().any(|read| across(read.node, &read.coordinates))
    };
    met.inlined.iter().find(first_across).map(|(id, _)| *id)
}
