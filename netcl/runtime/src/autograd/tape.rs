//! The records that lead to a loss, as a trace.

use crate::autograd::record::{Cut, Leaf, LeafKey, Owner, Record, RecordSource, Untracked};
use crate::autograd::trace::{self, Place, StepValue, Trace, TraceInput, TraceResult, TraceStep};
use crate::autograd::work::TensorWork;
use crate::error::Result;
use crate::tensor::{Held, compute_all};
use netcl_kernels::dtype::DType;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a loss was computed from.
pub(super) struct Tape {
    /// Gives the gradients of the loss in the leaves, which are its first inputs.
    pub(super) trace: Trace,
    /// What gradients are computed in.
    pub(super) leaves: Vec<Arc<Leaf>>,
    /// The other inputs.
    given: Vec<Held>,
    /// The steps' values that there are.
    saved: Vec<Held>,
    /// Those that wait, which the trace gives, too.
    pub(super) waiting: Vec<Held>,
    /// The models that parameters are of, each with the version that they were read in.
    pub(super) owners: Vec<Owner>,
    /// What ended histories on the way.
    pub(super) cuts: Vec<Arc<Cut>>,
}

/// Which gradients are asked for.
pub(super) enum Wanted {
    All,
    /// Those in the parameters of the memory with that number.
    Model(u64),
    Leaves(Vec<LeafKey>),
}

impl Wanted {
    fn has(&self, leaf: &Leaf) -> bool {
        match (self, &leaf.owner) {
            (Wanted::All, _) => true,
            (Wanted::Model(store), Some(owner)) => owner.store.id() == *store,
            (Wanted::Model(_), None) => false,
            (Wanted::Leaves(keys), _) => keys.contains(&leaf.key()),
        }
    }
}

/// A tape while its records are gone through.
#[derive(Default)]
struct Collected {
    leaves: Vec<Arc<Leaf>>,
    /// With whether their leading axis may be the batch's.
    given: Vec<(Held, bool)>,
    steps: Vec<TapeStep>,
    /// Where what states become is.
    changes: Vec<(Held, usize)>,
    owners: Vec<Owner>,
    cuts: Vec<Arc<Cut>>,
    /// Where what was met before is.
    leaf_places: BTreeMap<LeafKey, usize>,
    given_places: BTreeMap<(u64, Arc<[usize]>, DType), usize>,
    /// By a record's number.
    step_places: BTreeMap<u64, usize>,
}

/// A record, or what a state becomes.
struct TapeStep {
    work: TensorWork,
    sources: Vec<TapePlace>,
    /// Of its value.
    dtype: DType,
    saved: Option<Held>,
}

/// Which tensor something was computed from.
#[derive(Clone, Copy)]
enum TapePlace {
    Leaf(usize),
    Given(usize),
    Step(usize),
}

impl Tape {
    /// The records that lead to `loss`, in the order in which they were made, for gradients in those leaves that are wanted. What is
    /// pending of what they are given is computed, and, if that is said, of their own values.
    pub(super) fn of(loss: &Arc<Record>, wanted: &Wanted, is_apart: bool) -> Result<Tape> {
        let mut records: BTreeMap<u64, Arc<Record>> = BTreeMap::new();
        let mut open = vec![loss.clone()];
        while let Some(record) = open.pop() {
            if records.contains_key(&record.number) {
                continue;
            }
            open.extend(record.sources.iter().filter_map(|source| match source {
                RecordSource::Record(record) => Some(record.clone()),
                RecordSource::Leaf(_) | RecordSource::Given(_) => None,
            }));
            records.insert(record.number, record);
        }
        let own = records.values().filter_map(|record| record.saved.as_ref()).filter(|_| is_apart);
        // What states become here is computed with the rest.
        let changes: Vec<&Held> = records
            .values()
            .flat_map(|record| &record.changes)
            .map(|change| &change.held)
            .filter(|change| !is_apart && change.value.waiting().is_some())
            .collect();
        let is_change = |held: &&Held| changes.iter().any(|change| change.value.is_same(&held.value));
        let read = records.values().flat_map(|record| record.values()).chain(own).filter(|held| !is_change(held));
        let read: Vec<&Held> = read.collect();
        compute_all(read.iter().map(|held| &held.value))?;
        let mut found = Collected::default();
        for (number, record) in &records {
            let mut sources = Vec::with_capacity(record.sources.len());
            for source in &record.sources {
                sources.extend(found.source(source, wanted)?);
            }
            for change in record.changes.iter().filter(|change| is_change(&&change.held)) {
                found.changes.push((change.held.clone(), found.steps.len()));
                let (work, saved) = (change.work.clone(), Some(change.held.clone()));
                found.steps.push(TapeStep { work, sources: sources.clone(), dtype: change.held.dtype, saved });
            }
            found.step_places.insert(*number, found.steps.len());
            let (work, saved) = (record.work.clone(), record.saved.clone());
            found.steps.push(TapeStep { work, sources, dtype: record.dtype, saved });
        }
        Ok(found.tape())
    }

    /// Leaves, other inputs, and what was saved, in the order of the arguments of the trace's graph.
    pub(super) fn arguments(&self) -> Vec<&Held> {
        self.leaves.iter().map(|leaf| &leaf.held).chain(&self.given).chain(&self.saved).collect()
    }
}

impl Collected {
    fn source(&mut self, source: &RecordSource, wanted: &Wanted) -> Result<Option<TapePlace>> {
        Ok(match source {
            RecordSource::Record(record) => self.step_places.get(&record.number).copied().map(TapePlace::Step),
            RecordSource::Leaf(leaf) => {
                if let Some(owner) = &leaf.owner {
                    let same = |own: &Owner| own.store.id() == owner.store.id() && own.version == owner.version;
                    if !self.owners.iter().any(same) {
                        self.owners.push(owner.clone());
                    }
                }
                if !wanted.has(leaf) {
                    return self.given(&leaf.held, leaf.owner.is_none()).map(Some);
                }
                let position = *self.leaf_places.entry(leaf.key()).or_insert(self.leaves.len());
                if position == self.leaves.len() {
                    self.leaves.push(leaf.clone());
                }
                Some(TapePlace::Leaf(position))
            }
            RecordSource::Given(Untracked { held, cut, is_own }) => {
                if let Some(cut) = cut.as_ref().filter(|cut| !self.cuts.iter().any(|known| Arc::ptr_eq(known, cut))) {
                    self.cuts.push(cut.clone());
                }
                Some(self.given(held, !is_own)?)
            }
        })
    }

    fn given(&mut self, held: &Held, may_be_batch: bool) -> Result<TapePlace> {
        if let Some((_, step)) = self.changes.iter().find(|(change, _)| change.value.is_same(&held.value)) {
            return Ok(TapePlace::Step(*step));
        }
        let key = (held.value.region()?.id(), held.shape.clone(), held.dtype);
        let position = *self.given_places.entry(key).or_insert(self.given.len());
        if position == self.given.len() {
            self.given.push((held.clone(), may_be_batch));
        }
        Ok(TapePlace::Given(position))
    }

    fn dtype(&self, source: TapePlace) -> DType {
        match source {
            TapePlace::Leaf(position) => self.leaves[position].held.dtype,
            TapePlace::Given(position) => self.given[position].0.dtype,
            TapePlace::Step(position) => self.steps[position].dtype,
        }
    }

    fn tape(self) -> Tape {
        let leaves = self.leaves.len();
        let input = |value: &Held, may_be_batch: bool| TraceInput {
            dtype: value.dtype,
            shape: value.shape.clone(),
            may_be_batch,
        };
        let mut inputs: Vec<TraceInput> =
            self.leaves.iter().map(|leaf| input(&leaf.held, leaf.owner.is_none())).collect();
        inputs.extend(self.given.iter().map(|(value, may_be_batch)| input(value, *may_be_batch)));
        let place = |source: &TapePlace| match *source {
            TapePlace::Leaf(position) => Place::Input(position),
            TapePlace::Given(position) => Place::Input(leaves + position),
            TapePlace::Step(position) => Place::Step(position),
        };
        let (mut saved, mut waiting) = (Vec::new(), Vec::new());
        let mut value = |step: &TapeStep| match &step.saved {
            None => StepValue::Inner,
            Some(held) if held.value.waiting().is_some() => {
                waiting.push(held.clone());
                StepValue::Result
            }
            Some(held) => {
                saved.push(held.clone());
                StepValue::Supplied
            }
        };
        let step = |step: &TapeStep| TraceStep {
            work: step.work.clone(),
            sources: step.sources.iter().map(place).collect(),
            dtype: step.sources.first().map(|source| self.dtype(*source)),
            value: value(step),
        };
        let steps = self.steps.iter().map(step).collect();
        let gives = TraceResult::Gradients { leaves };
        // Of what is no leaf first.
        let batch = trace::batch(inputs[leaves..].iter().chain(&inputs[..leaves]));
        Tape {
            trace: Trace { name: "backward".to_owned(), gives, inputs, steps, batch },
            saved,
            waiting,
            leaves: self.leaves,
            given: self.given.into_iter().map(|(value, _)| value).collect(),
            owners: self.owners,
            cuts: self.cuts,
        }
    }
}
