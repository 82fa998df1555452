//! What operations give, as nodes of their own where derivatives are asked in it: see [`super::identity`].

use super::earlier_rounds::{Answer, FinishedLoop};
use super::identity::{AfterLoop, Distinct, LastRound, Query};
use super::{Lowering, Val};
use crate::ast::{FunctionItem, Unit};
use netcl_kernels::dim::Dim;
use netcl_kernels::graph::NodeId;

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
    pub(super) fn behind_loop(&mut self, rounds: &FinishedLoop<'_>, results: Vec<NodeId>) -> Vec<NodeId> {
        let number = self.new_tensors.found.loops.len();
        let kinds = match &self.new_tensors.distinct {
            Distinct::All => self.carried_kinds(rounds),
            Distinct::These(chosen) => chosen.loops.get(number).cloned().unwrap_or_default(),
        };
        let mut tensors: Vec<NodeId> = Vec::with_capacity(results.len());
        for (position, id) in results.into_iter().enumerate() {
            let tensor = match kinds.get(position) {
                Some(AfterLoop::Unchanged) => rounds.initial[position],
                Some(AfterLoop::As(other)) => tensors[*other],
                Some(AfterLoop::Around) => rounds.next[position],
                Some(AfterLoop::New) | None => self.new_tensor(id),
            };
            tensors.push(tensor);
        }
        if self.new_tensors.are_all_distinct() {
            self.note_last_round(rounds, &kinds, &tensors);
        }
        self.new_tensors.found.loops.push(kinds);
        tensors
    }

    /// What else depends on the tensors that the loop has given, where the compiler's derivatives do not see it.
    fn note_last_round(&mut self, rounds: &FinishedLoop<'_>, kinds: &[AfterLoop], tensors: &[NodeId]) {
        let has_rounds = self.has_rounds(rounds);
        let is_new = |position: &usize| matches!(kinds.get(*position), None | Some(AfterLoop::New));
        let results: Vec<NodeId> = (0..tensors.len()).filter(is_new).map(|position| tensors[position]).collect();
        for (position, own) in tensors.iter().enumerate().take(rounds.carried.len()) {
            // Of a tensor that was there before, the loop's derivative tells all.
            if matches!(kinds[position], AfterLoop::Unchanged | AfterLoop::Around) {
                continue;
            }
            let body = rounds.rounds(self.builder.graph(), &self.new_tensors);
            let mut last = LastRound { results: results.clone(), ..LastRound::default() };
            for (other, tensor) in tensors.iter().enumerate() {
                // What is pushed is that tensor, and part of another.
                match body.dependence_behind(other, position, has_rounds) {
                    Answer::Depends if tensor != own => last.dependent.push(*tensor),
                    Answer::Depends => {}
                    Answer::Around(before) => {
                        let graph = self.builder.graph();
                        let is_apart = |query: &Query| self.new_tensors.behind_loops(graph, query.clone()).is_some();
                        if tensor != own && !before.iter().all(is_apart) {
                            last.dependent.push(*tensor);
                        }
                        last.may_be.extend(before.into_iter().map(|query| (*tensor, query)));
                    }
                }
            }
            self.new_tensors.last_rounds.insert(*own, last);
        }
    }

    /// A loop without rounds gives what it starts with.
    fn has_rounds(&self, rounds: &FinishedLoop<'_>) -> bool {
        self.builder.is_never_negative(&(rounds.count.clone() - Dim::constant(1)))
    }

    fn carried_kinds(&self, rounds: &FinishedLoop<'_>) -> Vec<AfterLoop> {
        let has_rounds = self.has_rounds(rounds);
        let kind = |(position, next): (usize, &NodeId)| {
            let is_same = |other: &usize| {
                rounds.next[*other] == *next && (has_rounds || rounds.initial[*other] == rounds.initial[position])
            };
            match (0..position).find(is_same) {
                _ if *next == rounds.carried[position] => AfterLoop::Unchanged,
                Some(other) => AfterLoop::As(other),
                None if has_rounds && rounds.is_around(self.builder.graph(), *next) => AfterLoop::Around,
                None => AfterLoop::New,
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
