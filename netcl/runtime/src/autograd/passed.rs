//! Numbers that change from call to call, as inputs of a graph.

use netcl_kernels::dim::Shape;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{InputKind, NodeId};

/// The numbers that a graph takes by value, while it is built.
#[derive(Default)]
pub(crate) struct PassedNumbers {
    /// As they were taken.
    taken: Vec<NodeId>,
    /// How many there are.
    next: usize,
    /// Those that are taken next, the last of them first: inputs that there are.
    again: Vec<NodeId>,
    /// What is built is differentiated then.
    pub(super) is_differentiated: bool,
}

impl PassedNumbers {
    /// Of what is differentiated then, if that is said.
    pub(super) fn new(is_differentiated: bool) -> PassedNumbers {
        PassedNumbers { is_differentiated, ..PassedNumbers::default() }
    }

    /// The next one.
    pub(crate) fn next(&mut self, builder: &mut Builder, dtype: DType) -> NodeId {
        let number = self.again.pop().unwrap_or_else(|| {
            let position = self.next;
            self.next += 1;
            builder.input(InputKind::Scalar(position), &format!("number{position}"), Shape::scalar(), dtype)
        });
        self.taken.push(number);
        number
    }

    /// Those that were taken while `build` was at work.
    pub(super) fn taken_by<R>(&mut self, build: impl FnOnce(&mut PassedNumbers) -> R) -> (R, Vec<NodeId>) {
        let before = self.taken.len();
        let result = build(self);
        (result, self.taken[before..].to_vec())
    }

    /// Lets `build` take these.
    pub(super) fn again<R>(&mut self, numbers: &[NodeId], build: impl FnOnce(&mut PassedNumbers) -> R) -> R {
        let own = std::mem::replace(&mut self.again, numbers.iter().rev().copied().collect());
        let result = build(self);
        self.again = own;
        result
    }
}
