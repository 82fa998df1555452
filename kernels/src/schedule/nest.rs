//! What is known of a loop cluster whichever way it is laid out: its space, what it reads and stores, and in which order.

use crate::dim::{Dim, Shape};
use crate::fuse::access::{OperandAccess, Trace, is_anchor, trace, vectorizes};
use crate::fuse::member::Membership;
use crate::fuse::{Cluster, ClusterKind, Division};
use crate::graph::{Graph, NodeId, Op};
use crate::index::{self, Index};
use std::collections::{BTreeMap, BTreeSet};

/// A loop cluster.
#[derive(Clone, Copy)]
pub(crate) struct Nest<'a> {
    pub graph: &'a Graph,
    pub division: &'a Division,
    /// Which of the division's clusters.
    pub cluster: usize,
}

/// How the axes of a space come from loop variables.
#[derive(Clone, Debug)]
pub(super) struct Domain {
    /// Sizes of the loop variables.
    pub extents: Vec<Dim>,
    /// Each axis over the loop variables.
    pub axes: Vec<Index>,
}

impl Domain {
    /// `groups[var]` are the axes (ascending) that loop variable `var` runs over, flattened.
    pub(super) fn new(space: &Shape, groups: &[Vec<usize>]) -> Self {
        let sizes = |axes: &[usize]| Shape(axes.iter().map(|&axis| space[axis].clone()).collect());
        let extents: Vec<Dim> = groups.iter().map(|axes| sizes(axes).elements()).collect();
        let mut coordinates = vec![Index::default(); space.rank()];
        for (var, axes) in groups.iter().enumerate() {
            let parts = index::unflatten(&Index::var(var), &sizes(axes), &extents);
            for (axis, part) in axes.iter().zip(parts) {
                coordinates[*axis] = part;
            }
        }
        Domain { extents, axes: coordinates }
    }
}

impl<'a> Nest<'a> {
    pub(super) fn members(&self) -> &'a [NodeId] {
        &self.own().members
    }

    fn own(&self) -> &'a Cluster {
        &self.division.clusters[self.cluster]
    }

    /// The space and the reduced axes.
    pub(super) fn space(&self) -> (&'a Shape, &'a [usize]) {
        match &self.own().kind {
            ClusterKind::Loop { space, reduced } => (space, reduced),
            other => unreachable!("{other:?} is no loop"),
        }
    }

    /// Whether neighbours along loop variable `var` can be computed as lanes of a vector, and stored as one.
    pub(super) fn vectorizes(&self, domain: &Domain, var: usize) -> bool {
        let stores = self.stores().into_iter().all(|id| {
            let address = index::flatten(&self.coordinates_of(id, domain), &self.graph[id].shape);
            address.coefficient(var).is_some_and(|c| c.is(0) || c.is(1))
        });
        stores && self.traces(domain).iter().all(|trace| vectorizes(self.graph, trace, var))
    }

    /// Nodes that the kernel reads from memory.
    pub(super) fn stops(&self, id: NodeId) -> bool {
        match self.division.home.get(&id) {
            Some(home) => *home != self.cluster,
            None => is_anchor(&self.graph[id].op),
        }
    }

    /// Axes that are not reduced.
    pub(super) fn rows(&self) -> Vec<usize> {
        let (space, reduced) = self.space();
        (0..space.rank()).filter(|axis| !reduced.contains(axis)).collect()
    }

    /// Everything the cluster reads and computes when its space has the given coordinates.
    fn traces(&self, domain: &Domain) -> Vec<Trace> {
        self.members()
            .iter()
            .map(|&member| {
                let (root, through) = match self.graph[member].op {
                    Op::Reduce { source, .. } => (source, !self.stops(source)),
                    _ => (member, true),
                };
                let coordinates = self.coordinates_of(root, domain);
                trace(
                    self.graph,
                    root,
                    &coordinates,
                    &domain.extents,
                    &|id| self.stops(id) || self.is_reduce(id),
                    through,
                )
            })
            .collect()
    }

    fn is_reduce(&self, id: NodeId) -> bool {
        matches!(self.graph[id].op, Op::Reduce { .. })
    }

    /// The coordinates at which a member (or a reduction's operand) is computed.
    pub(super) fn coordinates_of(&self, id: NodeId, domain: &Domain) -> Vec<Index> {
        self.axes_of(id)
            .into_iter()
            .map(|axis| axis.map_or_else(Index::default, |axis| domain.axes[axis].clone()))
            .collect()
    }

    fn is_member_reduce(&self, id: NodeId) -> bool {
        self.is_reduce(id) && self.division.home.get(&id) == Some(&self.cluster)
    }

    /// Whether a stored member has a value per row only.
    fn is_row_valued(&self, member: NodeId) -> bool {
        self.membership(member).per_row
    }

    /// How a member (or a reduction's operand) lies in the loop.
    fn membership(&self, member: NodeId) -> Membership {
        let (space, reduced) = self.space();
        Membership::of(&self.graph[member].shape, self.is_member_reduce(member), space, reduced)
            .expect("fusion gives a loop what it can compute")
    }

    /// Whether `state`, an input, is read for `new` alone, and of it each element only where that of `new` is written: then
    /// both may lie in one place.
    pub(crate) fn updates_in_place(&self, state: NodeId, new: NodeId) -> bool {
        let domain = self.own_axes();
        let written = index::flatten(&self.coordinates_of(new, &domain), &self.graph[new].shape);
        self.members().iter().zip(self.traces(&domain)).all(|(member, trace)| {
            let mut reads = trace.leaves.iter().filter(|leaf| leaf.node == state);
            reads.all(|leaf| {
                let read = index::flatten(&leaf.coordinates, &self.graph[state].shape);
                *member == new && !leaf.indirect && leaf.guards.is_empty() && read == written
            })
        })
    }

    /// What it reads from memory and from its own members where its space has the coordinates 0, 1, …
    pub(super) fn reads(&self) -> Vec<OperandAccess> {
        self.traces(&self.own_axes()).into_iter().flat_map(|trace| trace.leaves).collect()
    }

    /// Which axis of its space each axis of a member (or of a reduction's operand) is; `None` for an axis of one element.
    pub(super) fn axes_of(&self, member: NodeId) -> Vec<Option<usize>> {
        self.membership(member).axes
    }

    /// Each axis of its space as a loop variable.
    fn own_axes(&self) -> Domain {
        let (space, _) = self.space();
        Domain { extents: space.0.clone(), axes: (0..space.rank()).map(Index::var).collect() }
    }

    /// For every member, how many rounds of reductions must be over before it can be computed.
    fn rounds(&self) -> BTreeMap<NodeId, usize> {
        let domain = self.own_axes();
        let mut rounds: BTreeMap<NodeId, usize> = BTreeMap::new();
        for (member, trace) in self.members().iter().zip(self.traces(&domain)) {
            let own = trace.leaves.iter().filter(|leaf| self.is_member_reduce(leaf.node));
            let needed = own.map(|leaf| rounds.get(&leaf.node).map_or(0, |round| round + 1)).max();
            rounds.insert(*member, needed.unwrap_or(0));
        }
        rounds
    }

    /// Members in memory.
    fn stores(&self) -> Vec<NodeId> {
        self.members().iter().copied().filter(|id| self.division.stored.contains(id)).collect()
    }

    /// Members grouped by round: reductions of each round, stores that can be made during it, and after all.
    pub(super) fn schedule(&self) -> Vec<(Vec<NodeId>, Vec<NodeId>)> {
        let rounds = self.rounds();
        let stores: BTreeSet<NodeId> = self.stores().into_iter().collect();
        let reductions = rounds.iter().filter(|(id, _)| self.is_member_reduce(**id)).map(|(_, round)| round + 1);
        let loops = reductions.max().unwrap_or(0);
        let mut schedule = vec![(Vec::new(), Vec::new()); loops];
        let mut last = Vec::new();
        for (id, round) in rounds {
            if self.is_member_reduce(id) {
                schedule[round].0.push(id);
            } else if stores.contains(&id) && !self.is_row_valued(id) {
                if round < loops { schedule[round].1.push(id) } else { last.push(id) }
            }
        }
        if !last.is_empty() {
            schedule.push((Vec::new(), last));
        }
        schedule
    }

    /// Stored members with one value per row.
    pub(super) fn row_stores(&self) -> Vec<NodeId> {
        self.stores().into_iter().filter(|id| self.is_row_valued(*id)).collect()
    }
}
