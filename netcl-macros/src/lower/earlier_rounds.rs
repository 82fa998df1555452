//! Whether a derivative in a loop's body is of what earlier rounds have computed, too: a body's derivative goes through one round,
//! and takes what that finds as it is.

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

/// The same, and the graph that has its nodes.
pub(super) struct Rounds<'r> {
    graph: &'r Graph,
    body: FinishedLoop<'r>,
}

/// Whether values depend on a tensor in a way that a derivative in it would not see.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Query {
    pub(super) of: NodeId,
    pub(super) values: Vec<NodeId>,
    /// What the values read through these is asked in another query.
    pub(super) apart: Vec<NodeId>,
}

impl Query {
    pub(super) fn new(of: NodeId, values: Vec<NodeId>) -> Query {
        Query { of, values, apart: Vec::new() }
    }

    /// Whether the values read one of these.
    pub(super) fn reads(&self, graph: &Graph, wanted: &[NodeId]) -> bool {
        self.values.iter().any(|value| {
            let leads = autodiff::leading_to_beside(graph, *value, &self.apart);
            wanted.iter().any(|id| leads.get(id.index()) == Some(&true))
        })
    }
}

/// What else depends on the tensor in which a derivative is asked.
#[derive(Debug, PartialEq)]
pub(super) enum Found {
    /// What the value reads, which has been computed in another round.
    Dependent,
    /// Nothing in this loop; whether anything around it does: of the tensors that it may have been before this loop, and what the
    /// value reads of those that were there then.
    Apart(Vec<Query>),
}

impl<'r> FinishedLoop<'r> {
    /// Whether the node was there before the loop: what a function takes is, wherever it is named first.
    pub(super) fn is_around(&self, graph: &Graph, id: NodeId) -> bool {
        let is_taken = || matches!(&graph[id].op, Op::Input(kind) if !matches!(kind, InputKind::Carried(_)));
        id.index() < self.first || is_taken()
    }

    pub(super) fn in_graph(self, graph: &'r Graph) -> Rounds<'r> {
        Rounds { graph, body: self }
    }
}

impl Rounds<'_> {
    /// What depends on the tensor by way of what is carried.
    pub(super) fn dependence(&self, query: &Query) -> Found {
        let of = query.of;
        // Lists are read behind the loop.
        let this = Rounds { graph: self.graph, body: FinishedLoop { pushed: &[], ..self.body } };
        let mut reads = this.nothing();
        query.values.iter().for_each(|value| this.add_beside(&mut reads, *value, &query.apart));
        let read = this.carried_in(&reads);
        match this.body.carried.iter().position(|carried| *carried == of) {
            Some(own) => {
                let others = read.into_iter().filter(|other| *other != own).collect();
                this.dependence_on_carried(own, others, reads, true)
            }
            // What a round has computed no other one has read.
            None if !this.body.is_around(this.graph, of) => Found::Apart(Vec::new()),
            None => {
                let mut through = this.nothing();
                this.all_rounds(&read, &mut through);
                match through.has(of) {
                    true => Found::Dependent,
                    false => {
                        through.join(reads);
                        Found::Apart(vec![Query::new(of, through.outside())])
                    }
                }
            }
        }
    }

    /// What depends behind the loop on what it carries at `own`, of what it carries or has pushed as its result `other`.
    pub(super) fn dependence_behind(&self, other: usize, own: usize, has_rounds: bool) -> Found {
        let (graph, mut body) = (self.graph, self.body);
        let (others, pushed) = match other.checked_sub(body.carried.len()) {
            None => ((other != own).then_some(other), &[][..]),
            Some(list) => (None, &body.pushed[list..=list]),
        };
        body.pushed = pushed;
        let last = Rounds { graph, body };
        last.dependence_on_carried(own, others.into_iter().collect(), self.nothing(), !has_rounds)
    }

    /// Of what is carried at `own`, where the value has read `others` beside it and `reads` in all. Back from round to round, as far as
    /// the tensor is one that a round has been given.
    fn dependence_on_carried(
        &self,
        own: usize,
        mut others: BTreeSet<usize>,
        mut reads: Reads,
        mut may_be_first: bool,
    ) -> Found {
        let (mut now, mut been, mut before) = (own, BTreeSet::from([own]), Vec::new());
        loop {
            // In the first round it is what it starts as.
            let start = self.body.initial[now];
            let mut begun = reads.clone();
            self.add(&mut begun, others.iter().map(|other| self.body.initial[*other]));
            if may_be_first && begun.has(start) {
                return Found::Dependent;
            }
            if may_be_first {
                before.push(Query::new(start, begun.outside()));
            }
            may_be_first = true;
            let made = self.body.next[now];
            if self.body.is_around(self.graph, made) {
                // It has been that one for any number of rounds.
                self.all_rounds(&others, &mut reads);
                if reads.has(made) {
                    return Found::Dependent;
                }
                before.push(Query::new(made, reads.outside()));
                return Found::Apart(before);
            }
            let mut computed = self.nothing();
            self.add(
                &mut computed,
                others.iter().map(|other| self.body.next[*other]).chain(self.body.pushed.iter().copied()),
            );
            if computed.has(made) {
                return Found::Dependent;
            }
            others = self.carried_in(&computed);
            reads.join(computed);
            match self.body.carried.iter().position(|carried| *carried == made) {
                Some(given) if been.insert(given) => now = given,
                // Rounds exchange it for ever.
                Some(_) => {
                    self.all_rounds(&others, &mut reads);
                    if been.iter().any(|position| reads.has(self.body.initial[*position])) {
                        return Found::Dependent;
                    }
                    let starts = been.iter().map(|position| self.body.initial[*position]);
                    before.extend(starts.map(|start| Query::new(start, reads.outside())));
                    return Found::Apart(before);
                }
                None => return Found::Apart(before),
            }
        }
    }

    /// Adds what any number of rounds reads for what is carried at these positions.
    fn all_rounds(&self, positions: &BTreeSet<usize>, reads: &mut Reads) {
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

    fn nothing(&self) -> Reads {
        Reads { nodes: vec![false; self.graph.nodes.len()], outside: BTreeSet::new() }
    }

    /// Adds the values and what they have derivatives in.
    fn add(&self, reads: &mut Reads, values: impl IntoIterator<Item = NodeId>) {
        values.into_iter().for_each(|value| self.add_beside(reads, value, &[]));
    }

    /// The same by ways through none of `apart`.
    fn add_beside(&self, reads: &mut Reads, value: NodeId, apart: &[NodeId]) {
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
    fn carried_in(&self, reads: &Reads) -> BTreeSet<usize> {
        (0..self.body.carried.len()).filter(|position| reads.has(self.body.carried[*position])).collect()
    }
}

/// What values have derivatives in, themselves among it.
#[derive(Clone)]
struct Reads {
    /// Whether it is each of the nodes.
    nodes: Vec<bool>,
    /// What the loop's rounds read of what was there before it.
    outside: BTreeSet<NodeId>,
}

impl Reads {
    fn has(&self, id: NodeId) -> bool {
        self.nodes[id.index()]
    }

    fn outside(&self) -> Vec<NodeId> {
        self.outside.iter().copied().collect()
    }

    fn join(&mut self, other: Reads) {
        self.nodes.iter_mut().zip(other.nodes).for_each(|(own, other)| *own |= other);
        self.outside.extend(other.outside);
    }
}
