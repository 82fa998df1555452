//! What operations give, as nodes of their own where derivatives are asked in it: see [`super::identity`].

use super::identity::{AfterLoop, Distinct};
use super::{Lowering, Val};
use crate::ast::{FunctionItem, Unit};
use netcl_kernels::dim::Dim;
use netcl_kernels::graph::NodeId;

/// What a loop carries: as it starts, as a round finds it and leaves it, and what rounds push into lists.
pub(super) struct FinishedLoop<'r> {
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
            let left: Vec<NodeId> = rounds.next.iter().chain(rounds.pushed).copied().collect();
            for (position, id) in rounds.next.iter().enumerate() {
                // Of a tensor that was there before, the loop's derivative tells all.
                if matches!(kinds[position], AfterLoop::Unchanged | AfterLoop::Around) {
                    continue;
                }
                let others = left.iter().zip(&tensors).filter(|(other, tensor)| {
                    // What is pushed is that tensor, and part of another.
                    **tensor != tensors[position] && self.is_made_of(**other, *id)
                });
                let others: Vec<NodeId> = others.map(|(_, tensor)| *tensor).collect();
                self.new_tensors.last_rounds.insert(tensors[position], others);
            }
        }
        self.new_tensors.found.loops.push(kinds);
        tensors
    }

    fn carried_kinds(&self, rounds: &FinishedLoop<'_>) -> Vec<AfterLoop> {
        // In a loop without rounds all stay what they were.
        let has_rounds = self.builder.is_never_negative(&(rounds.count.clone() - Dim::constant(1)));
        let first = rounds.carried.first().map_or(0, |id| id.index());
        let kind = |(position, next): (usize, &NodeId)| {
            let is_same = |other: &usize| {
                rounds.next[*other] == *next && (has_rounds || rounds.initial[*other] == rounds.initial[position])
            };
            match (0..position).find(is_same) {
                _ if *next == rounds.carried[position] => AfterLoop::Unchanged,
                Some(other) => AfterLoop::As(other),
                None if has_rounds && next.index() < first => AfterLoop::Around,
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
