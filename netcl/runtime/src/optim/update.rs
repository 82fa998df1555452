//! The machinery that all optimizers share.

use super::groups::{Groups, ParameterGroup};
use super::progress::{Progress, SharedStepCount, StepCount, numbers};
use super::recorded::RecordedStep;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::{ALIGNMENT, BufferHandle};
use crate::model::gradients::Piece;
use crate::model::store::StoredTensor;
use crate::model::{Gradients, Model, ModelCore, paths};
use crate::optim::rules::{Rule, Rules};
use crate::optim::scaling::{Scaling, Skips};
use crate::recording;
use crate::tensor::{Tensor, vector};
use netcl_hal::device::scalar::Scalar;
use netcl_kernels::dtype::DType;
use std::ops::Range;
use std::sync::Arc;

/// An update rule and its moments for one model.
pub struct Update {
    name: &'static str,
    /// How many elements a row has that the rule sees.
    pub(super) row: usize,
    rules: Rules,
    moments: usize,
    /// Whether the rule's numbers follow from how many steps were made.
    pub(super) counts_steps: bool,
    groups: Groups,
    /// Recorded steps go on with it when they are replayed.
    pub(super) count: Arc<SharedStepCount>,
    pub(super) state: Option<OptimizerSlots>,
}

pub(super) struct OptimizerSlots {
    /// Of the model.
    pub(super) core: u64,
    /// Where in the model the part starts that is stepped; empty for all of it.
    pub(super) prefix: String,
    /// Of its memory when last stepped: another one means that the model has moved.
    pub(super) store: u64,
    /// That memory's.
    pub(super) device: Device,
    /// The parameters in one piece.
    pub(super) parameters: BufferHandle,
    /// Of the parameters' layout.
    pub(super) moments: Vec<BufferHandle>,
    pub(super) shape: Arc<[usize]>,
    /// Once a step was scaled.
    pub(super) skips: Option<Skips>,
}

/// The part of a model that is stepped, as its [`Model`] says it when asked once: anybody may write that trait, and what
/// it says the next time may be something else.
pub(super) struct Stepped {
    pub(super) core: ModelCore,
    pub(super) prefix: String,
}

impl OptimizerSlots {
    /// Those of a part with its parameters, for rows of so many elements.
    pub(super) fn of(
        part: &Stepped,
        parameters: BufferHandle,
        moments: Vec<BufferHandle>,
        row: usize,
        skips: Option<Skips>,
    ) -> OptimizerSlots {
        let store = part.core.store();
        OptimizerSlots {
            core: part.core.id(),
            prefix: part.prefix.clone(),
            store: store.id(),
            device: store.device().clone(),
            shape: Arc::from([parameters.bytes() / (4 * row), row]),
            parameters,
            moments,
            skips,
        }
    }
}

impl Stepped {
    /// # Errors
    ///
    /// [`Error::Assigned`] where a field of the model was.
    pub(super) fn of(model: &dyn Model) -> Result<Stepped> {
        model.check_fields()?;
        Ok(Stepped { core: model.core().clone(), prefix: model.prefix().to_owned() })
    }
}

impl Update {
    /// A rule over that many moments, compiled for rows of `row` elements: a part of what tensors are aligned to, so that
    /// there are whole rows only.
    pub fn new(name: &'static str, row: usize, moments: usize, rules: Rules, learning_rate: f64) -> Update {
        debug_assert!(row > 0 && ALIGNMENT.is_multiple_of(4 * row), "rows of {row} elements");
        let count = StepCount::new(Progress { learning_rate, steps: 0 }, Vec::new());
        let count = Arc::new(SharedStepCount::new(count));
        Update { name, row, rules, moments, counts_steps: true, groups: Groups::default(), count, state: None }
    }

    /// One whose rule does not ask how many steps were made.
    pub fn without_step_count(self) -> Update {
        Update { counts_steps: false, ..self }
    }

    /// The learning rate and the number of steps that were made.
    pub fn progress(&self) -> Progress {
        self.count.lock().progress
    }

    /// Changes the learning rate, from the next step on, recorded ones included.
    pub fn set_learning_rate(&mut self, rate: f64) {
        self.count.lock().progress.learning_rate = rate;
    }

    /// Steps what is in the field of that path, or in the fields of the group of that name, by settings of its own.
    pub fn group(&mut self, path: &str, group: ParameterGroup) {
        self.groups.set(path, group);
    }

    /// Goes on with another rule, over this many moments: what there are of them stay as they are, others begin at zero.
    pub fn change(&mut self, moments: usize, rules: Rules) {
        (self.moments, self.rules) = (moments, rules);
    }

    /// Of the optimizer, as errors have it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Makes a step with the numbers that `scalars` gives for the progress which that step makes and a weight decay, `decay` or that
    /// of a group. Where the device is recorded, each replay makes a step more. With a `scaling` it is one by gradients of a scaled
    /// loss, which counts the steps that it makes by what is skipped.
    ///
    /// # Errors
    ///
    /// Those of [`crate::optim::Optimizer::step`], but for the settings other than the learning rate.
    pub fn step<S: AsRef<[f64]>>(
        &mut self,
        model: &mut dyn Model,
        gradients: &Gradients,
        scaling: Option<&Scaling>,
        decay: f64,
        scalars: impl Fn(Progress, f64) -> S + Send + 'static,
    ) -> Result<()> {
        let shared = self.count.clone();
        let mut count = shared.lock();
        let has_moved = |skips: &Skips| !skips.is_on(model.core().store().device());
        if scaling.is_none() || self.skips().is_some_and(has_moved) {
            self.forget_skipped(&mut count)?;
        }
        let scale = scaling.map(|scaling| scaling.scale_of(gradients));
        let (name, groups) = (self.name, self.groups.clone());
        let scalars = move |progress: Progress, group: Option<usize>| {
            let (progress, decay) = groups.settings(group, progress, decay);
            numbers(name, groups.name(group), progress, |progress| scalars(progress, decay))
        };
        scalars(count.progress.next(), None)?;
        let part = Stepped::of(model)?;
        let store = part.core.store();
        let Some(range) = store.parameter_range(&part.prefix, self.name)? else {
            count.step(&[]);
            return Ok(());
        };
        let paths = under(store.parameters(), &part.prefix).map(|(path, _)| path);
        let (said, tied) = (part.core.groups_of(&part.prefix), part.core.shared_of(&part.prefix));
        let places = self.groups.places(self.name, paths, said, tied)?;
        let is_frozen = |path: &str| part.core.is_frozen(&part.prefix, path);
        let left_out = gradients.left_out(&store, (&part.prefix, self.name), is_frozen)?;
        if !count.leaves_out(&left_out) {
            self.forget_skipped(&mut count)?;
        }
        let next = count.progress.next();
        let settings = |parameter: usize, path: &str| {
            let group = places.group_of(path.strip_prefix(&*part.prefix).unwrap_or(path));
            let missed = if self.counts_steps { count.missed(parameter) } else { 0 };
            (self.groups.alike(group, decay), missed)
        };
        let (gradients, pieces) = gradients.for_step(&store, (&part.prefix, self.name), &left_out, settings)?;
        let groups_of: Vec<Option<usize>> = pieces.iter().map(|piece| piece.settings.0).collect();
        let numbers_now = pieces
            .iter()
            .map(|piece| scalars(next.without(piece.settings.1), piece.settings.0))
            .collect::<Result<Vec<_>>>()?;
        self.ready(&part, &range, scaling.is_some())?;
        let Some(state) = self.state.as_ref().filter(|state| state.store == store.id()) else {
            count.step(&left_out);
            return Ok(());
        };
        let scaled = scaling.zip(state.skips.as_ref());
        if let Some((scaling, skips)) = scaled {
            let stepped = pieces.iter().map(|Piece { bytes, .. }| bytes.start - range.start..bytes.end - range.start);
            check_finite(self.row, &gradients, stepped, (scaling, skips))?;
        }
        let rule = if scaled.is_some() { self.rules.scaled } else { self.rules.plain };
        let recorded = recording::length(store.device().backend());
        store.note_change();
        // One launch, but where the function does not depend on all parameters: those without a gradient stay as they are.
        for (Piece { bytes, .. }, numbers) in pieces.iter().zip(numbers_now) {
            let place = bytes.start - range.start..bytes.end - range.start;
            let beside: Vec<Tensor> = match (scaled, &scale) {
                (Some((_, skips)), Some(scale)) => vec![scale.clone(), skips.found(), skips.skipped()],
                _ => Vec::new(),
            };
            self.launch(state, rule, (&gradients, place), beside, &numbers)?;
        }
        if let Some(start) = recorded {
            let parameters = match self.counts_steps {
                true => pieces.into_iter().map(|piece| piece.parameters).collect(),
                false => Vec::new(),
            };
            let group = move |launch: usize| groups_of.get(launch).copied().flatten();
            let scalars = Box::new(move |progress, launch: usize| scalars(progress, group(launch)));
            let skips = scaled.map(|(_, skips)| skips.clone());
            let (changes, left_out, count) = (store.changes().clone(), left_out.clone(), shared.clone());
            let (core, store) = (part.core.clone(), store.id());
            recording::combine(start, |launches| {
                Box::new(RecordedStep {
                    optimizer: name,
                    core,
                    store,
                    launches,
                    count,
                    skips,
                    left_out,
                    parameters,
                    changes,
                    scalars,
                })
            });
        }
        // A step that failed has not been made.
        count.step(&left_out);
        Ok(())
    }

    /// Has memory for what is gathered of the part that is stepped, in these bytes of its model: new or moved where there is none on its
    /// device. Of a part without memory there is none.
    fn ready(&mut self, part: &Stepped, range: &Range<usize>, is_scaled: bool) -> Result<()> {
        self.check_model(part)?;
        let (store, bytes) = (part.core.store(), range.len());
        let device = store.device();
        if self.state.as_ref().is_none_or(|state| state.store != store.id()) {
            let Some(parameters) = store.parameter_region(range)? else { return Ok(()) };
            let moments = self.moments_on(device, bytes)?;
            let skips = self.state.take().and_then(|state| state.skips).filter(|skips| skips.is_on(device));
            self.state = Some(OptimizerSlots::of(part, parameters, moments, self.row, skips));
        }
        let Some(state) = &mut self.state else { return Ok(()) };
        if is_scaled && state.skips.is_none() {
            state.skips = Some(Skips::new(device)?);
        }
        while state.moments.len() < self.moments {
            let moment = device.allocate(bytes)?;
            // Once: what a replay finds there is what the steps before have gathered.
            moment.zero_unrecorded()?;
            state.moments.push(moment);
        }
        Ok(())
    }

    /// Launches the rule for one piece, by its gradients and `beside` what else it reads.
    fn launch(
        &self,
        state: &OptimizerSlots,
        rule: Rule,
        (gradients, piece): (&BufferHandle, Range<usize>),
        beside: Vec<Tensor>,
        numbers: &[Scalar],
    ) -> Result<()> {
        let whole = piece.len() == state.parameters.bytes();
        let part = |region: &BufferHandle| match whole {
            true => Ok(region.clone()),
            false => region.part(piece.start, piece.len()),
        };
        let shape: Arc<[usize]> = match whole {
            true => state.shape.clone(),
            false => Arc::from([piece.len() / (4 * self.row), self.row]),
        };
        // In place: every element is read before it is written, by the work-item that writes it.
        let moments = &state.moments[..self.moments];
        let into = std::iter::once(&state.parameters).chain(moments).map(part).collect::<Result<Vec<_>>>()?;
        let gradients = part(gradients)?;
        let regions = [&into[0], &gradients].into_iter().chain(&into[1..]);
        let view = |region: &BufferHandle| {
            Tensor::from_region(region.clone(), shape.clone(), DType::F32, state.device.clone())
        };
        let args: Vec<Tensor> = regions.map(view).chain(beside).collect();
        let args: Vec<&Tensor> = args.iter().collect();
        rule().call_into(&state.device, &args, numbers, &into)
    }

    /// The moments so far, each of so many bytes, on the device that the model has moved to.
    fn moments_on(&self, device: &Device, bytes: usize) -> Result<Vec<BufferHandle>> {
        let moved = |before: &BufferHandle| {
            let moment = device.allocate(bytes)?;
            let mut data = vector::zeros::<u8>(device, bytes)?;
            before.read(&mut data)?;
            moment.write(&data)?;
            Ok(moment)
        };
        self.state.iter().flat_map(|state| &state.moments).map(moved).collect()
    }

    pub(super) fn skips(&self) -> Option<&Skips> {
        self.state.as_ref()?.skips.as_ref()
    }

    /// Counts the steps that were made, where skipped ones were counted so far.
    fn forget_skipped(&self, count: &mut StepCount) -> Result<()> {
        self.skips().map_or(Ok(()), |skips| count.forget(skips))
    }

    /// Refuses a model other than the one that was stepped, and another part of that.
    pub(super) fn check_model(&self, part: &Stepped) -> Result<()> {
        match &self.state {
            Some(state) if state.core != part.core.id() => {
                Err(self
                    .mismatch("this optimizer has stepped another model before; make one for each model".to_owned()))
            }
            Some(state) if state.prefix != part.prefix => {
                let (before, now) = (paths::named(&state.prefix), paths::named(&part.prefix));
                Err(self.mismatch(format!(
                    "this optimizer has stepped {before} before, of the same model, and {now} is given; make one for each"
                )))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn mismatch(&self, problem: String) -> Error {
        Error::Mismatch { operation: self.name.to_owned(), problem }
    }
}

/// The parameters under a prefix, by their paths after it.
pub(super) fn under<'a>(
    entries: &'a [StoredTensor],
    prefix: &'a str,
) -> impl Iterator<Item = (&'a str, &'a StoredTensor)> + Clone {
    entries.iter().filter_map(move |entry| Some((entry.path.strip_prefix(prefix)?, entry)))
}

impl std::fmt::Debug for Update {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let started = self.state.is_some();
        let mut text = f.debug_struct("Update");
        text.field("rule", &self.name).field("started", &started).field("progress", &self.progress());
        text.finish_non_exhaustive()
    }
}

/// Notes whether one of the gradients that are stepped, in these bytes, is not finite: gradients of a part of a model say nothing about
/// the others.
fn check_finite(
    row: usize,
    gradients: &BufferHandle,
    mut stepped: impl DoubleEndedIterator<Item = Range<usize>>,
    (scaling, skips): (&Scaling, &Skips),
) -> Result<()> {
    let Some(first) = stepped.next() else { return Ok(()) };
    let bytes = stepped.next_back().map_or(first.end, |last| last.end) - first.start;
    let region = if bytes == gradients.bytes() { gradients.clone() } else { gradients.part(first.start, bytes)? };
    let shape = Arc::from([bytes / (4 * row), row]);
    let device = skips.found().device().clone();
    scaling.check(&Tensor::from_region(region, shape, DType::F32, device), skips)
}
