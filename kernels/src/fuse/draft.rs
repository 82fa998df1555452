//! One round of division: every anchor and root is put into a cluster, in the order of the graph.
//!
//! Whether a node may join a cluster is a question about few of them: those that it reads, those that read what it reads,
//! and, for a reduction, those with its own loop.

use super::budget::Together;
use super::dependencies::{Dependencies, Set};
use super::division::{Cluster, ClusterKind, Constraints, Division};
use super::loops::LoopId;
use super::price::{MOST, TENSOR};
use super::reading::{Reading, Readings};
use crate::graph::{NodeId, Op};
use crate::target::Target;
use std::collections::{BTreeMap, BTreeSet};

/// What a cluster iterates over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IterationSpace {
    Loop(LoopId),
    /// A product's, convolution's or scatter-add's elements.
    Product(NodeId),
}

/// A cluster while roots are still looked for.
#[derive(Clone, Debug)]
pub(super) struct DraftCluster {
    pub form: IterationSpace,
    /// In topological order.
    pub members: Vec<NodeId>,
    /// Other parts that it reads from, repeats included.
    reads: Vec<usize>,
    /// What its members compute, each for itself: at least what it computes.
    weight: u32,
    together: Together,
}

/// A division while roots are still looked for.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub parts: Vec<DraftCluster>,
    /// Which part computes a node, if one does.
    home: Vec<Option<usize>>,
    needs: Dependencies,
    readers: Readers,
    /// The parts with each loop.
    loops: Vec<BTreeSet<usize>>,
    /// What was placed, in order, so that it can be taken back.
    log: Vec<Placed>,
}

/// A node that was placed, and what the draft was like before.
#[derive(Clone, Debug)]
struct Placed {
    id: NodeId,
    part: usize,
    /// The form, the number of reads and the weight of the part that it joined; none if it founded one.
    joined: Option<(IterationSpace, usize, u32)>,
    /// What clusters needed that need more since.
    needs: Vec<(usize, Set)>,
    readers: usize,
}

impl Draft {
    /// The division of the graph by the roots that there are.
    pub(super) fn new(readings: &mut Readings<'_>, target: Target, constraints: &Constraints) -> Draft {
        let nodes = readings.graph.nodes.len();
        let mut draft = Draft {
            parts: Vec::new(),
            home: vec![None; nodes],
            needs: Dependencies::default(),
            readers: Readers::new(nodes),
            loops: vec![BTreeSet::new(); readings.loops.count()],
            log: Vec::new(),
        };
        draft.renew(NodeId(0), readings, target, constraints);
        draft
    }

    /// Divides anew from `first` on, before which no node has become a root or is none any more: operands point backwards,
    /// so that those before it stay where they are.
    pub(super) fn renew(
        &mut self,
        first: NodeId,
        readings: &mut Readings<'_>,
        target: Target,
        constraints: &Constraints,
    ) {
        while let Some(last) = self.log.pop_if(|placed| placed.id >= first) {
            self.take_back(last);
        }
        let graph = readings.graph;
        let mut divider = Divider { readings, target, constraints, draft: self };
        for (position, node) in graph.nodes.iter().enumerate().skip(first.index()) {
            let id = NodeId(position as u32);
            match &node.op {
                Op::Reduce { .. } => divider.place_reduce(id),
                Op::MatMul(..)
                | Op::Conv2d { .. }
                | Op::Conv2dInputGrad { .. }
                | Op::Conv2dWeightGrad { .. }
                | Op::ScatterAdd { .. }
                | Op::Attention(_)
                | Op::Custom { .. }
                | Op::Scan { .. } => divider.place_product(id),
                Op::CustomResult { call, .. } => divider.place_result(id, *call),
                Op::Input(_) => {}
                _ if divider.readings.is_root(id) => divider.place_root(id),
                _ => {}
            }
        }
    }

    /// Takes back the last step.
    fn take_back(&mut self, Placed { id, part, joined, needs, readers }: Placed) {
        self.home[id.index()] = None;
        self.readers.shorten(readers);
        let now = self.parts[part].form;
        let Some((form, reads, weight)) = joined else {
            self.parts.pop();
            self.needs.pop();
            return self.move_to(part, now, None);
        };
        self.parts[part].members.pop();
        let members = self.parts[part].members.len();
        self.parts[part].together.shorten(members);
        self.parts[part].reads.truncate(reads);
        self.needs.restore(needs);
        self.parts[part].form = form;
        self.parts[part].weight = weight;
        if form != now {
            self.move_to(part, now, Some(form));
        }
    }

    /// Notes that `part` has another loop, or none any more.
    fn move_to(&mut self, part: usize, before: IterationSpace, after: Option<IterationSpace>) {
        if let IterationSpace::Loop(before) = before {
            self.loops[before].remove(&part);
        }
        if let Some(IterationSpace::Loop(after)) = after {
            self.loops[after].insert(part);
        }
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
                IterationSpace::Loop(own) => ClusterKind::Loop {
                    space: readings.loops.space(own).clone(),
                    reduced: readings.loops.reduced(own).to_vec(),
                },
                IterationSpace::Product(id) => match graph[id].op {
                    Op::MatMul(..) => ClusterKind::MatMul(id),
                    Op::ScatterAdd { .. } => ClusterKind::Scatter(id),
                    Op::Attention(_) => ClusterKind::Attention(id),
                    Op::Custom { .. } => ClusterKind::Custom(id),
                    Op::Scan { .. } => ClusterKind::Scan(id),
                    _ => ClusterKind::Conv(id),
                },
            };
            if matches!(kind, ClusterKind::Attention(_) | ClusterKind::Custom(_) | ClusterKind::Scan(_)) {
                // It writes all of its results, whoever reads them.
                stored.extend(part.members.iter().copied());
            }
            let (members, reads) = (part.members.clone(), part.reads.iter().copied().collect());
            clusters.push(Cluster { kind, members, reads, operands: operands.into_iter().collect() });
        }
        let homes = graph.iter().filter_map(|(id, _)| Some((id, self.home(id)?)));
        Division { clusters, home: homes.collect(), stored, starts: BTreeMap::new() }
    }
}

/// For each node, the parts with members in loops or epilogues that read it, some repeatedly: lists in one vector.
#[derive(Clone, Debug)]
struct Readers {
    /// Where the list of each node begins, if there is one.
    first: Vec<Option<usize>>,
    /// Nodes and parts that read them, each with where the list goes on.
    list: Vec<(NodeId, usize, Option<usize>)>,
}

impl Readers {
    fn new(nodes: usize) -> Self {
        Readers { first: vec![None; nodes], list: Vec::new() }
    }

    fn add(&mut self, node: NodeId, part: usize) {
        // What is taken back is what came last: the part stays there as long as the member that read the node before.
        if self.first[node.index()].is_some_and(|first| self.list[first].1 == part) {
            return;
        }
        self.list.push((node, part, self.first[node.index()]));
        self.first[node.index()] = Some(self.list.len() - 1);
    }

    /// Takes back what was added when there were more than `count`.
    fn shorten(&mut self, count: usize) {
        for (node, _, next) in self.list.drain(count..).rev() {
            self.first[node.index()] = next;
        }
    }

    fn of(&self, node: NodeId) -> impl Iterator<Item = usize> {
        let place = std::iter::successors(self.first[node.index()], |place| self.list[*place].2);
        place.map(|place| self.list[place].1)
    }
}

struct Divider<'r, 'a> {
    readings: &'r mut Readings<'a>,
    target: Target,
    constraints: &'r Constraints,
    draft: &'r mut Draft,
}

impl Divider<'_, '_> {
    /// The parts that compute what is read, ascending.
    fn homes(&self, reading: &Reading) -> Vec<usize> {
        let mut homes: Vec<usize> = reading.leaves.iter().filter_map(|leaf| self.draft.home(leaf.node)).collect();
        homes.sort();
        homes.dedup();
        homes
    }

    /// The parts `reads`, which are read, and those that read a tensor which is read, but for those in `needed`; ascending.
    fn related(&self, reading: &Reading, reads: &[usize], needed: &Set) -> Vec<usize> {
        // Where many parts read the same tensors, as pieces of what was joined do, each is met once for each of them.
        let mut met = vec![false; self.draft.parts.len()];
        let readers = reading.tensors.iter().flat_map(|tensor| self.draft.readers.of(*tensor));
        reads.iter().copied().chain(readers).for_each(|part| met[part] = true);
        // Most of what reads something at the beginning of a deep graph is far above.
        (0..met.len()).filter(|part| met[*part] && !needed.contains(*part)).collect()
    }

    /// Whether no kernel with reductions may compute `id`: on processors such kernels work in vectors, and rows that lie across those of
    /// what is read cannot.
    fn stays_apart(&self, id: NodeId) -> bool {
        self.constraints.apart.contains(&id) || self.target != Target::Gpu && self.readings.is_transposed(id)
    }

    /// Rules 1 and 2 of the module's notes, for a node with that reading that reads what needs `needed`.
    fn may_join(&self, part: usize, reading: &Reading, needed: &Set) -> bool {
        !needed.contains(part) && reading.elsewhere.iter().all(|id| self.draft.home(*id) != Some(part))
    }

    /// Whether a kernel for `part` and for what has that reading is not too large.
    fn fits(&mut self, part: usize, reading: &Reading) -> bool {
        let own = &mut self.draft.parts[part];
        let at_most = own.weight.saturating_add(reading.weight);
        at_most <= MOST || own.together.fits(self.readings, &own.members, reading)
    }

    fn found(&mut self, id: NodeId, form: IterationSpace, reads: Vec<usize>, needed: Set, reading: &Reading) {
        // What a product reads is not computed by its kernel, or in a prologue, which is looked at apart.
        let (weight, tensors) = match form {
            IterationSpace::Loop(_) => (reading.weight, &*reading.tensors),
            IterationSpace::Product(_) => (0, &[][..]),
        };
        let draft = &mut *self.draft;
        let part = draft.parts.len();
        draft.needs.found(&reads, needed);
        draft.parts.push(DraftCluster { form, members: vec![id], reads, weight, together: Together::default() });
        if let IterationSpace::Loop(own) = form {
            draft.loops[own].insert(part);
        }
        self.placed(Placed { id, part, joined: None, needs: Vec::new(), readers: 0 }, tensors);
    }

    /// Adds `id` to `part`, which has the form `form` from now on.
    fn join(
        &mut self,
        id: NodeId,
        part: usize,
        form: IterationSpace,
        mut reads: Vec<usize>,
        needed: Set,
        reading: &Reading,
    ) {
        reads.retain(|read| *read != part);
        let draft = &mut *self.draft;
        let needs = draft.needs.join(part, &reads, needed);
        let own = &mut draft.parts[part];
        let before = (std::mem::replace(&mut own.form, form), own.reads.len(), own.weight);
        own.weight = own.weight.saturating_add(reading.weight);
        own.members.push(id);
        own.reads.extend(reads);
        if before.0 != form {
            draft.move_to(part, before.0, Some(form));
        }
        self.placed(Placed { id, part, joined: Some(before), needs, readers: 0 }, &reading.tensors);
    }

    fn placed(&mut self, placed: Placed, tensors: &[NodeId]) {
        let draft = &mut *self.draft;
        let readers = draft.readers.list.len();
        draft.home[placed.id.index()] = Some(placed.part);
        tensors.iter().for_each(|tensor| draft.readers.add(*tensor, placed.part));
        draft.log.push(Placed { readers, ..placed });
    }

    fn place_product(&mut self, id: NodeId) {
        let reading = self.readings.alone(id);
        let reads = self.homes(&reading);
        let needed = self.draft.needs.of(&reads);
        self.found(id, IterationSpace::Product(id), reads, needed, &reading);
    }

    /// Another result of `call`, whose kernel computes it.
    fn place_result(&mut self, id: NodeId, call: NodeId) {
        if let Some(part) = self.draft.home(call) {
            let written = Reading { weight: TENSOR, ..Reading::default() };
            self.join(id, part, IterationSpace::Product(call), Vec::new(), Set::default(), &written);
        }
    }

    fn place_reduce(&mut self, id: NodeId) {
        let own = self.readings.loops.of(id);
        let reading = self.readings.alone(id);
        let reads = self.homes(&reading);
        let needed = self.draft.needs.of(&reads);
        let loops = &self.readings.loops;
        let mut candidates: Vec<usize> = match self.target {
            // A launch is a call there, which what has nothing in common need not share. Apart, equal layers' sums are equal kernels.
            Target::Host => self.related(&reading, &reads, &needed),
            Target::Cpu | Target::Gpu => self.draft.loops[own].iter().copied().collect(),
        };
        candidates.retain(|part| self.draft.parts[*part].form == IterationSpace::Loop(own));
        // A map turns into a row-wise kernel if the reduction runs along its rows.
        if loops.reduced(own).last().is_some_and(|last| last + 1 == loops.space(own).rank()) {
            candidates.extend(reads.iter().copied().filter(|&part| match self.draft.parts[part].form {
                IterationSpace::Loop(theirs) => {
                    let rows = loops.reduced(theirs).is_empty() && loops.same_space(own, theirs);
                    let members = &self.draft.parts[part].members;
                    rows && members.len() < 8 && !members.iter().any(|id| self.stays_apart(*id))
                }
                IterationSpace::Product(_) => false,
            }));
        }
        candidates.sort();
        candidates.dedup();
        let joins =
            |divider: &mut Self, part| divider.may_join(part, &reading, &needed) && divider.fits(part, &reading);
        let joined = candidates.into_iter().rev().find(|&part| joins(self, part));
        let Some(part) = joined else {
            return self.found(id, IterationSpace::Loop(own), reads, needed, &reading);
        };
        self.join(id, part, IterationSpace::Loop(own), reads, needed, &reading);
    }

    fn place_root(&mut self, id: NodeId) {
        let own = self.readings.loops.of(id);
        // Which nodes are read is the same whatever the coordinates, and settles most of the questions.
        let reading = self.readings.alone(id);
        let reads = self.homes(&reading);
        let needed = self.draft.needs.of(&reads);
        let candidates = self.related(&reading, &reads, &needed);
        let joined = candidates.into_iter().rev().find(|&part| self.root_joins(part, id, (&reading, &reads, &needed)));
        match joined {
            Some(part) => self.join(id, part, self.draft.parts[part].form, reads, needed, &reading),
            None => self.found(id, IterationSpace::Loop(own), reads, needed, &reading),
        }
    }

    /// Whether `part` can compute the root `id` too, which has that reading alone, reads those parts, and they need those.
    fn root_joins(&mut self, part: usize, id: NodeId, (alone, reads, needed): (&Reading, &[usize], &Set)) -> bool {
        let joins = match self.draft.parts[part].form {
            IterationSpace::Loop(theirs) => {
                let reduces = !self.readings.loops.reduced(theirs).is_empty();
                if reduces && self.stays_apart(id) || !self.readings.loops.holds(theirs, id) {
                    return false;
                }
                let reading = self.readings.in_loop(id, theirs);
                self.may_join(part, &reading, needed)
            }
            IterationSpace::Product(product) => {
                if self.target == Target::Host || reads.binary_search(&part).is_err() {
                    return false;
                }
                let reading = self.readings.in_epilogue(id, product);
                reading.is_some_and(|reading| self.may_join(part, &reading, needed))
            }
        };
        joins && self.fits(part, alone)
    }
}
