//! Computes pending values: what leads to them, as one plan.

use crate::autograd::calls::CallNumbers;
use crate::autograd::plan::{self, Signature};
use crate::autograd::positions::WorkPlan;
use crate::autograd::trace::{self, Place, StepValue, Trace, TraceInput, TraceResult, TraceStep};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::Call;
use crate::memory::{BufferHandle, Reader, before_late_writes};
use crate::recording;
use crate::tensor::pending::{self, PendingWork};
use crate::tensor::{Computed, Held, Mistake, PendingValue, Tensor, run};
use netcl_kernels::dtype::DType;
use netcl_kernels::span::Diagnostic;
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

/// What leads to some pending values.
struct Evaluation {
    device: Device,
    /// Operands first, by number.
    steps: SmallVec<[EvaluationStep; 1]>,
    /// What is in memory already.
    inputs: SmallVec<[Held; 4]>,
    /// Of each input whether it is a layer's own, whose sizes do not change from batch to batch.
    is_own: SmallVec<[bool; 4]>,
    /// Something on the way went wrong before.
    is_mistaken: bool,
}

struct EvaluationStep {
    pending: Arc<PendingWork>,
    sources: Arc<[Held]>,
    places: SmallVec<[Place; 3]>,
    /// It is asked for, or worth keeping and held by something else.
    is_kept: bool,
}

/// What leads to a value, while it is collected.
struct FoundWork {
    pending: Arc<PendingWork>,
    sources: Arc<[Held]>,
    /// How often it is used or asked for.
    times: usize,
}

/// Ordered by number.
struct Open(Arc<PendingWork>);

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.number().cmp(&other.0.number())
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Open {}

/// Of each step its value, if that is kept.
type ComputedValues = SmallVec<[Option<Computed>; 1]>;

/// The values of `roots`, by position. Values on the way that are worth it are given to whom they belong to.
pub(super) fn computed(roots: &[Arc<PendingWork>], device: &Device) -> Vec<Computed> {
    let evaluation = Evaluation::of(roots, device);
    // What waits was called for before the recording, and before what is to be written.
    let mut values = recording::suspended(|| before_late_writes(|| evaluation.values()));
    let of_roots = roots.iter().map(|root| {
        let value = evaluation.position(root.number()).and_then(|position| values[position].take());
        // Another thread may have been first.
        value.or_else(|| root.value().get().cloned()).unwrap_or_else(|| Err(root.mistaken(no_result())))
    });
    let of_roots = of_roots.collect();
    for (step, value) in evaluation.steps.iter().zip(values) {
        match value {
            Some(value) => {
                step.pending.get_or_set(|| value);
            }
            None => step.pending.note_inside(),
        }
    }
    of_roots
}

/// The value of what nothing else is computed for or with: most that is needed by itself.
fn at_once(work: &PendingWork) -> Option<Computed> {
    let sources = work.sources()?;
    if work.changes().next().is_some() || sources.iter().any(|source| source.value.in_memory().is_none()) {
        return None;
    }
    let args: SmallVec<[Tensor; 3]> = sources.iter().cloned().map(Tensor::from_held).collect();
    let args: SmallVec<[&Tensor; 3]> = args.iter().collect();
    let run = || run::alone(work.work(), work.known(), &args)?.into_region();
    Some(recording::suspended(|| before_late_writes(run)).map_err(|error| work.mistaken(error)))
}

/// The plan that will compute the tensor; `None` if there is nothing to compute.
pub(super) fn plan_of(tensor: &Tensor) -> Result<Option<WorkPlan>> {
    let root = pending::waiting_of(tensor.value()).and_then(PendingWork::shared);
    root.map(|root| Evaluation::of(&[root], tensor.device()).loaded()).transpose()
}

impl PendingValue for PendingWork {
    fn computed(&self) -> Option<&Computed> {
        self.value().get()
    }

    fn compute(&self) -> &Computed {
        self.get_or_set(|| {
            if let Some(value) = at_once(self) {
                return value;
            }
            let roots: SmallVec<[Arc<PendingWork>; 1]> = self.shared().into_iter().collect();
            computed(&roots, self.device()).pop().unwrap_or_else(|| Err(self.mistaken(no_result())))
        })
    }

    fn supply(&self, memory: BufferHandle) {
        self.get_or_set(|| Ok(memory));
    }

    fn keep(&self) {
        self.note_kept();
    }

    fn compute_together(&self, all: &[&dyn PendingValue]) {
        let works = all.iter().filter_map(|value| pending::work_behind(*value)?.shared());
        // Each once, in the order of the calls.
        let roots: BTreeMap<u64, Arc<PendingWork>> = works.map(|work| (work.number(), work)).collect();
        let roots: Vec<Arc<PendingWork>> = roots.into_values().collect();
        for (root, value) in roots.iter().zip(computed(&roots, self.device())) {
            root.get_or_set(|| value);
        }
    }
}

impl Reader for PendingWork {
    fn compute(self: Arc<Self>) {
        // Its value says what goes wrong.
        let _ = PendingValue::compute(&*self);
    }

    fn is_waiting(&self) -> bool {
        self.value().get().is_none()
    }
}

impl Evaluation {
    fn of(roots: &[Arc<PendingWork>], device: &Device) -> Evaluation {
        // The latest first: all that is computed from a value comes before it, so that it comes as often as it is used.
        let mut open: BinaryHeap<Open> = roots.iter().cloned().map(Open).collect();
        let mut wanted: SmallVec<[u64; 8]> = roots.iter().map(|root| root.number()).collect();
        let mut found: SmallVec<[FoundWork; 1]> = SmallVec::new();
        while let Some(Open(pending)) = open.pop() {
            if let Some(last) = found.last_mut().filter(|last| last.pending.number() == pending.number()) {
                last.times += 1;
                continue;
            }
            // Where there are none, another thread has just computed it.
            if let Some(sources) = pending.sources() {
                open.extend(sources.iter().filter_map(|source| pending::waiting_of(&source.value)?.shared()).map(Open));
                for change in pending.changes() {
                    wanted.push(change.number());
                    open.push(Open(change));
                }
                found.push(FoundWork { pending, sources, times: 1 });
            }
        }
        found.reverse();
        let numbers: SmallVec<[u64; 8]> = found.iter().map(|found| found.pending.number()).collect();
        let again = computed_again(&found);
        let steps = SmallVec::with_capacity(found.len());
        let (inputs, is_own) = (SmallVec::new(), SmallVec::new());
        let mut evaluation = Evaluation { device: device.clone(), steps, inputs, is_own, is_mistaken: false };
        for FoundWork { pending, sources, times } in found {
            let mut places = SmallVec::with_capacity(sources.len());
            let inputs = pending.work().inputs(sources.len());
            for (position, source) in sources.iter().enumerate() {
                let known = pending::work_of(&source.value).and_then(|work| numbers.binary_search(&work.number()).ok());
                places.push(known.map_or_else(|| evaluation.input(source, position >= inputs), Place::Step));
            }
            // One is held here.
            let is_kept = wanted.contains(&pending.number())
                || again.contains(&pending.number())
                || (pending.is_worth_keeping() && Arc::strong_count(&pending) > 1 + times);
            evaluation.steps.push(EvaluationStep { pending, sources, places, is_kept });
        }
        evaluation
    }

    /// Where that step is.
    fn position(&self, number: u64) -> Option<usize> {
        self.steps.binary_search_by_key(&number, |step| step.pending.number()).ok()
    }

    /// Where a tensor is that is not computed here.
    fn input(&mut self, tensor: &Held, is_own: bool) -> Place {
        // Nothing that waits comes here; another thread may be about to have the value.
        let Ok(region) = tensor.value.region() else {
            self.is_mistaken = true;
            return Place::Input(0);
        };
        let same = |known: &Held| {
            known.value.in_memory().is_some_and(|known| known.id() == region.id())
                && known.shape == tensor.shape
                && known.dtype == tensor.dtype
        };
        let position = self.inputs.iter().position(same).unwrap_or_else(|| {
            self.inputs.push(tensor.clone());
            self.is_own.push(false);
            self.inputs.len() - 1
        });
        self.is_own[position] |= is_own;
        Place::Input(position)
    }

    /// Of each step that is kept, its value.
    fn values(&self) -> ComputedValues {
        if self.is_mistaken {
            return self.one_by_one();
        }
        match (self.run(), self.steps.as_slice()) {
            (Ok(values), _) => values,
            (Err(error), [step]) => SmallVec::from_elem(Some(Err(step.pending.mistaken(error))), 1),
            (Err(error), _) => {
                // Each alone may need less; if not, it says what was called where.
                tracing::debug!(%error, "operations are computed one by one");
                self.one_by_one()
            }
        }
    }

    fn run(&self) -> Result<ComputedValues> {
        let loaded = self.loaded()?;
        // A tensor that is given twice is two arguments of an operation's own plan.
        let given = if let [step] = self.steps.as_slice() { &step.sources[..] } else { &self.inputs[..] };
        let args: SmallVec<[Tensor; 8]> = given.iter().cloned().map(Tensor::from_held).collect();
        let args: SmallVec<[&Tensor; 8]> = args.iter().collect();
        let scalars = loaded.scalars(self.steps.iter().map(|step| (step.pending.work(), step.dtype())));
        let call = Call { args: &args, scalars: &scalars, ..Call::default() };
        let mut results = loaded.call(&self.device, &call)?.results.into_iter();
        let value = |step: &EvaluationStep| {
            let Some(result) = step.is_kept.then(|| results.next()).flatten() else { return Ok(None) };
            debug_assert_eq!(result.shape(), step.pending.shape());
            Ok(Some(Ok(result.into_region()?)))
        };
        self.steps.iter().map(value).collect()
    }

    /// Every operation as a plan of its own.
    fn one_by_one(&self) -> ComputedValues {
        let mut known: BTreeMap<u64, Result<Tensor, Arc<Mistake>>> = BTreeMap::new();
        for step in &self.steps {
            let value = self.alone(step, &known);
            known.insert(step.pending.number(), value);
        }
        let value = |step: &EvaluationStep| match known.get(&step.pending.number()).filter(|_| step.is_kept)? {
            Ok(tensor) => Some(Ok(tensor.value().in_memory()?.clone())),
            Err(mistake) => Some(Err(mistake.clone())),
        };
        self.steps.iter().map(value).collect()
    }

    fn alone(
        &self,
        step: &EvaluationStep,
        known: &BTreeMap<u64, Result<Tensor, Arc<Mistake>>>,
    ) -> Result<Tensor, Arc<Mistake>> {
        let mut args = Vec::with_capacity(step.sources.len());
        for source in step.sources.iter() {
            let computed = pending::work_of(&source.value).and_then(|work| known.get(&work.number()));
            args.push(match computed {
                Some(value) => value.clone()?,
                None => Tensor::from_held(source.clone()),
            });
        }
        if let Some(mistake) = args.iter().find_map(|arg| arg.value().mistake()) {
            return Err(mistake.clone());
        }
        let args: Vec<&Tensor> = args.iter().collect();
        run::alone(step.pending.work(), step.pending.known(), &args).map_err(|error| step.pending.mistaken(error))
    }

    /// Its plan.
    fn loaded(&self) -> Result<WorkPlan> {
        if let [step] = self.steps.as_slice() {
            let given = step.sources.iter().map(|source| (source.dtype, source.shape.clone()));
            let of_any_size = || plan::of_one(step.pending.work(), given, &self.device);
            return step.pending.known().loaded(&self.device, of_any_size).cloned();
        }
        plan::of_signature(self.signature(), &self.device, || self.trace())
    }

    /// Of each step what is known of it, by number, whether it is kept, and its sources.
    fn signature(&self) -> Signature {
        let mut signature = Signature::new();
        // Values alone, no gradients.
        signature.push(0);
        let mut calls = CallNumbers::default();
        for step in &self.steps {
            signature.push(step.pending.known().number << 1 | u64::from(step.is_kept));
            signature.extend(calls.of(step.pending.work()));
            signature.extend(step.places.iter().map(|place| place.number()));
        }
        signature
    }

    fn trace(&self) -> Trace {
        let input = |(held, is_own): (&Held, &bool)| TraceInput {
            dtype: held.dtype,
            shape: held.shape.clone(),
            may_be_batch: !is_own,
        };
        let inputs: Vec<TraceInput> = self.inputs.iter().zip(&self.is_own).map(input).collect();
        let step = |step: &EvaluationStep| TraceStep {
            work: step.pending.work().clone(),
            sources: step.places.to_vec(),
            dtype: step.dtype(),
            value: if step.is_kept { StepValue::Result } else { StepValue::Inner },
        };
        let steps = self.steps.iter().map(step).collect();
        let batch = trace::batch(inputs.iter());
        let name = trace::name(self.steps.iter().map(|step| step.pending.work().name()));
        Trace { name, gives: TraceResult::Values, inputs, steps, batch }
    }
}

/// What was computed before on the way to something else, and is now for what was not: a state that a loop carries, for one. Kept, it is
/// not computed a third time, and what waits does not grow from round to round.
fn computed_again(found: &[FoundWork]) -> SmallVec<[u64; 4]> {
    let is_again = |found: &&FoundWork| found.pending.was_inside() && !found.grows();
    let again: SmallVec<[u64; 4]> = found.iter().filter(is_again).map(|found| found.pending.number()).collect();
    if again.is_empty() {
        return again;
    }
    let new = found.iter().filter(|found| !again.contains(&found.pending.number()));
    let sources = new.flat_map(|found| found.sources.iter());
    let read = sources.filter_map(|source| pending::waiting_of(&source.value).map(PendingWork::number));
    read.filter(|number| again.contains(number)).collect()
}

impl FoundWork {
    /// Whether its value is larger than what it is computed from.
    fn grows(&self) -> bool {
        let bytes = |shape: &[usize], dtype: DType| shape.iter().product::<usize>() * dtype.size();
        let sources: usize = self.sources.iter().map(|source| bytes(&source.shape, source.dtype)).sum();
        self.pending.known().result.as_ref().is_none_or(|(shape, dtype)| bytes(shape, *dtype) > sources)
    }
}

impl EvaluationStep {
    /// The element type of the first source.
    fn dtype(&self) -> Option<DType> {
        self.sources.first().map(|source| source.dtype)
    }
}

fn no_result() -> Error {
    Error::graph("evaluation", Diagnostic::new("an operation has no result"))
}
