//! The records that lead to values, as a trace.

use crate::autograd::calls::CallNumbers;
use crate::autograd::plan::Signature;
use crate::autograd::record::{History, Leaf, LeafKey, Owner, Record, RecordSource, Untracked};
use crate::autograd::records::{BehindLeaf, Records, Wanted};
use crate::autograd::trace::{self, Place, StepValue, Trace, TraceInput, TraceResult, TraceStep};
use crate::autograd::work::TensorWork;
use crate::error::Result;
use crate::tensor::{Held, compute_all};
use netcl_kernels::dtype::DType;
use smallvec::SmallVec;
use std::sync::Arc;

/// What values were computed from.
#[derive(Default)]
pub(super) struct Tape {
    /// What gradients are computed in.
    pub(super) leaves: Vec<Arc<Leaf>>,
    pub(super) given: Vec<TapeInput>,
    pub(super) steps: Vec<TapeStep>,
    /// The models that parameters are of, each with the version that they were read in.
    owners: SmallVec<[Owner; 1]>,
}

/// An input in which no gradient is computed.
pub(super) struct TapeInput {
    pub(super) held: Held,
    /// Whether its leading axis may be the batch's.
    pub(super) may_be_batch: bool,
    /// What it was computed from.
    pub(super) history: Option<History>,
}

/// A record, or what a state becomes.
pub(super) struct TapeStep {
    work: TensorWork,
    known: u64,
    sources: SmallVec<[TapePlace; 3]>,
    /// Of its value.
    dtype: DType,
    pub(super) saved: Option<Held>,
    /// What becomes of its value: [`StepValue::Result`] of what waits, which the plan gives, too.
    pub(super) value: StepValue,
    /// What it is, unless it is what a state becomes.
    pub(super) record: Option<Arc<Record>>,
}

/// Which tensor something was computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TapePlace {
    Leaf(usize),
    Given(usize),
    Step(usize),
}

/// Where what was met before is, while records are gone through. There are few of each, and all are looked at.
#[derive(Default)]
struct Places<'a> {
    /// What is in the place of records before those, by their number.
    before: &'a [(u64, Arc<Leaf>)],
    leaves: SmallVec<[LeafKey; 16]>,
    /// Of each given tensor its value, and what it was computed from.
    given: SmallVec<[GivenKey; 8]>,
    /// By a record's number.
    steps: SmallVec<[(u64, usize); 16]>,
    /// What states become.
    changes: Vec<(Held, usize)>,
}

/// Which value it is, and what it was computed from.
type GivenKey = ((bool, u64), Option<HistoryKey>);

/// Which history it is, of what is tracked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HistoryKey {
    Record(u64),
    Leaf(LeafKey),
}

/// When what waits is computed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ComputedWhen {
    /// What the tape is given before, and its own values with the gradients.
    Together,
    /// Its own values before, too.
    Before,
    /// Whenever that is needed: gradients are noted as well, as functions of all that is tracked.
    Later,
}

impl Tape {
    /// Of the records that lead to `values`, for gradients in those leaves that are wanted; and where the values are, as far as they are
    /// part of it.
    pub(super) fn of(
        records: &Records,
        values: &[&History],
        wanted: &Wanted,
        waiting: ComputedWhen,
    ) -> Result<(Tape, Vec<Option<TapePlace>>)> {
        let Records { all, before, .. } = records;
        // What states become here is computed with the rest.
        let changes: Vec<&Held> = all
            .iter()
            .flat_map(|record| &record.changes)
            .map(|change| &change.held)
            .filter(|change| waiting == ComputedWhen::Together && change.value.waiting().is_some())
            .collect();
        let is_change = |held: &Held| changes.iter().any(|change| change.value.is_same(&held.value));
        if waiting != ComputedWhen::Later {
            let own = all.iter().filter_map(|record| record.saved());
            let own = own.filter(|_| waiting == ComputedWhen::Before);
            let before = before.iter().map(|(_, leaf)| &leaf.held);
            let read = all.iter().flat_map(|record| record.values()).chain(before).chain(own);
            let read = read.filter(|held| !is_change(held));
            let read: SmallVec<[&Held; 16]> = read.collect();
            compute_all(read.iter().map(|held| &held.value))?;
        }
        let (mut tape, mut places) = (Tape::default(), Places::default());
        places.before = before;
        for record in all {
            let mut sources = SmallVec::with_capacity(record.sources.len());
            for source in &record.sources {
                sources.extend(tape.source(&mut places, source, wanted, waiting));
            }
            for change in record.changes.iter().filter(|change| is_change(&change.held)) {
                places.changes.push((change.held.clone(), tape.steps.len()));
                let (work, saved) = ((change.work.clone(), change.known), Some(&change.held));
                tape.step(work, sources.clone(), change.held.dtype, saved, None);
            }
            places.steps.push((record.number, tape.steps.len()));
            let work = (record.work.clone(), record.known);
            tape.step(work, sources, record.dtype, record.saved(), Some(record));
            if let (ComputedWhen::Later, Some(step)) = (waiting, tape.steps.last_mut())
                && step.saved.is_some()
            {
                step.value = StepValue::Supplied;
            }
        }
        let place = |value: &&History| match value {
            History::Record(record) => places.step(record),
            History::Leaf(leaf) => tape.leaf(&mut places, leaf, wanted, waiting),
            History::Cut(_) => None,
        };
        let own = values.iter().map(place).collect();
        tape.check_owners()?;
        Ok((tape, own))
    }

    /// That parameters are what they were.
    fn check_owners(&self) -> Result<()> {
        self.owners.iter().try_for_each(Owner::unchanged)
    }

    fn step(
        &mut self,
        (work, known): (TensorWork, u64),
        sources: SmallVec<[TapePlace; 3]>,
        dtype: DType,
        saved: Option<&Held>,
        record: Option<&Arc<Record>>,
    ) {
        let value = match saved {
            None => StepValue::Inner,
            Some(held) if held.value.waiting().is_some() => StepValue::Result,
            Some(_) => StepValue::Supplied,
        };
        let (saved, record) = (saved.cloned(), record.cloned());
        self.steps.push(TapeStep { work, known, sources, dtype, saved, value, record });
    }

    fn source(
        &mut self,
        places: &mut Places<'_>,
        source: &RecordSource,
        wanted: &Wanted,
        waiting: ComputedWhen,
    ) -> Option<TapePlace> {
        match source {
            RecordSource::Record(record) => match (places.step(record), places.before(record)) {
                (Some(step), _) => Some(step),
                (None, Some(leaf)) => self.leaf(places, leaf, wanted, waiting),
                // It is no part of what is differentiated.
                (None, None) => {
                    let (held, history) = (record.saved()?, History::Record(record.clone()));
                    Some(self.given(places, held, true, Some(history)))
                }
            },
            RecordSource::Leaf(leaf) => self.leaf(places, leaf, wanted, waiting),
            RecordSource::Given(Untracked { held, cut, is_own }) => {
                Some(self.given(places, held, !is_own, cut.clone().map(History::Cut)))
            }
        }
    }

    fn leaf(
        &mut self,
        places: &mut Places<'_>,
        leaf: &Arc<Leaf>,
        wanted: &Wanted,
        waiting: ComputedWhen,
    ) -> Option<TapePlace> {
        if let Some(owner) = leaf.parameter_of() {
            let same = |own: &Owner| own.store.id() == owner.store.id() && own.version == owner.version;
            if !self.owners.iter().any(same) {
                self.owners.push(owner.clone());
            }
        }
        let leaf = match wanted.behind(leaf) {
            BehindLeaf::Record(record) => match (places.step(record), places.before(record)) {
                (Some(step), _) => return Some(step),
                (None, before) => before.unwrap_or(leaf),
            },
            BehindLeaf::Leaf(behind) if wanted.has(behind) || waiting != ComputedWhen::Later => behind,
            BehindLeaf::Leaf(_) => leaf,
        };
        // What is wanted may be behind a stop, whose gradient goes on when it is there.
        let goes_on = leaf.stop.is_some() && waiting != ComputedWhen::Later;
        if !goes_on && !wanted.has(leaf) {
            let history = leaf.of.clone().unwrap_or_else(|| History::Leaf(leaf.clone()));
            return Some(self.given(places, &leaf.held, leaf.parameter_of().is_none(), Some(history)));
        }
        let key = leaf.key();
        let position = places.leaves.iter().position(|known| *known == key).unwrap_or_else(|| {
            places.leaves.push(key);
            self.leaves.push(leaf.clone());
            self.leaves.len() - 1
        });
        Some(TapePlace::Leaf(position))
    }

    fn given(
        &mut self,
        places: &mut Places<'_>,
        held: &Held,
        may_be_batch: bool,
        history: Option<History>,
    ) -> TapePlace {
        if let Some((_, step)) = places.changes.iter().find(|(change, _)| change.value.is_same(&held.value)) {
            return TapePlace::Step(*step);
        }
        let key = (held.value.identity(), history.as_ref().and_then(HistoryKey::of));
        let same = |(known, input): (&GivenKey, &TapeInput)| {
            *known == key && input.held.shape == held.shape && input.held.dtype == held.dtype
        };
        let known = places.given.iter().zip(&self.given).position(same);
        TapePlace::Given(known.unwrap_or_else(|| {
            places.given.push(key);
            self.given.push(TapeInput { held: held.clone(), may_be_batch, history });
            self.given.len() - 1
        }))
    }

    /// Leaves, other inputs, and what was saved, in the order of the arguments of the trace's graph.
    pub(super) fn arguments(&self) -> impl Iterator<Item = &Held> {
        let leaves = self.leaves.iter().map(|leaf| &leaf.held);
        leaves.chain(self.given.iter().map(|input| &input.held)).chain(self.saved(StepValue::Supplied))
    }

    /// The steps' values that wait, which the plan gives, too.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &Held> {
        self.saved(StepValue::Result)
    }

    fn saved(&self, value: StepValue) -> impl Iterator<Item = &Held> {
        self.steps.iter().filter(move |step| step.value == value).filter_map(|step| step.saved.as_ref())
    }

    /// The works of its steps, each with the element type of its first source.
    pub(super) fn works(&self) -> impl Iterator<Item = (&TensorWork, Option<DType>)> {
        self.steps.iter().map(|step| (&step.work, self.first_dtype(step)))
    }

    /// The element type of a step's first source.
    fn first_dtype(&self, step: &TapeStep) -> Option<DType> {
        step.sources.first().map(|source| match *source {
            TapePlace::Leaf(position) => self.leaves[position].held.dtype,
            TapePlace::Given(position) => self.given[position].held.dtype,
            TapePlace::Step(position) => self.steps[position].dtype,
        })
    }

    /// Where a tensor is if leaves are the first inputs.
    fn place(&self, source: TapePlace) -> Place {
        match source {
            TapePlace::Leaf(position) => Place::Input(position),
            TapePlace::Given(position) => Place::Input(self.leaves.len() + position),
            TapePlace::Step(position) => Place::Step(position),
        }
    }

    /// Leaves and given tensors, each with whether its leading axis may be the batch's.
    pub(super) fn inputs(&self) -> impl Iterator<Item = (&Held, bool)> {
        let leaves = self.leaves.iter().map(|leaf| (&leaf.held, leaf.parameter_of().is_none()));
        leaves.chain(self.given.iter().map(|input| (&input.held, input.may_be_batch)))
    }

    /// What its plan is found by, if it was met before: works with what becomes of their values, and which tensor is which. Types and
    /// shapes are those of the works.
    pub(super) fn signature(&self) -> Signature {
        let mut signature = Signature::new();
        signature.push(1 + self.leaves.len() as u64);
        // Those that are given are what the works' sources say.
        signature.extend(self.inputs().map(|(_, may_be_batch)| u64::from(may_be_batch)));
        let mut calls = CallNumbers::default();
        for step in &self.steps {
            signature.push(step.known << 2 | step.value as u64);
            signature.extend(calls.of(&step.work));
            signature.extend(step.sources.iter().map(|source| self.place(*source).number()));
        }
        signature
    }

    /// It gives the gradients of the loss in the leaves, which are its first inputs.
    pub(super) fn trace(&self) -> Trace {
        self.trace_giving("backward", TraceResult::Gradients { leaves: self.leaves.len() })
    }

    fn trace_giving(&self, name: &str, gives: TraceResult) -> Trace {
        let leaves = self.leaves.len();
        let inputs: Vec<TraceInput> = self.inputs().map(input).collect();
        let steps = self.trace_steps(|place| self.place(place));
        // Of what is no leaf first.
        let batch = trace::batch(inputs[leaves..].iter().chain(&inputs[..leaves]));
        Trace { name: name.to_owned(), gives, inputs, steps, batch }
    }

    /// Of its steps those of these records give their values, and others none.
    pub(super) fn give_alone(&mut self, gives: impl Fn(&Record) -> bool) {
        for step in &mut self.steps {
            let is_given = step.record.as_deref().is_some_and(&gives);
            step.value = if is_given { StepValue::Result } else { StepValue::Inner };
        }
    }

    /// It gives values alone, and no gradients.
    pub(super) fn trace_of_values(&self) -> Trace {
        self.trace_giving("again", TraceResult::Values)
    }

    /// As [`Tape::signature`], of the values alone.
    pub(super) fn signature_of_values(&self) -> Signature {
        // No tape has so many leaves.
        std::iter::once(u64::MAX).chain(self.signature()).collect()
    }

    /// Its steps, where `place` says of inputs which they are.
    pub(super) fn trace_steps(&self, place: impl Fn(TapePlace) -> Place) -> Vec<TraceStep> {
        let step = |step: &TapeStep| TraceStep {
            work: step.work.clone(),
            sources: step.sources.iter().map(|source| place(*source)).collect(),
            dtype: self.first_dtype(step),
            value: step.value,
        };
        self.steps.iter().map(step).collect()
    }
}

impl<'a> Places<'a> {
    /// What is in the place of a record before those.
    fn before(&self, record: &Record) -> Option<&'a Arc<Leaf>> {
        self.before.iter().find(|(number, _)| *number == record.number).map(|(_, leaf)| leaf)
    }

    fn step(&self, record: &Record) -> Option<TapePlace> {
        let position = self.steps.binary_search_by_key(&record.number, |(number, _)| *number);
        position.ok().map(|position| TapePlace::Step(self.steps[position].1))
    }
}

impl HistoryKey {
    fn of(history: &History) -> Option<HistoryKey> {
        match history {
            History::Record(record) => Some(HistoryKey::Record(record.number)),
            History::Leaf(leaf) => Some(HistoryKey::Leaf(leaf.key())),
            History::Cut(_) => None,
        }
    }
}

/// As an input of a trace.
pub(super) fn input((held, may_be_batch): (&Held, bool)) -> TraceInput {
    TraceInput { dtype: held.dtype, shape: held.shape.clone(), may_be_batch }
}
