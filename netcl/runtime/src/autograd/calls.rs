//! Several values of one call of what consists of operations: they are built once.

use crate::autograd::passed::PassedNumbers;
use crate::autograd::work::TensorWork;
use netcl_kernels::graph::NodeId;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::span::Result;
use smallvec::SmallVec;
use std::sync::Arc;

/// Which works of a list pass the same numbers by value, because they are of one call. What such a list is found by says it: two
/// calls may draw numbers of their own.
#[derive(Default)]
pub(crate) struct CallNumbers(SmallVec<[*const (); 4]>);

impl CallNumbers {
    /// The number of the call that a work is of, in the order in which they are asked for; none where nothing is passed by value.
    pub(crate) fn of(&mut self, work: &TensorWork) -> Option<u64> {
        let call = passed_by(work)?;
        let position = self.0.iter().position(|known| *known == call).unwrap_or_else(|| {
            self.0.push(call);
            self.0.len() - 1
        });
        Some(position as u64)
    }
}

/// The calls that are built so far.
#[derive(Default)]
pub(super) struct BuiltCalls {
    built: Vec<BuiltCall>,
    /// Which inputs the numbers of a call are.
    numbers: Vec<(*const (), Vec<NodeId>)>,
}

struct BuiltCall {
    number: u64,
    passed: Option<*const ()>,
    tensors: Vec<NodeId>,
    values: Vec<NodeId>,
}

impl BuiltCalls {
    /// Builds a work of these tensors.
    pub(super) fn build(
        &mut self,
        builder: &mut Builder,
        work: &TensorWork,
        tensors: &[NodeId],
        passed: &mut PassedNumbers,
        batch: Option<usize>,
    ) -> Result<NodeId> {
        let TensorWork::Traced { traced, step, scalars } = work else {
            return work.build(builder, tensors, passed, batch);
        };
        let (number, by) = (traced.number(), passed_by(work));
        let known = by.and_then(|by| self.numbers.iter().find(|(known, _)| *known == by));
        if known.is_some() {
            // Each work passes its numbers, read or not.
            scalars.iter().for_each(|scalar| {
                passed.next(builder, scalar.dtype());
            });
        }
        let same = |call: &&BuiltCall| call.number == number && call.passed == by && call.tensors == tensors;
        if let Some(call) = self.built.iter().find(same) {
            return Ok(call.values[*step]);
        }
        let build = |passed: &mut PassedNumbers| traced.build(builder, tensors, passed, batch);
        let values = match (known, by) {
            // What is equal but for its numbers is equal.
            (Some((_, numbers)), _) => passed.again(numbers, build)?,
            (None, by) => {
                let (values, numbers) = passed.taken_by(build);
                self.numbers.extend(by.map(|by| (by, numbers)));
                values?
            }
        };
        let value = values[*step];
        self.built.push(BuiltCall { number, passed: by, tensors: tensors.to_vec(), values });
        Ok(value)
    }
}

/// Where the numbers are that a call of several values passes.
fn passed_by(work: &TensorWork) -> Option<*const ()> {
    match work {
        TensorWork::Traced { scalars, .. } if !scalars.is_empty() => Some(Arc::as_ptr(scalars).cast()),
        _ => None,
    }
}
