//! Which tensors are the same one. Each operation gives a tensor of its own, however many names that has, and whatever it equals:
//! derivatives are asked in that tensor. The graph has equal results once, and an operation that changes nothing not at all; so a
//! body with `grad` is lowered twice: with a node for each result, which tells in which ones derivatives are asked, and then with
//! nodes of their own for these alone.

use netcl_kernels::autodiff;
use netcl_kernels::graph::{Graph, NodeId};
use std::collections::{BTreeMap, BTreeSet};

/// Which results of operations are nodes of their own.
#[derive(Clone)]
pub(super) enum Distinct {
    All,
    These(Chosen),
}

/// What a lowering has told in which all results are nodes of their own.
#[derive(Clone, Default)]
pub(super) struct Chosen {
    /// The results in which derivatives are asked, by their positions in the order in which a body's evaluation gives them.
    pub(super) asked: BTreeSet<usize>,
    /// Of each loop over a symbol what it carries is behind it.
    pub(super) loops: Vec<Vec<AfterLoop>>,
}

/// Which tensor a variable is behind the loop that carries it.
#[derive(Clone, Copy)]
pub(super) enum AfterLoop {
    /// The one that it was before the loop.
    Unchanged,
    /// The one that the variable at that position is.
    As(usize),
    /// One around the loop.
    Around,
    New,
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

/// What depends on a tensor that a loop has given, beside what is computed of it behind the loop.
#[derive(Clone, Default)]
pub(super) struct LastRound {
    /// What the loop has computed.
    pub(super) results: Vec<NodeId>,
    /// The other results that the last round has computed of it.
    pub(super) dependent: Vec<NodeId>,
    /// Tensors around the loop that it may be, as what that starts with, where there may be no round or one hands it on: to each of them
    /// what a result reads of what was there before the loop.
    pub(super) may_be: Vec<(NodeId, Query)>,
}

/// The tensors that operations have given.
#[derive(Clone)]
pub(super) struct NewTensors {
    pub(super) distinct: Distinct,
    pub(super) count: usize,
    /// The positions of those that are nodes of their own.
    pub(super) positions: BTreeMap<NodeId, usize>,
    pub(super) found: Chosen,
    /// Of what loops give: what else depends on it.
    pub(super) last_rounds: BTreeMap<NodeId, LastRound>,
}

impl NewTensors {
    pub(super) fn new(distinct: Distinct) -> Self {
        let (positions, last_rounds) = (BTreeMap::new(), BTreeMap::new());
        NewTensors { distinct, count: 0, positions, found: Chosen::default(), last_rounds }
    }

    /// Notes that a derivative is asked in a tensor.
    pub(super) fn ask(&mut self, id: NodeId) {
        self.found.asked.extend(self.positions.get(&id));
    }

    /// Whether each result of an operation is a node of its own.
    pub(super) fn are_all_distinct(&self) -> bool {
        matches!(self.distinct, Distinct::All)
    }

    /// The query, and those of all tensors that loops may have handed out as this one; `None` where one of them is answered: the values
    /// read what such a loop has computed of it.
    pub(super) fn behind_loops(&self, graph: &Graph, query: Query) -> Option<Vec<Query>> {
        let mut all = vec![query];
        let mut next = 0;
        while let Some(own) = all.get(next).cloned() {
            next += 1;
            let Some(last) = self.last_rounds.get(&own.of) else { continue };
            if own.reads(graph, &last.dependent) {
                return None;
            }
            for (result, before) in &last.may_be {
                let apart = own.apart.iter().chain(&last.results).copied().collect();
                let beside = Query { of: before.of, values: own.values.clone(), apart };
                let through = (*result != own.of && own.reads(graph, &[*result])).then(|| before.clone());
                for one in [beside].into_iter().chain(through) {
                    if one.reads(graph, &[one.of]) {
                        return None;
                    }
                    if !all.contains(&one) {
                        all.push(one);
                    }
                }
            }
        }
        Some(all)
    }

    /// Whether the same operations, loops and derivatives were met in another lowering.
    pub(super) fn has_gone_as(&self, other: &NewTensors) -> bool {
        let met = |of: &NewTensors| (of.count, of.found.loops.len(), of.found.asked.clone());
        met(self) == met(other)
    }
}
