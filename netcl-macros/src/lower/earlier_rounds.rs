//! Whether a derivative in a loop's body is of what earlier rounds have computed, too: a body's derivative goes through one round,
//! and takes what that finds as it is.

use super::identity::{NewTensors, Query};
use netcl_kernels::autodiff;
use netcl_kernels::dim::Dim;
use netcl_kernels::graph::{Graph, InputKind, NodeId, Op};
use std::collections::BTreeSet;

/// A loop whose body has been evaluated.
#[derive(Clone, Copy)]
pub(super) struct FinishedLoop<'r> {
    /// How many nodes there were before it.
    pub(super) first: usize,
    /// What it carries: as it starts, as a round finds it and leaves it.
    pub(super) initial: &'r [NodeId],
    pub(super) carried: &'r [NodeId],
    pub(super) next: &'r [NodeId],
    /// What each round pushes into lists, which are read behind the loop.
    pub(super) pushed: &'r [NodeId],
    pub(super) count: &'r Dim,
}

/// The same, the graph that has its nodes, and what loops in its body have given.
pub(super) struct EarlierRounds<'r> {
    graph: &'r Graph,
    tensors: &'r NewTensors,
    body: FinishedLoop<'r>,
}

/// What a loop answers.
#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    /// They do: what they read has been computed in another round.
    Depends,
    /// Not in this loop. What is to be asked around it: of the tensors that it may have been before the loop, and what the
    /// values read of those that were there then.
    Around(Vec<Query>),
}

impl<'r> FinishedLoop<'r> {
    /// Whether the node was there before the loop: what a function takes is, wherever it is named first.
    pub(super) fn is_around(&self, graph: &Graph, id: NodeId) -> bool {
        let is_taken = || matches!(&graph[id].op, Op::Input(kind) if !matches!(kind, InputKind::Carried(_)));
        id.index() < self.first || is_taken()
    }

    pub(super) fn rounds(self, graph: &'r Graph, tensors: &'r NewTensors) -> EarlierRounds<'r> {
        EarlierRounds { graph, tensors, body: self }
    }
}

impl EarlierRounds<'_> {
    /// What depends on the tensor by way of what is carried.
    pub(super) fn dependence(&self, query: &Query) -> Answer {
        // Lists are read behind the loop.
        let body = FinishedLoop { pushed: &[], ..self.body };
        EarlierRounds { body, ..*self }.dependence_in_round(query, &BTreeSet::new())
    }

    /// What depends behind the loop on what it carries at `own`, of what it carries or has pushed as its result `other`.
    pub(super) fn dependence_behind(&self, other: usize, own: usize, has_rounds: bool) -> Answer {
        let mut body = self.body;
        let (others, pushed) = match other.checked_sub(body.carried.len()) {
            None => ((other != own).then_some(other), &[][..]),
            Some(list) => (None, &body.pushed[list..=list]),
        };
        body.pushed = pushed;
        let carried = CarriedQuery { own, others: others.into_iter().collect(), reads: self.nothing() };
        EarlierRounds { body, ..*self }.dependence_on_carried(carried, !has_rounds, &BTreeSet::new())
    }

    /// In a round behind which what is carried at the positions `been` is the same tensor.
    fn dependence_in_round(&self, query: &Query, been: &BTreeSet<usize>) -> Answer {
        let of = query.of;
        let mut reads = self.nothing();
        query.values.iter().for_each(|value| self.add_beside(&mut reads, *value, &query.apart));
        let read = self.carried_in(&reads);
        match self.body.carried.iter().position(|carried| *carried == of) {
            Some(own) => {
                let others = read.into_iter().filter(|other| *other != own).collect();
                self.dependence_on_carried(CarriedQuery { own, others, reads }, true, been)
            }
            // What a round has computed no other one has read.
            None if !self.body.is_around(self.graph, of) => Answer::Around(Vec::new()),
            None => {
                let mut through = self.nothing();
                self.all_rounds(&read, &mut through);
                match through.has(of) {
                    true => Answer::Depends,
                    false => {
                        through.join(reads);
                        Answer::Around(vec![Query::new(of, through.outside())])
                    }
                }
            }
        }
    }

    /// Of what is carried, and may be what it starts as. Back from round to round, as far as the tensor is one that a round has been given.
    fn dependence_on_carried(&self, carried: CarriedQuery, may_be_first: bool, been: &BTreeSet<usize>) -> Answer {
        let CarriedQuery { own, others, mut reads } = carried;
        let (start, made) = (self.body.initial[own], self.body.next[own]);
        let mut been = been.clone();
        if !been.insert(own) {
            // Rounds hand it on for ever.
            self.all_rounds(&others, &mut reads);
            let starts = || been.iter().map(|position| self.body.initial[*position]);
            let given = |id: &NodeId| self.body.carried.contains(id);
            let made = been.iter().map(|position| self.body.next[*position]).filter(|id| !given(id));
            let has_any = starts().chain(made).any(|id| reads.has(id));
            return match has_any {
                true => Answer::Depends,
                false => Answer::Around(starts().map(|start| Query::new(start, reads.outside())).collect()),
            };
        }
        let mut before = Vec::new();
        // In the first round it is what it starts as.
        if may_be_first {
            let mut begun = reads.clone();
            self.add(&mut begun, others.iter().map(|other| self.body.initial[*other]));
            if begun.has(start) {
                return Answer::Depends;
            }
            before.push(Query::new(start, begun.outside()));
        }
        if self.body.is_around(self.graph, made) {
            // It has been that one for any number of rounds.
            self.all_rounds(&others, &mut reads);
            before.push(Query::new(made, reads.outside()));
            return if reads.has(made) { Answer::Depends } else { Answer::Around(before) };
        }
        let values: Vec<NodeId> =
            others.iter().map(|other| self.body.next[*other]).chain(self.body.pushed.iter().copied()).collect();
        let mut computed = self.nothing();
        self.add(&mut computed, values.iter().copied());
        if computed.has(made) {
            return Answer::Depends;
        }
        if let Some(given) = self.body.carried.iter().position(|carried| *carried == made) {
            let others = self.carried_in(&computed);
            reads.join(computed);
            return match self.dependence_on_carried(CarriedQuery { own: given, others, reads }, true, &been) {
                Answer::Depends => Answer::Depends,
                Answer::Around(earlier) => Answer::Around(before.into_iter().chain(earlier).collect()),
            };
        }
        // A loop in the body may have handed it out.
        let Some(all) = self.tensors.behind_loops(self.graph, Query::new(made, values)) else {
            return Answer::Depends;
        };
        for query in all.iter().filter(|query| query.of != made) {
            match self.dependence_in_round(query, &been) {
                Answer::Depends => return Answer::Depends,
                Answer::Around(earlier) => {
                    // What the value reads of what is around the loops, it still reads.
                    let with_own = |query: Query| {
                        let values = query.values.into_iter().chain(reads.outside()).collect();
                        Query { values, ..query }
                    };
                    before.extend(earlier.into_iter().map(with_own));
                }
            }
        }
        Answer::Around(before)
    }

    /// Adds what any number of rounds reads for what is carried at these positions.
    fn all_rounds(&self, positions: &BTreeSet<usize>, reads: &mut ReadNodes) {
        let (mut known, mut pending) = (BTreeSet::new(), positions.clone());
        while let Some(position) = pending.pop_first() {
            if known.insert(position) {
                let mut own = self.nothing();
                self.add(&mut own, [self.body.initial[position], self.body.next[position]]);
                pending.extend(self.carried_in(&own));
                reads.join(own);
            }
        }
    }

    fn nothing(&self) -> ReadNodes {
        ReadNodes { nodes: vec![false; self.graph.nodes.len()], outside: BTreeSet::new() }
    }

    /// Adds the values and what they have derivatives in.
    fn add(&self, reads: &mut ReadNodes, values: impl IntoIterator<Item = NodeId>) {
        values.into_iter().for_each(|value| self.add_beside(reads, value, &[]));
    }

    /// The same by ways through none of `apart`.
    fn add_beside(&self, reads: &mut ReadNodes, value: NodeId, apart: &[NodeId]) {
        let leads = autodiff::leading_to_beside(self.graph, value, apart);
        let is_around = |id: &NodeId| self.body.is_around(self.graph, *id);
        reads.outside.extend(Some(value).filter(is_around));
        for (position, _) in leads.iter().enumerate().filter(|(_, leads)| **leads) {
            let id = NodeId(position as u32);
            reads.nodes[position] = true;
            if !is_around(&id) && !apart.contains(&id) {
                let operands = autodiff::rules::differentiable_operands(self.graph, id);
                reads.outside.extend(operands.into_iter().filter(is_around));
            }
        }
    }

    /// The positions of what is carried among them.
    fn carried_in(&self, reads: &ReadNodes) -> BTreeSet<usize> {
        (0..self.body.carried.len()).filter(|position| reads.has(self.body.carried[*position])).collect()
    }
}

/// What is carried at `own`, beside which a value reads what is carried at `others`, and in all that.
struct CarriedQuery {
    own: usize,
    others: BTreeSet<usize>,
    reads: ReadNodes,
}

/// What values have derivatives in, themselves among it.
#[derive(Clone)]
struct ReadNodes {
    /// Whether it is each of the nodes.
    nodes: Vec<bool>,
    /// What the loop's rounds read of what was there before it.
    outside: BTreeSet<NodeId>,
}

impl ReadNodes {
    fn has(&self, id: NodeId) -> bool {
        self.nodes[id.index()]
    }

    fn outside(&self) -> Vec<NodeId> {
        self.outside.iter().copied().collect()
    }

    fn join(&mut self, other: ReadNodes) {
        self.nodes.iter_mut().zip(other.nodes).for_each(|(own, other)| *own |= other);
        self.outside.extend(other.outside);
    }
}
