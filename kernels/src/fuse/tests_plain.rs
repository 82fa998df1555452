//! Division as its rules say it, every round from the beginning and every question asked of every cluster: what the quick
//! one must agree with.

use super::access::{OperandAccess, Trace, is_anchor, is_transposed, trace};
use super::cost::{computed, cost_of_expression};
use super::memory::{most_read, transposed_for};
use super::price::{READ, own_cost};
use super::product::{epilogue_coordinates, lies_in, memory_operands, memory_root, product_reads, prologue_trace};
use super::prologue::{Costs, computed_loads, work};
use super::{Cluster, ClusterKind, Constraints, Division};
use crate::dim::{Dim, Shape};
use crate::graph::{Graph, NodeId, Op};
use crate::index::Index;
use crate::target::Target;
use std::collections::{BTreeMap, BTreeSet};

/// As [`super::divide`].
pub(super) fn divide(graph: &Graph, target: Target, constraints: &Constraints) -> Division {
    let mut roots: BTreeSet<NodeId> = graph.outputs.iter().map(|(_, id)| *id).collect();
    roots.extend(constraints.stored.iter().copied().filter(|id| !is_anchor(&graph[*id].op)));
    for (_, node) in graph.iter() {
        for operand in memory_operands(&node.op) {
            roots.extend(memory_root(graph, &node.op, operand, &roots));
        }
    }
    loop {
        let division = divide_with(graph, target, &roots, constraints);
        let stored = to_materialize(graph, target, &division);
        if stored.is_empty() {
            return fuse(graph, target, constraints, roots, division);
        }
        roots.extend(stored);
    }
}

/// What is materialized next.
fn to_materialize(graph: &Graph, target: Target, division: &Division) -> Vec<NodeId> {
    let mut stored = read_too_often(graph, target, division);
    if stored.is_empty() {
        stored = recomputed_too_dearly(graph, target, division);
    }
    if stored.is_empty() {
        stored.extend(cheaper_as_one(graph, division));
    }
    stored
}

fn divide_with(graph: &Graph, target: Target, roots: &BTreeSet<NodeId>, constraints: &Constraints) -> Division {
    let mut divider =
        Divider { graph, target, roots, constraints, division: Division::default(), reads: BTreeMap::new() };
    for (id, node) in graph.iter() {
        match &node.op {
            Op::Reduce { axes, source, .. } => {
                let space = graph[*source].shape.clone();
                divider.place_reduce(id, space, axes.clone());
            }
            Op::MatMul(..) => divider.place_product(id, ClusterKind::MatMul(id)),
            Op::ScatterAdd { .. } => divider.place_product(id, ClusterKind::Scatter(id)),
            Op::Conv2d { .. } | Op::Conv2dInputGrad { .. } | Op::Conv2dWeightGrad { .. } => {
                divider.place_product(id, ClusterKind::Conv(id));
            }
            Op::Input(_) => {}
            _ if roots.contains(&id) => divider.place_root(id),
            _ => {}
        }
    }
    divider.finish()
}

struct Divider<'a> {
    graph: &'a Graph,
    target: Target,
    roots: &'a BTreeSet<NodeId>,
    constraints: &'a Constraints,
    division: Division,
    /// What each member of a loop reads.
    reads: BTreeMap<NodeId, BTreeSet<NodeId>>,
}

impl Divider<'_> {
    fn stops(&self, id: NodeId) -> bool {
        self.roots.contains(&id) || is_anchor(&self.graph[id].op)
    }

    fn trace(&self, id: NodeId, coordinates: &[Index], extents: &[Dim], through: bool) -> Trace {
        trace(self.graph, id, coordinates, extents, &|id| self.stops(id), through)
    }

    fn stays_apart(&self, id: NodeId) -> bool {
        self.constraints.apart.contains(&id) || self.target != Target::Gpu && is_transposed(self.graph, id)
    }

    fn reads_of(&self, leaves: &[OperandAccess]) -> BTreeSet<usize> {
        leaves.iter().filter_map(|leaf| self.division.home.get(&leaf.node).copied()).collect()
    }

    fn found(&mut self, id: NodeId, kind: ClusterKind, reads: BTreeSet<usize>) {
        self.division.home.insert(id, self.division.clusters.len());
        self.division.clusters.push(Cluster { kind, members: vec![id], reads, operands: Vec::new() });
    }

    fn join(&mut self, id: NodeId, cluster: usize, mut reads: BTreeSet<usize>) {
        reads.remove(&cluster);
        self.division.home.insert(id, cluster);
        self.division.clusters[cluster].members.push(id);
        self.division.clusters[cluster].reads.extend(reads);
    }

    fn place_product(&mut self, id: NodeId, kind: ClusterKind) {
        let reads = product_reads(self.graph, &self.graph[id].op, &|id| self.roots.contains(&id));
        let reads = reads.iter().filter_map(|read| self.division.home.get(read).copied()).collect();
        self.found(id, kind, reads);
    }

    fn place_reduce(&mut self, id: NodeId, space: Shape, reduced: Vec<usize>) {
        let Op::Reduce { source, .. } = self.graph[id].op else { unreachable!("placed as a reduction") };
        let coordinates = element(&space);
        let leaves = self.trace(source, &coordinates, &space.0, false).leaves;
        let reads = self.reads_of(&leaves);
        let read = tensors(self.graph, &leaves);
        self.reads.insert(id, read.clone());
        let candidates: Vec<usize> = (0..self.division.clusters.len())
            .rev()
            .filter(|&cluster| match &self.division.clusters[cluster].kind {
                ClusterKind::Loop { space: s, reduced: r } => {
                    // A map turns into a row-wise kernel if the reduction runs along its rows.
                    let apart = self.division.clusters[cluster].members.iter().any(|id| self.stays_apart(*id));
                    let widens = r.is_empty() && reduced.last() == Some(&(space.rank() - 1)) && !apart;
                    // The host has no loops of what has nothing in common.
                    let related =
                        self.target != Target::Host || reads.contains(&cluster) || self.shares_a_read(cluster, &read);
                    *s == space && *r == reduced && related
                        || s.axes_in(&space).is_some() && widens && reads.contains(&cluster)
                }
                _ => false,
            })
            .collect();
        for cluster in candidates {
            let rows_stay = match &self.division.clusters[cluster].kind {
                ClusterKind::Loop { reduced: r, .. } => {
                    *r == reduced || self.division.clusters[cluster].members.len() < 8
                }
                _ => false,
            };
            if rows_stay && self.may_join(cluster, &space, &reduced, &leaves, &reads) {
                self.division.clusters[cluster].kind = ClusterKind::Loop { space, reduced };
                return self.join(id, cluster, reads);
            }
        }
        self.found(id, ClusterKind::Loop { space, reduced }, reads);
    }

    fn place_root(&mut self, id: NodeId) {
        let shape = self.graph[id].shape.clone();
        let own = element(&shape);
        // Which nodes are read is the same whatever the coordinates, and settles most of the questions.
        let leaves = self.trace(id, &own, &shape.0, true).leaves;
        let (reads, read) = (self.reads_of(&leaves), tensors(self.graph, &leaves));
        self.reads.insert(id, read.clone());
        for cluster in (0..self.division.clusters.len()).rev() {
            let joined = match self.division.clusters[cluster].kind.clone() {
                ClusterKind::Loop { reduced, .. } if !reduced.is_empty() && self.stays_apart(id) => false,
                ClusterKind::Loop { space, reduced } => {
                    let rows: Vec<usize> = (0..space.rank()).filter(|axis| !reduced.contains(axis)).collect();
                    let row_shape = Shape(rows.iter().map(|&axis| space[axis].clone()).collect());
                    if [&space, &row_shape].into_iter().all(|all| shape.axes_in(all).is_none()) {
                        continue;
                    }
                    let coordinates = member_coordinates(self.graph, id, &space, &reduced);
                    if !reads.contains(&cluster) && !self.shares_a_read(cluster, &read) {
                        continue;
                    }
                    let leaves = self.trace(id, &coordinates, &space.0, true).leaves;
                    self.may_join(cluster, &space, &reduced, &leaves, &reads)
                }
                ClusterKind::MatMul(product) | ClusterKind::Conv(product) if self.target != Target::Host => {
                    reads.contains(&cluster) && self.epilogue(cluster, product, id, &reads)
                }
                _ => false,
            };
            if joined {
                return self.join(id, cluster, reads);
            }
        }
        self.found(id, ClusterKind::Loop { space: shape, reduced: Vec::new() }, reads);
    }

    /// Whether `id`, which reads the clusters `reads`, can be computed from `product`'s elements as they come.
    fn epilogue(&self, cluster: usize, product: NodeId, id: NodeId, reads: &BTreeSet<usize>) -> bool {
        let Some(coordinates) = epilogue_coordinates(self.graph, product, id) else { return false };
        let extents = &self.graph[product].shape.0;
        let leaves = self.trace(id, &coordinates, extents, true).leaves;
        let in_place = leaves.iter().filter(|leaf| self.division.home.get(&leaf.node) == Some(&cluster)).all(|leaf| {
            !leaf.indirect
                && epilogue_coordinates(self.graph, product, leaf.node).is_some_and(|own| *own == *leaf.coordinates)
        });
        let acyclic = reads.iter().all(|&read| read == cluster || !reaches(&self.division, read, cluster));
        in_place && acyclic
    }

    fn shares_a_read(&self, cluster: usize, read: &BTreeSet<NodeId>) -> bool {
        self.division.clusters[cluster]
            .members
            .iter()
            .any(|member| self.reads.get(member).is_some_and(|theirs| theirs.iter().any(|id| read.contains(id))))
    }

    /// Rules 1 and 2 of the module's notes.
    fn may_join(
        &self,
        cluster: usize,
        space: &Shape,
        reduced: &[usize],
        leaves: &[OperandAccess],
        reads: &BTreeSet<usize>,
    ) -> bool {
        let in_place = leaves.iter().filter(|leaf| self.division.home.get(&leaf.node) == Some(&cluster)).all(|leaf| {
            !leaf.indirect && *leaf.coordinates == *member_coordinates(self.graph, leaf.node, space, reduced)
        });
        in_place && reads.iter().all(|&read| read == cluster || !reaches(&self.division, read, cluster))
    }

    fn finish(mut self) -> Division {
        let mut stored: BTreeSet<NodeId> = self.graph.outputs.iter().map(|(_, id)| *id).collect();
        for cluster in 0..self.division.clusters.len() {
            let operands = read_by(self.graph, &self.division, cluster, self.roots);
            self.division.clusters[cluster].operands.clone_from(&operands);
            for operand in operands {
                if self.division.home.get(&operand).is_some_and(|&home| home != cluster) {
                    stored.insert(operand);
                }
            }
        }
        // Roots that only their own cluster reads need no memory.
        self.division.stored = stored;
        self.division
    }
}

/// The nodes read that are no mere numbers.
fn tensors(graph: &Graph, leaves: &[OperandAccess]) -> BTreeSet<NodeId> {
    leaves.iter().map(|leaf| leaf.node).filter(|id| graph[*id].shape.rank() > 0).collect()
}

/// Every node outside itself, and every member, that a cluster reads from memory.
fn read_by(graph: &Graph, division: &Division, cluster: usize, roots: &BTreeSet<NodeId>) -> Vec<NodeId> {
    let stops = |id: NodeId| roots.contains(&id) || is_anchor(&graph[id].op);
    let mut reads = BTreeSet::new();
    for &member in &division.clusters[cluster].members {
        let node = &graph[member];
        match &node.op {
            Op::Reduce { source, .. } => {
                let shape = &graph[*source].shape;
                let coordinates = element(shape);
                let leaves = trace(graph, *source, &coordinates, &shape.0, &stops, false).leaves;
                reads.extend(leaves.into_iter().map(|leaf| leaf.node));
            }
            op if is_anchor(op) => reads.extend(product_reads(graph, op, &stops)),
            _ => {
                let coordinates = element(&node.shape);
                let leaves = trace(graph, member, &coordinates, &node.shape.0, &stops, true).leaves;
                reads.extend(leaves.into_iter().map(|leaf| leaf.node));
            }
        }
    }
    reads.into_iter().collect()
}

/// The operand of a reduction that is a function of several values of one other cluster, each of which would have to be
/// stored for it: storing the one operand instead is less. (The rows of a loss, before their mean.)
fn cheaper_as_one(graph: &Graph, division: &Division) -> Option<NodeId> {
    let stops = |id: NodeId| division.home.contains_key(&id) || is_anchor(&graph[id].op);
    division.home.keys().find_map(|&id| {
        let Op::Reduce { source, .. } = graph[id].op else { return None };
        if stops(source) || matches!(graph[source].op, Op::View { .. } | Op::Reshape(_)) {
            return None;
        }
        let shape = &graph[source].shape;
        let coordinates = element(shape);
        let leaves = trace(graph, source, &coordinates, &shape.0, &stops, false).leaves;
        let full = leaves.iter().filter(|leaf| *leaf.coordinates == *coordinates && !leaf.indirect);
        let mut homes = BTreeMap::new();
        full.filter_map(|leaf| division.home.get(&leaf.node)).for_each(|home| *homes.entry(home).or_insert(0) += 1);
        let other = homes.iter().any(|(home, count)| *count > 1 && Some(*home) != division.home.get(&id));
        other.then_some(source)
    })
}

/// Nodes that processors read less memory for if they are stored.
fn read_too_often(graph: &Graph, target: Target, division: &Division) -> Vec<NodeId> {
    if target == Target::Gpu {
        return Vec::new();
    }
    let stops = |id: NodeId| division.home.contains_key(&id) || is_anchor(&graph[id].op);
    let mut kernels = vec![0; graph.nodes.len()];
    let mut visits: BTreeMap<NodeId, usize> = BTreeMap::new();
    for cluster in &division.clusters {
        let (mut met, mut transposed) = (BTreeSet::new(), BTreeMap::new());
        for &member in &cluster.members {
            let root = computed(graph, member);
            let shape = &graph[root].shape;
            let coordinates = element(shape);
            let inlined = trace(graph, root, &coordinates, &shape.0, &stops, root == member).inlined;
            met.extend(inlined.into_iter().map(|(id, _)| id));
            if let ClusterKind::Loop { space, .. } = &cluster.kind {
                transposed_for(graph, member, space, &stops)
                    .into_iter()
                    .for_each(|view| *transposed.entry(view).or_insert(0) += 1);
            }
        }
        met.into_iter().for_each(|id| kernels[id.index()] += 1);
        let is_map = matches!(&cluster.kind, ClusterKind::Loop { reduced, .. } if reduced.is_empty());
        transposed
            .into_iter()
            .for_each(|(id, count)| *visits.entry(id).or_default() += if is_map { 1 } else { count.min(2) });
    }
    let elements: Vec<u64> = graph.iter().map(|(_, node)| node.shape.elements().estimate()).collect();
    let read = most_read(graph, &kernels, &elements, &stops);
    let views = || visits.into_iter().filter(|(_, count)| *count > 1).map(|(id, _)| id).collect();
    if read.is_empty() { views() } else { read }
}

/// Nodes that several clusters compute again although reading them would be cheaper, the last first: of two that are computed for one
/// member only the later one.
fn recomputed_too_dearly(graph: &Graph, target: Target, division: &Division) -> Vec<NodeId> {
    let mut visitors: BTreeMap<NodeId, BTreeSet<usize>> = BTreeMap::new();
    let mut together: Vec<BTreeSet<NodeId>> = Vec::new();
    let mut repeated = BTreeSet::new();
    let stops = |id: NodeId| division.home.contains_key(&id) || is_anchor(&graph[id].op);
    for (position, cluster) in division.clusters.iter().enumerate() {
        for &member in &cluster.members {
            let (root, through) = match graph[member].op {
                Op::Reduce { source, .. } => (source, false),
                _ => (member, true),
            };
            let shape = &graph[root].shape;
            let coordinates = element(shape);
            let inlined = trace(graph, root, &coordinates, &shape.0, &stops, through).inlined;
            together.push(inlined.iter().map(|(node, _)| *node).collect());
            for (node, _) in inlined {
                visitors.entry(node).or_default().insert(position);
                if graph[node].shape.elements().estimate() < graph[computed(graph, member)].shape.elements().estimate()
                {
                    repeated.insert(node);
                }
            }
        }
    }
    let mut cost: BTreeMap<NodeId, u32> = BTreeMap::new();
    let mut candidates = Vec::new();
    for (id, node) in graph.iter() {
        if stops(id) {
            continue;
        }
        let mut sum = own_cost(&node.op);
        node.op.visit_operands(|operand| sum += cost.get(&operand).copied().unwrap_or(2));
        cost.insert(id, sum);
        let shared = visitors.get(&id).is_some_and(|visitors| visitors.len() > 1);
        let is_dear =
            || target != Target::Gpu || repeated.contains(&id) || cost_of_expression(graph, id, &stops) > READ;
        if shared
            && sum > READ
            && node.shape.rank() > 0
            && !matches!(node.op, Op::View { .. } | Op::Reshape(_))
            && is_dear()
        {
            candidates.push(id);
        }
    }
    let mut stored: Vec<NodeId> = Vec::new();
    for id in candidates.into_iter().rev() {
        let with_later =
            |nodes: &BTreeSet<NodeId>| nodes.contains(&id) && stored.iter().any(|later| nodes.contains(later));
        if !together.iter().any(with_later) {
            stored.push(id);
        }
    }
    stored
}

fn fuse(
    graph: &Graph,
    target: Target,
    constraints: &Constraints,
    mut roots: BTreeSet<NodeId>,
    mut division: Division,
) -> Division {
    if target == Target::Host {
        return division;
    }
    let kernels = division.clusters.iter().filter(|cluster| {
        let given = |id: &NodeId| graph.outputs.iter().any(|(_, output)| output == id);
        matches!(&cluster.kind, ClusterKind::Loop { reduced, .. } if reduced.is_empty())
            && !cluster.members.iter().any(|id| given(id) || gathered(graph, *id) || constraints.stored.contains(id))
    });
    let kernels: Vec<Vec<NodeId>> = kernels.map(|cluster| cluster.members.clone()).collect();
    for kernel in kernels {
        let fewer: BTreeSet<NodeId> = roots.iter().copied().filter(|root| !kernel.contains(root)).collect();
        if !pays(graph, target, &division, &roots, &fewer, &kernel) {
            continue;
        }
        let trial = divide_with(graph, target, &fewer, constraints);
        if to_materialize(graph, target, &trial).is_empty() && trial.clusters.len() < division.clusters.len() {
            (roots, division) = (fewer, trial);
        }
    }
    division
}

/// Whether gathers or scatter-adds read `id`, by numbers that are known only at run time: such a source lies in memory.
fn gathered(graph: &Graph, id: NodeId) -> bool {
    let by_number = |op: &Op| matches!(op, Op::Gather { .. } | Op::ScatterAdd { .. });
    let reads = |op: &Op| memory_operands(op).into_iter().any(|operand| lies_in(graph, op, operand) == id);
    graph.iter().any(|(_, node)| by_number(&node.op) && reads(&node.op))
}

/// Whether products that compute the operands which `kernel` stores, each time they load them, do less work than the
/// kernel and its memory. `fewer` are the roots without those operands.
///
/// Saved: the kernel's launch, its reads and writes, and the readers' reads of what it stored. Spent: the readers' reads
/// of what the kernel read, and the arithmetic, again for each load ([`computed_loads`]).
fn pays(
    graph: &Graph,
    target: Target,
    division: &Division,
    roots: &BTreeSet<NodeId>,
    fewer: &BTreeSet<NodeId>,
    kernel: &[NodeId],
) -> bool {
    let stays = |id: NodeId| fewer.contains(&id);
    let memory = |ids: &BTreeSet<NodeId>| {
        ids.iter().map(|id| graph[*id].shape.elements().estimate() as f64).sum::<f64>() * f64::from(READ)
    };
    let leaves = |ids: &BTreeSet<NodeId>| -> BTreeSet<NodeId> {
        let leaves = ids.iter().flat_map(|id| prologue_trace(graph, *id, &stays).leaves);
        leaves.map(|leaf| leaf.node).collect()
    };
    let stored: BTreeSet<NodeId> = kernel.iter().copied().collect();
    let mut saved = Costs::of(target).launch + memory(&stored) + memory(&leaves(&stored));
    let mut spent = 0.0;
    for (position, cluster) in division.clusters.iter().enumerate() {
        let read: BTreeSet<NodeId> =
            read_by(graph, division, position, roots).into_iter().filter(|id| stored.contains(id)).collect();
        if read.is_empty() || division.home.get(&kernel[0]) == Some(&position) {
            continue;
        }
        saved += memory(&read);
        spent += memory(&leaves(&read));
        match cluster.kind {
            ClusterKind::MatMul(product) | ClusterKind::Conv(product) | ClusterKind::Scatter(product) => {
                spent += computed_loads(graph, target, product, &stored, &stays);
            }
            // It reads from memory what it is given.
            ClusterKind::Attention(_) | ClusterKind::Custom(_) | ClusterKind::Scan(_) => {}
            ClusterKind::Loop { .. } => {
                for &id in &read {
                    let elements = graph[id].shape.elements().estimate() as f64;
                    spent += elements * f64::from(work(graph, &prologue_trace(graph, id, &stays)));
                }
            }
        }
    }
    spent <= saved
}

/// Whether cluster `from` needs `to`'s results, directly or not.
fn reaches(division: &Division, from: usize, to: usize) -> bool {
    let mut seen: BTreeSet<usize> = [from].into_iter().collect();
    let mut left = vec![from];
    while let Some(cluster) = left.pop() {
        if cluster == to {
            return true;
        }
        left.extend(division.clusters[cluster].reads.iter().copied().filter(|next| seen.insert(*next)));
    }
    false
}

/// The coordinates of an element: 0 along axes of one element.
fn element(shape: &Shape) -> Vec<Index> {
    (0..shape.rank()).map(|axis| if shape[axis].is(1) { Index::default() } else { Index::var(axis) }).collect()
}

/// The coordinates at which a loop over `space` computes its member `id`: 0 along axes of one element.
fn member_coordinates(graph: &Graph, id: NodeId, space: &Shape, reduced: &[usize]) -> Vec<Index> {
    let rows: Vec<usize> = (0..space.rank()).filter(|axis| !reduced.contains(axis)).collect();
    let row_shape = Shape(rows.iter().map(|axis| space[*axis].clone()).collect());
    let shape = &graph[id].shape;
    let coordinates = |axes: Vec<Option<usize>>, own: &[usize]| -> Vec<Index> {
        axes.into_iter().map(|axis| axis.map_or_else(Index::default, |axis| Index::var(own[axis]))).collect()
    };
    let all: Vec<usize> = (0..space.rank()).collect();
    let of_rows = matches!(graph[id].op, Op::Reduce { .. }) || *shape == row_shape && shape != space;
    match (shape.axes_in(space), shape.axes_in(&row_shape)) {
        (Some(axes), _) if !of_rows => coordinates(axes, &all),
        (_, Some(axes)) => coordinates(axes, &rows),
        (_, None) => panic!("{shape:?} is no member of a loop over {space:?}"),
    }
}
