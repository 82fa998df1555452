//! One round of division: every anchor and root is put into a cluster, in the order of the graph.
//!
//! Whether a node may join a cluster is a question about few of them: those that it reads, those that read what it reads,
//! and, for a reduction, those with its own loop.

use super::loops::LoopId;
use super::needs::{Needs, Set};
use super::reading::{Reading, Readings};
use super::{Cluster, Constraints, Division, Kind};
use crate::graph::{NodeId, Op};
use crate::target::Target;
use std::collections::BTreeSet;

/// What a cluster iterates over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Loop(LoopId),
    /// A product's or convolution's elements.
    Product(NodeId),
}

/// A cluster while roots are still looked for.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub form: Form,
    /// In topological order.
    pub members: Vec<NodeId>,
    /// Other parts that it reads from.
    reads: BTreeSet<usize>,
}

/// A division while roots are still looked for.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub parts: Vec<Part>,
    /// Which part computes a node, if one does.
    home: Vec<Option<usize>>,
}

impl Draft {
    /// The division of the graph by the roots that there are.
    pub(super) fn new(readings: &mut Readings<'_>, target: Target, constraints: &Constraints) -> Draft {
        let graph = readings.graph;
        let draft = Draft { parts: Vec::new(), home: vec![None; graph.nodes.len()] };
        let readers = vec![Vec::new(); graph.nodes.len()];
        let loops = vec![BTreeSet::new(); readings.loops.count()];
        let mut divider = Divider { readings, target, constraints, draft, needs: Needs::default(), readers, loops };
        for (id, node) in graph.iter() {
            match &node.op {
                Op::Reduce { .. } => divider.place_reduce(id),
                Op::MatMul(..) | Op::Conv2d { .. } | Op::Conv2dInputGrad { .. } | Op::Conv2dWeightGrad { .. } => {
                    divider.place_product(id);
                }
                Op::Input(_) => {}
                _ if divider.readings.is_root(id) => divider.place_root(id),
                _ => {}
            }
        }
        divider.draft
    }

    /// Which part computes `id`, if one does.
    pub(super) fn home(&self, id: NodeId) -> Option<usize> {
        self.home[id.index()]
    }

    /// The division, once no root is missing.
    pub(super) fn finish(self, readings: &mut Readings<'_>) -> Division {
        let graph = readings.graph;
        // Roots that only their own cluster reads need no memory.
        let mut stored: BTreeSet<NodeId> = graph.outputs.iter().map(|(_, id)| *id).collect();
        let mut clusters = Vec::with_capacity(self.parts.len());
        for (position, part) in self.parts.iter().enumerate() {
            let operands = readings.operands(&part.members);
            stored.extend(operands.iter().copied().filter(|id| self.home(*id).is_some_and(|home| home != position)));
            let kind = match part.form {
                Form::Loop(own) => Kind::Loop {
                    space: readings.loops.space(own).clone(),
                    reduced: readings.loops.reduced(own).to_vec(),
                },
                Form::Product(id) if matches!(graph[id].op, Op::MatMul(..)) => Kind::MatMul(id),
                Form::Product(id) => Kind::Conv(id),
            };
            let (members, reads) = (part.members.clone(), part.reads.clone());
            clusters.push(Cluster { kind, members, reads, operands: operands.into_iter().collect() });
        }
        let homes = graph.iter().filter_map(|(id, _)| Some((id, self.home(id)?)));
        Division { clusters, home: homes.collect(), stored }
    }
}

struct Divider<'r, 'a> {
    readings: &'r mut Readings<'a>,
    target: Target,
    constraints: &'r Constraints,
    draft: Draft,
    needs: Needs,
    /// For each node, the parts with members in loops or epilogues that read it, repeats included.
    readers: Vec<Vec<usize>>,
    /// The parts with that loop.
    loops: Vec<BTreeSet<usize>>,
}

impl Divider<'_, '_> {
    /// The parts that compute what is read, ascending.
    fn homes(&self, reading: &Reading) -> Vec<usize> {
        let mut homes: Vec<usize> = reading.leaves.iter().filter_map(|leaf| self.draft.home(leaf.node)).collect();
        homes.sort_unstable();
        homes.dedup();
        homes
    }

    fn stays_apart(&self, part: usize) -> bool {
        self.draft.parts[part].members.iter().any(|id| self.constraints.apart.contains(id))
    }

    /// Rules 1 and 2 of the module's notes, for a node with that reading that reads what needs `needed`.
    fn may_join(&self, part: usize, reading: &Reading, needed: &Set) -> bool {
        let own = |id: NodeId| self.draft.home(id) == Some(part);
        !needed.contains(part) && reading.leaves.iter().all(|leaf| leaf.in_place || !own(leaf.node))
    }

    fn found(&mut self, id: NodeId, form: Form, reads: Vec<usize>, tensors: &[NodeId]) {
        let part = self.draft.parts.len();
        self.needs.found(&reads);
        self.draft.parts.push(Part { form, members: vec![id], reads: reads.into_iter().collect() });
        if let Form::Loop(own) = form {
            self.loops[own].insert(part);
        }
        self.placed(id, part, tensors);
    }

    fn join(&mut self, id: NodeId, part: usize, mut reads: Vec<usize>, tensors: &[NodeId]) {
        reads.retain(|read| *read != part);
        self.needs.join(part, &reads);
        self.draft.parts[part].members.push(id);
        self.draft.parts[part].reads.extend(reads);
        self.placed(id, part, tensors);
    }

    fn placed(&mut self, id: NodeId, part: usize, tensors: &[NodeId]) {
        self.draft.home[id.index()] = Some(part);
        tensors.iter().for_each(|tensor| self.readers[tensor.index()].push(part));
    }

    fn place_product(&mut self, id: NodeId) {
        let reading = self.readings.alone(id);
        let reads = self.homes(&reading);
        self.found(id, Form::Product(id), reads, &[]);
    }

    fn place_reduce(&mut self, id: NodeId) {
        let own = self.readings.loops.of(id);
        let reading = self.readings.alone(id);
        let reads = self.homes(&reading);
        let needed = self.needs.of(&reads);
        let loops = &self.readings.loops;
        let mut candidates: Vec<usize> = self.loops[own].iter().copied().collect();
        // A map turns into a row-wise kernel if the reduction runs along its rows.
        if loops.reduced(own).last().is_some_and(|last| last + 1 == loops.space(own).rank()) {
            candidates.extend(reads.iter().copied().filter(|&part| match self.draft.parts[part].form {
                Form::Loop(theirs) => {
                    let rows = loops.reduced(theirs).is_empty() && loops.same_space(own, theirs);
                    rows && !self.stays_apart(part) && self.draft.parts[part].members.len() < 8
                }
                Form::Product(_) => false,
            }));
        }
        candidates.sort_unstable();
        let joined = candidates.into_iter().rev().find(|&part| self.may_join(part, &reading, &needed));
        let Some(part) = joined else { return self.found(id, Form::Loop(own), reads, &reading.tensors) };
        if let Form::Loop(before) = std::mem::replace(&mut self.draft.parts[part].form, Form::Loop(own)) {
            self.loops[before].remove(&part);
            self.loops[own].insert(part);
        }
        self.join(id, part, reads, &reading.tensors);
    }

    fn place_root(&mut self, id: NodeId) {
        let own = self.readings.loops.of(id);
        // Which nodes are read is the same whatever the coordinates, and settles most of the questions.
        let reading = self.readings.alone(id);
        let reads = self.homes(&reading);
        let needed = self.needs.of(&reads);
        let mut candidates = reads.clone();
        for tensor in &reading.tensors {
            candidates.extend(&self.readers[tensor.index()]);
        }
        candidates.sort_unstable();
        candidates.dedup();
        let joined = candidates.into_iter().rev().find(|&part| {
            if needed.contains(part) {
                return false;
            }
            match self.draft.parts[part].form {
                Form::Loop(theirs) => {
                    let reduces = !self.readings.loops.reduced(theirs).is_empty();
                    if reduces && self.constraints.apart.contains(&id) || !self.readings.loops.holds(theirs, id) {
                        return false;
                    }
                    let reading = self.readings.in_loop(id, theirs);
                    self.may_join(part, &reading, &needed)
                }
                Form::Product(product) => {
                    if self.target == Target::Host || reads.binary_search(&part).is_err() {
                        return false;
                    }
                    let reading = self.readings.in_epilogue(id, product);
                    reading.is_some_and(|reading| self.may_join(part, &reading, &needed))
                }
            }
        });
        match joined {
            Some(part) => self.join(id, part, reads, &reading.tensors),
            None => self.found(id, Form::Loop(own), reads, &reading.tensors),
        }
    }
}
