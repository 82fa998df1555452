//! An axis of which a loop's rounds keep the elements apart: what is computed for one element reads, of what the loop itself has
//! written, that element alone. The batch of a recurrent network is one.

use super::Nest;
use crate::dim::Dim;
use crate::fuse::Division;
use crate::fuse::access::OperandAccess;
use crate::graph::{Graph, NodeId};
use crate::index::{Atom, Index};
use std::collections::BTreeMap;

/// The axis, as every cluster and node of the loop's body has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BatchAxis {
    /// How many elements it has.
    pub size: Dim,
    /// Which axis of its space it is, for each cluster.
    pub clusters: Vec<usize>,
    /// Which axis of what is carried it is, for each argument.
    pub arguments: BTreeMap<NodeId, usize>,
}

/// What is known on the way.
#[derive(Clone)]
struct KnownAxes {
    clusters: Vec<Option<usize>>,
    nodes: BTreeMap<NodeId, usize>,
}

/// A body whose axes are looked at.
struct BatchSearch<'a> {
    graph: &'a Graph,
    nests: Vec<Nest<'a>>,
    /// Of each cluster, what it reads of what the loop writes.
    reads: Vec<Vec<OperandAccess>>,
    /// What is carried: arguments and what the next round has in their place.
    carried: &'a [(Option<NodeId>, NodeId)],
}

/// The axis that the body `graph`, whose clusters are all loops, keeps apart, if there is one.
pub(crate) fn batch_axis(
    graph: &Graph,
    division: &Division,
    carried: &[(Option<NodeId>, NodeId)],
) -> Option<BatchAxis> {
    let nests: Vec<Nest<'_>> = (0..division.clusters.len()).map(|cluster| Nest { graph, division, cluster }).collect();
    let is_carried = |id: NodeId| carried.iter().any(|(argument, _)| *argument == Some(id));
    let written = |read: &OperandAccess| division.home.contains_key(&read.node) || is_carried(read.node);
    let reads = nests.iter().map(|nest| nest.reads().into_iter().filter(written).collect()).collect();
    let search = BatchSearch { graph, nests, reads, carried };
    let (_, first) = carried.first()?;
    let axes = (0..graph[*first].shape.rank()).map(|axis| search.from(*first, axis));
    axes.into_iter().flatten().next()
}

impl BatchSearch<'_> {
    /// The axis, if it is that one of `first`.
    fn from(&self, first: NodeId, axis: usize) -> Option<BatchAxis> {
        let size = self.graph[first].shape[axis].clone();
        let mut axes = KnownAxes { clusters: vec![None; self.nests.len()], nodes: BTreeMap::from([(first, axis)]) };
        loop {
            while self.follow(&mut axes) {}
            // What has nothing to do with the rest may be divided by any axis that is as long.
            let Some(cluster) = axes.clusters.iter().position(Option::is_none) else { break };
            let (space, _) = self.nests[cluster].space();
            let mut kept = self.nests[cluster].rows().into_iter();
            axes.clusters[cluster] = Some(kept.find(|axis| space[*axis] == size)?);
        }
        self.holds(&axes, &size).then(|| BatchAxis {
            size,
            clusters: axes.clusters.iter().copied().flatten().collect(),
            arguments: self.carried.iter().filter_map(|(id, _)| Some(((*id)?, *axes.nodes.get(&(*id)?)?))).collect(),
        })
    }

    /// Draws conclusions from what is known; whether there were any.
    fn follow(&self, axes: &mut KnownAxes) -> bool {
        let before = (axes.clusters.iter().flatten().count(), axes.nodes.len());
        for (argument, next) in self.carried {
            let Some(argument) = argument else { continue };
            for (known, other) in [(argument, next), (next, argument)] {
                if let Some(axis) = axes.nodes.get(known).copied() {
                    axes.nodes.entry(*other).or_insert(axis);
                }
            }
        }
        for (cluster, nest) in self.nests.iter().enumerate() {
            let of_members = || {
                nest.members()
                    .iter()
                    .find_map(|member| nest.axes_of(*member).get(*axes.nodes.get(member)?).copied().flatten())
            };
            let of_reads = || self.reads[cluster].iter().find_map(|read| variable(read, *axes.nodes.get(&read.node)?));
            let Some(own) = axes.clusters[cluster].or_else(of_members).or_else(of_reads) else { continue };
            axes.clusters[cluster] = Some(own);
            for member in nest.members() {
                if let Some(axis) = nest.axes_of(*member).iter().position(|axis| *axis == Some(own)) {
                    axes.nodes.entry(*member).or_insert(axis);
                }
            }
            for read in &self.reads[cluster] {
                let at = (0..read.coordinates.len()).find(|axis| variable(read, *axis) == Some(own));
                if let Some(axis) = at {
                    axes.nodes.entry(read.node).or_insert(axis);
                }
            }
        }
        before != (axes.clusters.iter().flatten().count(), axes.nodes.len())
    }

    /// Whether each element reads its own alone.
    fn holds(&self, axes: &KnownAxes, size: &Dim) -> bool {
        let carried = self.carried.iter().all(|(argument, next)| {
            let known = axes.nodes.get(next);
            known.is_some() && argument.is_none_or(|argument| axes.nodes.get(&argument) == known)
        });
        let cluster = |(position, nest): (usize, &Nest<'_>)| {
            let Some(own) = axes.clusters[position] else { return false };
            let (space, reduced) = nest.space();
            let members = nest.members().iter().all(|member| {
                let axis = axes.nodes.get(member).and_then(|axis| nest.axes_of(*member).get(*axis).copied().flatten());
                axis == Some(own)
            });
            let reads = self.reads[position].iter().all(|read| {
                let axis = axes.nodes.get(&read.node);
                !read.indirect && axis.is_some_and(|axis| variable(read, *axis) == Some(own))
            });
            space[own] == *size && !reduced.contains(&own) && members && reads
        };
        carried && self.nests.iter().enumerate().all(cluster)
    }
}

/// The loop variable that the coordinate is, if it is nothing else.
fn variable(read: &OperandAccess, axis: usize) -> Option<usize> {
    let coordinate = read.coordinates.get(axis)?;
    let mut variables = coordinate.terms().filter_map(|(atom, _)| match atom {
        Atom::Var(variable) => Some(*variable as usize),
        Atom::Div(..) | Atom::Mod(..) => None,
    });
    variables.next().filter(|variable| *coordinate == Index::var(*variable))
}
