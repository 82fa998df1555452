//! What leads to tensors that wait, as a list: what a compiled function is made of.

use crate::autograd::work::TensorWork;
use crate::tensor::pending::{self, PendingWork};
use crate::tensor::{Held, Tensor};
use netcl_kernels::dtype::DType;
use std::collections::BTreeMap;
use std::sync::Arc;

/// One operation or layer.
pub(crate) struct TracedStep {
    pub(crate) work: TensorWork,
    /// Whether it reads the random numbers that it was given.
    pub(crate) draws: bool,
    pub(crate) sources: Vec<TracedSource>,
    /// The element type of the first source.
    pub(crate) dtype: Option<DType>,
}

/// What a step is of, or a function gives.
pub(crate) enum TracedSource {
    Step(usize),
    /// It waits for nothing that is in the list.
    Held(Held),
}

/// What leads to these, operands first, and where each of them is.
pub(crate) fn traced(results: &[Tensor]) -> (Vec<TracedStep>, Vec<TracedSource>) {
    let mut works: BTreeMap<u64, (Arc<PendingWork>, Arc<[Held]>)> = BTreeMap::new();
    let waiting = |held: &Held| pending::waiting_of(&held.value)?.shared();
    let results: Vec<Held> = results.iter().map(Tensor::held).collect();
    let mut open: Vec<Arc<PendingWork>> = results.iter().filter_map(waiting).collect();
    while let Some(work) = open.pop() {
        if let (false, Some(sources)) = (works.contains_key(&work.number()), work.sources()) {
            open.extend(sources.iter().filter_map(waiting));
            works.insert(work.number(), (work, sources));
        }
    }
    let numbers: Vec<u64> = works.keys().copied().collect();
    let place = |held: &Held| {
        let step = pending::work_of(&held.value).and_then(|work| numbers.binary_search(&work.number()).ok());
        step.map_or_else(|| TracedSource::Held(held.clone()), TracedSource::Step)
    };
    let step = |(work, sources): &(Arc<PendingWork>, Arc<[Held]>)| TracedStep {
        work: work.work().clone(),
        draws: matches!(work.work(), TensorWork::Layer { .. }) && work.known().reads_number,
        sources: sources.iter().map(place).collect(),
        dtype: sources.first().map(|source| source.dtype),
    };
    (works.values().map(step).collect(), results.iter().map(place).collect())
}
