//! Which tensors are the same one. Each operation gives a tensor of its own, however many names that has, and whatever it equals:
//! derivatives are asked in that tensor. The graph has equal results once, and an operation that changes nothing not at all; so a
//! body with `grad` is lowered twice: with a node for each result, which tells in which ones derivatives are asked, and then with
//! nodes of their own for these alone.

use super::{Lowering, Val};
use crate::ast::{FunctionItem, Unit};
use netcl_kernels::graph::NodeId;
use std::collections::{BTreeMap, BTreeSet};

/// Positions of operations by their positions in the order in which a body's evaluation gives them.
pub(super) type Positions = BTreeSet<usize>;

/// Which results of operations are nodes of their own.
#[derive(Clone)]
pub(super) enum Distinct {
    All,
    These(Positions),
}

/// The tensors that operations have given.
#[derive(Clone)]
pub(super) struct NewTensors {
    distinct: Distinct,
    count: usize,
    /// The positions of those that are nodes of their own.
    positions: BTreeMap<NodeId, usize>,
    /// Those in which derivatives have been asked.
    asked: Positions,
}

impl NewTensors {
    pub(super) fn new(distinct: Distinct) -> Self {
        NewTensors { distinct, count: 0, positions: BTreeMap::new(), asked: Positions::new() }
    }

    /// Notes that a derivative is asked in a tensor.
    pub(super) fn ask(&mut self, id: NodeId) {
        self.asked.extend(self.positions.get(&id));
    }

    /// In which results derivatives have been asked.
    pub(super) fn into_asked(self) -> Positions {
        self.asked
    }
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
            Distinct::These(all) => all.contains(&position),
        };
        if !is_distinct {
            return id;
        }
        let id = self.builder.distinct(id);
        self.new_tensors.positions.insert(id, position);
        id
    }

    /// The same of all tensors in a value.
    pub(super) fn new_tensors_in(&mut self, value: Val<'a>) -> Val<'a> {
        value.map_tensors(&mut |id| self.new_tensor(id))
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
