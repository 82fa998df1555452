//! Fusion: which nodes are computed together in one kernel.
//!
//! Elementwise nodes, views and reshapes belong to no kernel: whoever needs them computes them in place. What is
//! divided into [`Cluster`]s are the *anchors* (reductions, products, convolutions) and the *roots* (nodes whose values
//! must lie in memory). Two rules make a division legal:
//!
//! 1. A cluster reads its own members only at the coordinates at which it is about to compute or has computed them.
//! 2. The clusters, with an arrow for every other read, have no cycle.
//!
//! Everything else is a question of profit; the result is the same for every division but for the order of float sums.

pub(crate) mod access;
pub(crate) mod bundle;
pub(crate) mod cost;
pub(crate) mod legalize;
pub(crate) mod product;
mod prologue;

use crate::dim::{Dim, Shape};
use crate::graph::{Graph, NodeId, Op};
use crate::index::Index;
use crate::target::Target;
use access::{Operand, Trace, is_anchor, trace};
use cost::{cheaper_as_one, recomputed_too_dearly};
use product::{epilogue_coordinates, memory_operands, memory_root, product_reads};
use std::collections::{BTreeMap, BTreeSet};

/// What a cluster iterates over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Loops over `space`; the axes in `reduced` run innermost and are reduced (none: a plain map).
    Loop {
        /// Every axis.
        space: Shape,
        /// Ascending.
        reduced: Vec<usize>,
    },
    /// A matrix product and elementwise work on its result.
    MatMul(NodeId),
    /// One of the three convolutions and elementwise work on its result.
    Conv(NodeId),
}

/// Nodes computed by one kernel.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    /// What it iterates over.
    pub kind: Kind,
    /// Reductions and elementwise roots it computes, in topological order (the product itself included).
    pub members: Vec<NodeId>,
    /// Clusters it reads from.
    pub reads: BTreeSet<usize>,
}

/// A division of a graph into clusters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Division {
    /// In order of creation; see [`Division::order`] for one in which reads come first.
    pub clusters: Vec<Cluster>,
    /// Which cluster computes an anchor or root.
    pub home: BTreeMap<NodeId, usize>,
    /// Members that other clusters or the caller read from memory.
    pub stored: BTreeSet<NodeId>,
}

impl Division {
    /// Whether cluster `from` needs `to`'s results, directly or not.
    fn reaches(&self, from: usize, to: usize) -> bool {
        let mut seen = BTreeSet::from([from]);
        let mut left = vec![from];
        while let Some(cluster) = left.pop() {
            if cluster == to {
                return true;
            }
            left.extend(self.clusters[cluster].reads.iter().copied().filter(|next| seen.insert(*next)));
        }
        false
    }

    /// The clusters in an order in which each comes after what it reads.
    pub(crate) fn order(&self) -> Vec<usize> {
        let mut order = Vec::new();
        let mut done = vec![false; self.clusters.len()];
        fn visit(division: &Division, cluster: usize, done: &mut [bool], order: &mut Vec<usize>) {
            if std::mem::replace(&mut done[cluster], true) {
                return;
            }
            for &read in &division.clusters[cluster].reads {
                visit(division, read, done, order);
            }
            order.push(cluster);
        }
        (0..self.clusters.len()).for_each(|cluster| visit(self, cluster, &mut done, &mut order));
        order
    }
}

/// What a division keeps to besides its own rules: how a variant was chosen to be computed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Constraints {
    /// Nodes that lie in memory, whatever computing them again would cost.
    pub stored: BTreeSet<NodeId>,
    /// Maps that no kernel with reductions computes.
    pub apart: BTreeSet<NodeId>,
}

/// Divides `graph` (made legal by [`legalize`]) for `target`.
pub(crate) fn divide(graph: &Graph, target: Target, constraints: &Constraints) -> Division {
    let mut roots: BTreeSet<NodeId> = graph.outputs.iter().map(|(_, id)| *id).collect();
    roots.extend(constraints.stored.iter().copied().filter(|id| !is_anchor(&graph[*id].op)));
    for (_, node) in graph.iter() {
        for operand in memory_operands(&node.op) {
            roots.extend(memory_root(graph, &node.op, operand, &roots));
        }
    }
    loop {
        let division = divide_with(graph, target, &roots, constraints);
        let better = recomputed_too_dearly(graph, &division).or_else(|| cheaper_as_one(graph, &division));
        let Some(root) = better else { return prologue::fuse(graph, target, constraints, roots, division) };
        roots.insert(root);
    }
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
            Op::MatMul(..) => divider.place_product(id, Kind::MatMul(id)),
            Op::Conv2d { .. } | Op::Conv2dInputGrad { .. } | Op::Conv2dWeightGrad { .. } => {
                divider.place_product(id, Kind::Conv(id));
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
        self.constraints.apart.contains(&id)
    }

    fn reads_of(&self, leaves: &[Operand]) -> BTreeSet<usize> {
        leaves.iter().filter_map(|leaf| self.division.home.get(&leaf.node).copied()).collect()
    }

    fn found(&mut self, id: NodeId, kind: Kind, reads: BTreeSet<usize>) {
        self.division.home.insert(id, self.division.clusters.len());
        self.division.clusters.push(Cluster { kind, members: vec![id], reads });
    }

    fn join(&mut self, id: NodeId, cluster: usize, mut reads: BTreeSet<usize>) {
        reads.remove(&cluster);
        self.division.home.insert(id, cluster);
        self.division.clusters[cluster].members.push(id);
        self.division.clusters[cluster].reads.extend(reads);
    }

    fn place_product(&mut self, id: NodeId, kind: Kind) {
        let reads = product_reads(self.graph, &self.graph[id].op, &|id| self.roots.contains(&id));
        let reads = reads.iter().filter_map(|read| self.division.home.get(read).copied()).collect();
        self.found(id, kind, reads);
    }

    fn place_reduce(&mut self, id: NodeId, space: Shape, reduced: Vec<usize>) {
        let Op::Reduce { source, .. } = self.graph[id].op else { unreachable!("placed as a reduction") };
        let coordinates: Vec<Index> = (0..space.rank()).map(Index::var).collect();
        let leaves = self.trace(source, &coordinates, &space.0, false).leaves;
        let reads = self.reads_of(&leaves);
        self.reads.insert(id, tensors(self.graph, &leaves));
        let candidates: Vec<usize> = (0..self.division.clusters.len())
            .rev()
            .filter(|&cluster| match &self.division.clusters[cluster].kind {
                Kind::Loop { space: s, reduced: r } => {
                    // A map turns into a row-wise kernel if the reduction runs along its rows.
                    let apart = self.division.clusters[cluster].members.iter().any(|id| self.stays_apart(*id));
                    let widens = r.is_empty() && reduced.last() == Some(&(space.rank() - 1)) && !apart;
                    *s == space && (*r == reduced || (widens && reads.contains(&cluster)))
                }
                _ => false,
            })
            .collect();
        for cluster in candidates {
            let rows_stay = match &self.division.clusters[cluster].kind {
                Kind::Loop { reduced: r, .. } => *r == reduced || self.division.clusters[cluster].members.len() < 8,
                _ => false,
            };
            if rows_stay && self.may_join(cluster, &space, &reduced, &leaves, &reads) {
                self.division.clusters[cluster].kind = Kind::Loop { space, reduced };
                return self.join(id, cluster, reads);
            }
        }
        self.found(id, Kind::Loop { space, reduced }, reads);
    }

    fn place_root(&mut self, id: NodeId) {
        let shape = self.graph[id].shape.clone();
        let own: Vec<Index> = (0..shape.rank()).map(Index::var).collect();
        // Which nodes are read is the same whatever the coordinates, and settles most of the questions.
        let leaves = self.trace(id, &own, &shape.0, true).leaves;
        let (reads, read) = (self.reads_of(&leaves), tensors(self.graph, &leaves));
        self.reads.insert(id, read.clone());
        for cluster in (0..self.division.clusters.len()).rev() {
            let joined = match self.division.clusters[cluster].kind.clone() {
                Kind::Loop { reduced, .. } if !reduced.is_empty() && self.stays_apart(id) => false,
                Kind::Loop { space, reduced } => {
                    let rows: Vec<usize> = (0..space.rank()).filter(|axis| !reduced.contains(axis)).collect();
                    let row_shape = Shape(rows.iter().map(|&axis| space[axis].clone()).collect());
                    let coordinates = if shape == space {
                        own.clone()
                    } else if shape == row_shape {
                        rows.into_iter().map(Index::var).collect()
                    } else {
                        continue;
                    };
                    if !reads.contains(&cluster) && !self.shares_a_read(cluster, &read) {
                        continue;
                    }
                    let leaves = self.trace(id, &coordinates, &space.0, true).leaves;
                    self.may_join(cluster, &space, &reduced, &leaves, &reads)
                }
                Kind::MatMul(product) | Kind::Conv(product) if self.target != Target::Host => {
                    reads.contains(&cluster) && self.epilogue(cluster, product, id, &reads)
                }
                _ => false,
            };
            if joined {
                return self.join(id, cluster, reads);
            }
        }
        self.found(id, Kind::Loop { space: shape, reduced: Vec::new() }, reads);
    }

    /// Whether `id`, which reads the clusters `reads`, can be computed from `product`'s elements as they come.
    fn epilogue(&self, cluster: usize, product: NodeId, id: NodeId, reads: &BTreeSet<usize>) -> bool {
        let Some(coordinates) = epilogue_coordinates(self.graph, product, id) else { return false };
        let extents = &self.graph[product].shape.0;
        let leaves = self.trace(id, &coordinates, extents, true).leaves;
        let in_place = leaves.iter().filter(|leaf| self.division.home.get(&leaf.node) == Some(&cluster)).all(|leaf| {
            !leaf.indirect
                && epilogue_coordinates(self.graph, product, leaf.node).is_some_and(|own| own == leaf.coordinates)
        });
        let acyclic = reads.iter().all(|&read| read == cluster || !self.division.reaches(read, cluster));
        in_place && acyclic
    }

    fn shares_a_read(&self, cluster: usize, read: &BTreeSet<NodeId>) -> bool {
        self.division.clusters[cluster]
            .members
            .iter()
            .any(|member| self.reads.get(member).is_some_and(|theirs| !theirs.is_disjoint(read)))
    }

    /// Rules 1 and 2 of the module's notes.
    fn may_join(
        &self,
        cluster: usize,
        space: &Shape,
        reduced: &[usize],
        leaves: &[Operand],
        reads: &BTreeSet<usize>,
    ) -> bool {
        let in_place = leaves.iter().filter(|leaf| self.division.home.get(&leaf.node) == Some(&cluster)).all(|leaf| {
            !leaf.indirect && leaf.coordinates == member_coordinates(self.graph, leaf.node, space, reduced)
        });
        in_place && reads.iter().all(|&read| read == cluster || !self.division.reaches(read, cluster))
    }

    fn finish(mut self) -> Division {
        let mut stored: BTreeSet<NodeId> = self.graph.outputs.iter().map(|(_, id)| *id).collect();
        for cluster in 0..self.division.clusters.len() {
            for operand in read_by(self.graph, &self.division, cluster, self.roots) {
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
fn tensors(graph: &Graph, leaves: &[Operand]) -> BTreeSet<NodeId> {
    leaves.iter().map(|leaf| leaf.node).filter(|id| graph[*id].shape.rank() > 0).collect()
}

/// The coordinates at which a loop over `space` computes its member `id`.
pub(crate) fn member_coordinates(graph: &Graph, id: NodeId, space: &Shape, reduced: &[usize]) -> Vec<Index> {
    let rows = || (0..space.rank()).filter(|axis| !reduced.contains(axis)).map(Index::var).collect();
    match graph[id].op {
        Op::Reduce { .. } => rows(),
        _ if graph[id].shape == *space => (0..space.rank()).map(Index::var).collect(),
        _ => rows(),
    }
}

/// Every node outside itself, and every member, that a cluster reads from memory.
pub(crate) fn read_by(graph: &Graph, division: &Division, cluster: usize, roots: &BTreeSet<NodeId>) -> Vec<NodeId> {
    let stops = |id: NodeId| roots.contains(&id) || is_anchor(&graph[id].op);
    let mut reads = BTreeSet::new();
    for &member in &division.clusters[cluster].members {
        let node = &graph[member];
        match &node.op {
            Op::Reduce { source, .. } => {
                let shape = &graph[*source].shape;
                let coordinates: Vec<Index> = (0..shape.rank()).map(Index::var).collect();
                let leaves = trace(graph, *source, &coordinates, &shape.0, &stops, false).leaves;
                reads.extend(leaves.into_iter().map(|leaf| leaf.node));
            }
            op if is_anchor(op) => reads.extend(product_reads(graph, op, &stops)),
            _ => {
                let coordinates: Vec<Index> = (0..node.shape.rank()).map(Index::var).collect();
                let leaves = trace(graph, member, &coordinates, &node.shape.0, &stops, true).leaves;
                reads.extend(leaves.into_iter().map(|leaf| leaf.node));
            }
        }
    }
    reads.into_iter().collect()
}
