//! Which tensors are the same one. Each operation gives a tensor of its own, however many names that has, and whatever it equals:
//! derivatives are asked in that tensor. The graph has equal results once, and an operation that changes nothing not at all; so a
//! body with `grad` is lowered twice: with a node for each result, which tells in which ones derivatives are asked, and then with
//! nodes of their own for these alone.

use super::{Lowering, Val};
use crate::ast::{FunctionItem, Unit};
use netcl_kernels::dim::Dim;
use netcl_kernels::graph::NodeId;
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
    loops: Vec<Vec<Carried>>,
}

/// Which tensor a variable is behind the loop that carries it.
#[derive(Clone, Copy)]
enum Carried {
    /// The one that it was before the loop.
    Unchanged,
    /// The one that the variable at that position is.
    As(usize),
    /// One around the loop.
    Around,
    New,
}

/// The tensors that operations have given.
#[derive(Clone)]
pub(super) struct NewTensors {
    distinct: Distinct,
    count: usize,
    /// The positions of those that are nodes of their own.
    positions: BTreeMap<NodeId, usize>,
    found: Chosen,
    /// Of what a loop gives the other results of it that its last round has computed from that.
    last_rounds: BTreeMap<NodeId, Vec<NodeId>>,
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

    /// The other results of the loop that gave the tensor which its last round has computed from it.
    pub(super) fn of_last_round(&self, id: NodeId) -> &[NodeId] {
        self.last_rounds.get(&id).map_or(&[], Vec::as_slice)
    }

    pub(super) fn into_chosen(self) -> Chosen {
        self.found
    }
}

/// What a loop carries: as it starts, as a round finds it and leaves it, and what rounds push into lists.
pub(super) struct Rounds<'r> {
    pub(super) initial: &'r [NodeId],
    pub(super) carried: &'r [NodeId],
    pub(super) next: &'r [NodeId],
    pub(super) pushed: &'r [NodeId],
    pub(super) count: &'r Dim,
}

impl<'a> Lowering<'a> {
    /// What an operation on whole tensors gives, which is no tensor that is there already.
    pub(super) fn new_tensor(&mut self, id: NodeId) -> NodeId {
        // The numbers of a kernel or a function of scalars are no tensors.
        if self.axes.is_some() || self.elementwise || !self.builder.dtype(id).is_float() {
            return id;
        }
        let position = self.new_tensors.count;
        self.new_tensors.count += 1;
        let is_distinct = match &self.new_tensors.distinct {
            Distinct::All => true,
            Distinct::These(chosen) => chosen.asked.contains(&position),
        };
        if !is_distinct {
            return id;
        }
        let id = self.builder.distinct(id);
        self.new_tensors.positions.insert(id, position);
        id
    }

    /// The same of a derivative, which may be a node of its own since there were `first` nodes.
    pub(super) fn new_gradient(&mut self, id: NodeId, first: usize) -> NodeId {
        if id.index() < first || self.builder.behind(id) == id {
            return self.new_tensor(id);
        }
        self.new_tensors.positions.insert(id, self.new_tensors.count);
        self.new_tensors.count += 1;
        id
    }

    /// The same of all tensors in a value.
    pub(super) fn new_tensors_in(&mut self, value: Val<'a>) -> Val<'a> {
        value.map_tensors(&mut |id| self.new_tensor(id))
    }

    /// The tensors that a loop over a symbol has given as `results`: what it carries, and what it has pushed.
    pub(super) fn behind_loop(&mut self, rounds: &Rounds<'_>, results: Vec<NodeId>) -> Vec<NodeId> {
        let number = self.new_tensors.found.loops.len();
        let kinds = match &self.new_tensors.distinct {
            Distinct::All => self.carried_kinds(rounds),
            Distinct::These(chosen) => chosen.loops.get(number).cloned().unwrap_or_default(),
        };
        let mut tensors: Vec<NodeId> = Vec::with_capacity(results.len());
        for (position, id) in results.into_iter().enumerate() {
            let tensor = match kinds.get(position) {
                Some(Carried::Unchanged) => rounds.initial[position],
                Some(Carried::As(other)) => tensors[*other],
                Some(Carried::Around) => rounds.next[position],
                Some(Carried::New) | None => self.new_tensor(id),
            };
            tensors.push(tensor);
        }
        if self.new_tensors.are_all_distinct() {
            let left: Vec<NodeId> = rounds.next.iter().chain(rounds.pushed).copied().collect();
            for (position, id) in rounds.next.iter().enumerate() {
                let is_of_it = |other: &NodeId| self.any_below(*other, |below| (below == *id).then_some(true));
                let others = left.iter().zip(&tensors).filter(|(other, tensor)| {
                    // What is pushed is that tensor, and part of another.
                    **tensor != tensors[position] && is_of_it(other)
                });
                let others: Vec<NodeId> = others.map(|(_, tensor)| *tensor).collect();
                self.new_tensors.last_rounds.insert(tensors[position], others);
            }
        }
        self.new_tensors.found.loops.push(kinds);
        tensors
    }

    fn carried_kinds(&self, rounds: &Rounds<'_>) -> Vec<Carried> {
        // In a loop without rounds all stay what they were.
        let has_rounds = self.builder.is_never_negative(&(rounds.count.clone() - Dim::constant(1)));
        let first = rounds.carried.first().map_or(0, |id| id.index());
        let kind = |(position, next): (usize, &NodeId)| {
            let is_same = |other: &usize| {
                rounds.next[*other] == *next && (has_rounds || rounds.initial[*other] == rounds.initial[position])
            };
            match (0..position).find(is_same) {
                _ if *next == rounds.carried[position] => Carried::Unchanged,
                Some(other) => Carried::As(other),
                None if has_rounds && next.index() < first => Carried::Around,
                None => Carried::New,
            }
        };
        rounds.next.iter().enumerate().map(kind).collect()
    }
}

/// Whether the function, or one that it may call, has a `grad`.
pub(super) fn asks_derivatives(unit: &Unit, function: &FunctionItem) -> bool {
    let any = |all: &[FunctionItem]| all.iter().any(|function| function.asks_derivatives);
    fn within(unit: &Unit, any: &dyn Fn(&[FunctionItem]) -> bool) -> bool {
        let main = unit.main.iter().flatten().map(|main| &**main);
        let callables = unit.callables.values();
        any(&unit.functions)
            || main.chain(unit.nested.values()).any(|unit| within(unit, any))
            || callables.into_iter().any(|callable| any(&callable.functions) || within(&callable.scope, any))
    }
    function.asks_derivatives || within(unit, &any)
}
