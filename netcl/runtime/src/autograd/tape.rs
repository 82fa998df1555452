//! The records that lead to a loss, as a trace.

use crate::autograd::plan::Signature;
use crate::autograd::record::{Cut, Leaf, LeafKey, Owner, Record, RecordSource, Untracked};
use crate::autograd::trace::{self, Place, StepValue, Trace, TraceInput, TraceResult, TraceStep};
use crate::autograd::work::TensorWork;
use crate::error::Result;
use crate::tensor::{Held, compute_all};
use netcl_hal::device::scalar::Scalar;
use netcl_kernels::dtype::DType;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a loss was computed from.
#[derive(Default)]
pub(super) struct Tape {
    /// What gradients are computed in.
    pub(super) leaves: Vec<Arc<Leaf>>,
    /// The other inputs, with whether their leading axis may be the batch's.
    given: Vec<(Held, bool)>,
    steps: Vec<TapeStep>,
    /// The models that parameters are of, each with the version that they were read in.
    pub(super) owners: SmallVec<[Owner; 1]>,
    /// What ended histories on the way.
    pub(super) cuts: Vec<Arc<Cut>>,
}

/// A record, or what a state becomes.
struct TapeStep {
    work: TensorWork,
    known: u64,
    sources: SmallVec<[TapePlace; 3]>,
    /// Of its value.
    dtype: DType,
    saved: Option<Held>,
    /// What becomes of its value: [`StepValue::Result`] of what waits, which the plan gives, too.
    value: StepValue,
}

/// Which tensor something was computed from.
#[derive(Clone, Copy)]
enum TapePlace {
    Leaf(usize),
    Given(usize),
    Step(usize),
}

/// Where what was met before is, while records are gone through. There are few of each, and all are looked at.
#[derive(Default)]
struct Places {
    leaves: SmallVec<[LeafKey; 16]>,
    /// Of each given tensor its memory.
    given: SmallVec<[u64; 8]>,
    /// By a record's number.
    steps: SmallVec<[(u64, usize); 16]>,
    /// What states become.
    changes: Vec<(Held, usize)>,
}

/// Which gradients are asked for.
pub(super) enum Wanted {
    All,
    /// Those in the parameters of the memory with that number.
    Model(u64),
    Leaves(Vec<LeafKey>),
}

impl Wanted {
    pub(super) fn has(&self, leaf: &Leaf) -> bool {
        match (self, &leaf.owner) {
            (Wanted::All, _) => true,
            // What is wanted may be behind it.
            _ if leaf.stop.is_some() => true,
            (Wanted::Model(store), Some(owner)) => owner.store.id() == *store,
            (Wanted::Model(_), None) => false,
            (Wanted::Leaves(keys), _) => keys.contains(&leaf.key()),
        }
    }
}

impl Tape {
    /// The records that lead to `loss`, in the order in which they were made, for gradients in those leaves that are wanted. What is
    /// pending of what they are given is computed, and, if that is said, of their own values.
    pub(super) fn of(loss: &Arc<Record>, wanted: &Wanted, is_apart: bool) -> Result<Tape> {
        let records = records(loss);
        // What states become here is computed with the rest.
        let changes: Vec<&Held> = records
            .iter()
            .flat_map(|record| &record.changes)
            .map(|change| &change.held)
            .filter(|change| !is_apart && change.value.waiting().is_some())
            .collect();
        let is_change = |held: &Held| changes.iter().any(|change| change.value.is_same(&held.value));
        let own = records.iter().filter_map(|record| record.saved.as_ref()).filter(|_| is_apart);
        let read = records.iter().flat_map(|record| record.values()).chain(own).filter(|held| !is_change(held));
        let read: SmallVec<[&Held; 16]> = read.collect();
        compute_all(read.iter().map(|held| &held.value))?;
        let (mut tape, mut places) = (Tape::default(), Places::default());
        for record in &records {
            let mut sources = SmallVec::with_capacity(record.sources.len());
            for source in &record.sources {
                sources.extend(tape.source(&mut places, source, wanted)?);
            }
            for change in record.changes.iter().filter(|change| is_change(&change.held)) {
                places.changes.push((change.held.clone(), tape.steps.len()));
                let (work, saved) = ((change.work.clone(), change.known), Some(&change.held));
                tape.step(work, sources.clone(), change.held.dtype, saved);
            }
            places.steps.push((record.number, tape.steps.len()));
            tape.step((record.work.clone(), record.known), sources, record.dtype, record.saved.as_ref());
        }
        Ok(tape)
    }

    fn step(
        &mut self,
        (work, known): (TensorWork, u64),
        sources: SmallVec<[TapePlace; 3]>,
        dtype: DType,
        saved: Option<&Held>,
    ) {
        let value = match saved {
            None => StepValue::Inner,
            Some(held) if held.value.waiting().is_some() => StepValue::Result,
            Some(_) => StepValue::Supplied,
        };
        self.steps.push(TapeStep { work, known, sources, dtype, saved: saved.cloned(), value });
    }

    fn source(&mut self, places: &mut Places, source: &RecordSource, wanted: &Wanted) -> Result<Option<TapePlace>> {
        Ok(match source {
            RecordSource::Record(record) => {
                let position = places.steps.binary_search_by_key(&record.number, |(number, _)| *number);
                position.ok().map(|position| TapePlace::Step(places.steps[position].1))
            }
            RecordSource::Leaf(leaf) => {
                if let Some(owner) = &leaf.owner {
                    let same = |own: &Owner| own.store.id() == owner.store.id() && own.version == owner.version;
                    if !self.owners.iter().any(same) {
                        self.owners.push(owner.clone());
                    }
                }
                if !wanted.has(leaf) {
                    return self.given(places, &leaf.held, leaf.owner.is_none()).map(Some);
                }
                let key = leaf.key();
                let position = places.leaves.iter().position(|known| *known == key).unwrap_or_else(|| {
                    places.leaves.push(key);
                    self.leaves.push(leaf.clone());
                    self.leaves.len() - 1
                });
                Some(TapePlace::Leaf(position))
            }
            RecordSource::Given(Untracked { held, cut, is_own }) => {
                if let Some(cut) = cut.as_ref().filter(|cut| !self.cuts.iter().any(|known| Arc::ptr_eq(known, cut))) {
                    self.cuts.push(cut.clone());
                }
                Some(self.given(places, held, !is_own)?)
            }
        })
    }

    fn given(&mut self, places: &mut Places, held: &Held, may_be_batch: bool) -> Result<TapePlace> {
        if let Some((_, step)) = places.changes.iter().find(|(change, _)| change.value.is_same(&held.value)) {
            return Ok(TapePlace::Step(*step));
        }
        let memory = held.value.region()?.id();
        let same = |(known, (other, _)): (&u64, &(Held, bool))| {
            *known == memory && other.shape == held.shape && other.dtype == held.dtype
        };
        let known = places.given.iter().zip(&self.given).position(same);
        Ok(TapePlace::Given(known.unwrap_or_else(|| {
            places.given.push(memory);
            self.given.push((held.clone(), may_be_batch));
            self.given.len() - 1
        })))
    }

    /// Leaves, other inputs, and what was saved, in the order of the arguments of the trace's graph.
    pub(super) fn arguments(&self) -> impl Iterator<Item = &Held> {
        let leaves = self.leaves.iter().map(|leaf| &leaf.held);
        leaves.chain(self.given.iter().map(|(held, _)| held)).chain(self.saved(StepValue::Supplied))
    }

    /// The steps' values that wait, which the plan gives, too.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &Held> {
        self.saved(StepValue::Result)
    }

    fn saved(&self, value: StepValue) -> impl Iterator<Item = &Held> {
        self.steps.iter().filter(move |step| step.value == value).filter_map(|step| step.saved.as_ref())
    }

    /// The numbers that the plan takes by value.
    pub(super) fn scalars(&self) -> SmallVec<[Scalar; 8]> {
        self.steps.iter().flat_map(|step| step.work.scalars(self.first_dtype(step))).collect()
    }

    /// The element type of a step's first source.
    fn first_dtype(&self, step: &TapeStep) -> Option<DType> {
        step.sources.first().map(|source| match *source {
            TapePlace::Leaf(position) => self.leaves[position].held.dtype,
            TapePlace::Given(position) => self.given[position].0.dtype,
            TapePlace::Step(position) => self.steps[position].dtype,
        })
    }

    fn place(&self, source: TapePlace) -> Place {
        match source {
            TapePlace::Leaf(position) => Place::Input(position),
            TapePlace::Given(position) => Place::Input(self.leaves.len() + position),
            TapePlace::Step(position) => Place::Step(position),
        }
    }

    /// Of each input whether its leading axis may be the batch's.
    fn may_be_batch(&self) -> impl Iterator<Item = bool> {
        let leaves = self.leaves.iter().map(|leaf| leaf.owner.is_none());
        leaves.chain(self.given.iter().map(|(_, may_be_batch)| *may_be_batch))
    }

    /// What its plan is found by, if it was met before: works with what becomes of their values, and which tensor is which. Types and
    /// shapes are those of the works.
    pub(super) fn signature(&self) -> Signature {
        let mut signature = Signature::new();
        signature.push(1 + self.leaves.len() as u64);
        // Those that are given are what the works' sources say.
        signature.extend(self.may_be_batch().map(u64::from));
        for step in &self.steps {
            signature.push(step.known << 2 | step.value as u64);
            signature.extend(step.sources.iter().map(|source| self.place(*source).number()));
        }
        signature
    }

    /// It gives the gradients of the loss in the leaves, which are its first inputs.
    pub(super) fn trace(&self) -> Trace {
        let leaves = self.leaves.len();
        let held = self.leaves.iter().map(|leaf| &leaf.held).chain(self.given.iter().map(|(held, _)| held));
        let input = |(held, may_be_batch): (&Held, bool)| TraceInput {
            dtype: held.dtype,
            shape: held.shape.clone(),
            may_be_batch,
        };
        let inputs: Vec<TraceInput> = held.zip(self.may_be_batch()).map(input).collect();
        let step = |step: &TapeStep| TraceStep {
            work: step.work.clone(),
            sources: step.sources.iter().map(|source| self.place(*source)).collect(),
            dtype: self.first_dtype(step),
            value: step.value,
        };
        let steps = self.steps.iter().map(step).collect();
        // Of what is no leaf first.
        let batch = trace::batch(inputs[leaves..].iter().chain(&inputs[..leaves]));
        Trace { name: "backward".to_owned(), gives: TraceResult::Gradients { leaves }, inputs, steps, batch }
    }
}

/// The records that lead to one, in the order in which they were made.
fn records(loss: &Arc<Record>) -> SmallVec<[Arc<Record>; 16]> {
    // The latest first: all that was computed from a record comes before it.
    let mut open = BTreeMap::from([(loss.number, loss)]);
    let mut found: SmallVec<[Arc<Record>; 16]> = SmallVec::new();
    while let Some((_, record)) = open.pop_last() {
        open.extend(record.sources.iter().filter_map(|source| match source {
            RecordSource::Record(record) => Some((record.number, record)),
            RecordSource::Leaf(_) | RecordSource::Given(_) => None,
        }));
        found.push(record.clone());
    }
    found.reverse();
    found
}
