//! The machinery that all optimizers share.

use super::groups::{Groups, ParameterGroup};
use super::progress::{Progress, SharedProgress, numbers};
use super::recorded::RecordedStep;
use super::settings::not_negative;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::{ALIGNMENT, BufferHandle};
use crate::model::store::StoredTensor;
use crate::model::{Gradients, Model, ModelCore, paths};
use crate::optim::OptimizerState;
use crate::optim::rules::Rules;
use crate::optim::scaling::{Scaling, Skips};
use crate::recording;
use crate::tensor::{Tensor, vector};
use netcl_kernels::dim::Shape;
use netcl_kernels::dtype::DType;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// An update rule and its moments for one model.
pub struct Update {
    name: &'static str,
    /// How many elements a row has that the rule sees.
    row: usize,
    rules: Rules,
    moments: usize,
    groups: Groups,
    /// Recorded steps go on with it when they are replayed.
    progress: Arc<SharedProgress>,
    state: Option<OptimizerSlots>,
}

struct OptimizerSlots {
    /// Of the model.
    core: u64,
    /// Where in the model the part starts that is stepped; empty for all of it.
    prefix: String,
    /// Of its memory when last stepped: another one means that the model has moved.
    store: u64,
    /// That memory's.
    device: Device,
    /// The parameters in one piece.
    parameters: BufferHandle,
    /// Of the parameters' layout.
    moments: Vec<BufferHandle>,
    shape: Arc<[usize]>,
    /// Once a step was scaled.
    skips: Option<Skips>,
}

/// The part of a model that is stepped, as its [`Model`] says it when asked once: anybody may write that trait, and what
/// it says the next time may be something else.
struct Stepped {
    core: ModelCore,
    prefix: String,
}

impl Stepped {
    /// # Errors
    ///
    /// [`Error::Assigned`] where a field of the model was.
    fn of(model: &dyn Model) -> Result<Stepped> {
        model.check_fields()?;
        Ok(Stepped { core: model.core().clone(), prefix: model.prefix().to_owned() })
    }
}

impl Update {
    /// A rule over that many moments, compiled for rows of `row` elements: a part of what tensors are aligned to, so that
    /// there are whole rows only.
    pub fn new(name: &'static str, row: usize, moments: usize, rules: Rules, learning_rate: f64) -> Update {
        debug_assert!(row > 0 && ALIGNMENT.is_multiple_of(4 * row), "rows of {row} elements");
        let progress = Arc::new(SharedProgress::new(Progress { learning_rate, steps: 0 }));
        Update { name, row, rules, moments, groups: Groups::default(), progress, state: None }
    }

    /// The learning rate and the number of steps that were made.
    pub fn progress(&self) -> Progress {
        *self.progress.lock()
    }

    /// Changes the learning rate, from the next step on, recorded ones included.
    pub fn set_learning_rate(&mut self, rate: f64) {
        self.progress.lock().learning_rate = rate;
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
        let has_moved = |skips: &Skips| !skips.is_on(model.core().store().device());
        if scaling.is_none() || self.skips().is_some_and(has_moved) {
            self.forget_skipped()?;
        }
        let scale = scaling.map(|scaling| scaling.scale_of(gradients));
        let shared = self.progress.clone();
        let mut progress = shared.lock();
        let next = progress.next();
        let (name, groups) = (self.name, self.groups.clone());
        let scalars = move |progress: Progress, group: Option<usize>| {
            let (progress, decay) = groups.settings(group, progress, decay);
            numbers(name, groups.name(group), progress, |progress| scalars(progress, decay))
        };
        scalars(next, None)?;
        let part = Stepped::of(model)?;
        let store = part.core.store();
        let Some(range) = store.parameter_range(&part.prefix, self.name)? else {
            *progress = next;
            return Ok(());
        };
        let paths = under(store.parameters(), &part.prefix).map(|(path, _)| path);
        let (said, tied) = (part.core.groups_of(&part.prefix), part.core.shared_of(&part.prefix));
        let places = self.groups.places(self.name, paths, said, tied)?;
        let group =
            |path: &str| self.groups.alike(places.group_of(path.strip_prefix(&*part.prefix).unwrap_or(path)), decay);
        let (gradients, pieces) = gradients.for_step(&store, (&part.prefix, self.name), group)?;
        let of: Vec<Option<usize>> = pieces.iter().map(|(_, group)| *group).collect();
        let numbers_now = of.iter().map(|group| scalars(next, *group)).collect::<Result<Vec<_>>>()?;
        let bytes = range.len();
        let device = store.device();
        self.check_model(&part)?;
        if self.state.as_ref().is_none_or(|state| state.store != store.id()) {
            let Some(parameters) = store.parameter_region(&range)? else {
                *progress = next;
                return Ok(());
            };
            let moments = self.moments_on(device, bytes)?;
            self.state = Some(OptimizerSlots {
                core: part.core.id(),
                prefix: part.prefix,
                store: store.id(),
                device: device.clone(),
                parameters,
                moments,
                shape: Arc::from([bytes / (4 * self.row), self.row]),
                skips: self.state.take().and_then(|state| state.skips).filter(|skips| skips.is_on(device)),
            });
        }
        let Some(state) = &mut self.state else {
            return Ok(());
        };
        if let (Some(_), None) = (scaling, &state.skips) {
            state.skips = Some(Skips::new(device)?);
        }
        while state.moments.len() < self.moments {
            let moment = device.allocate(bytes)?;
            // Once: what a replay finds there is what the steps before have gathered.
            moment.zero_unrecorded()?;
            state.moments.push(moment);
        }
        let moments = &state.moments[..self.moments];
        let scaled = scaling.zip(state.skips.as_ref());
        if let Some((scaling, skips)) = scaled {
            let stepped = pieces.iter().map(|(piece, _)| piece.start - range.start..piece.end - range.start);
            check_finite(self.row, &gradients, stepped, (scaling, skips))?;
        }
        let rule = if scaled.is_some() { self.rules.scaled } else { self.rules.plain };
        let recorded = recording::length(device.backend());
        store.note_change();
        // One launch, but where the function does not depend on all parameters: those without a gradient stay as they are.
        for ((piece, _), numbers) in pieces.into_iter().zip(numbers_now) {
            let whole = piece == range;
            let part = |region: &BufferHandle| match whole {
                true => Ok(region.clone()),
                false => region.part(piece.start - range.start, piece.len()),
            };
            let shape: Arc<[usize]> = match whole {
                true => state.shape.clone(),
                false => Arc::from([piece.len() / (4 * self.row), self.row]),
            };
            // In place: every element is read before it is written, by the work-item that writes it.
            let into = std::iter::once(&state.parameters).chain(moments).map(part).collect::<Result<Vec<_>>>()?;
            let gradients = part(&gradients)?;
            let regions = [&into[0], &gradients].into_iter().chain(&into[1..]);
            let view =
                |region: &BufferHandle| Tensor::from_region(region.clone(), shape.clone(), DType::F32, device.clone());
            let mut args: Vec<Tensor> = regions.map(view).collect();
            if let (Some((_, skips)), Some(scale)) = (scaled, &scale) {
                args.extend([scale.clone(), skips.found(), skips.skipped()]);
            }
            let args: Vec<&Tensor> = args.iter().collect();
            rule().call_into(device, &args, &numbers, &into)?;
        }
        if let Some(start) = recorded {
            let progress = shared.clone();
            let scalars =
                Box::new(move |progress, position: usize| scalars(progress, of.get(position).copied().flatten()));
            let changes = store.changes().clone();
            recording::combine(start, |launches| Box::new(RecordedStep { launches, progress, scalars, changes }));
        }
        // A step that failed has not been made.
        *progress = next;
        Ok(())
    }

    /// The state.
    ///
    /// # Errors
    ///
    /// Those of [`crate::optim::Optimizer::state`].
    pub fn state(&self, model: &dyn Model) -> Result<OptimizerState> {
        let part = Stepped::of(model)?;
        self.check_model(&part)?;
        let mut moments = Vec::new();
        let store = part.core.store();
        if let Some(state) = &self.state
            && let Some(range) = store.parameter_range(&part.prefix, self.name)?
        {
            for moment in &state.moments {
                let view = |(path, entry): (&str, &StoredTensor)| -> Result<(String, Tensor)> {
                    let tensor = if entry.bytes() == 0 {
                        Tensor::zeros(&state.device, &entry.shape, DType::F32)?
                    } else {
                        let region = moment.part(entry.offset - range.start, entry.bytes())?;
                        Tensor::from_region(region, entry.shape.clone(), DType::F32, state.device.clone())
                    };
                    Ok((path.to_owned(), tensor))
                };
                moments.push(under(store.parameters(), &part.prefix).map(view).collect::<Result<_>>()?);
            }
        }
        let Progress { learning_rate, steps } = self.progress();
        let steps = u64::from((steps - self.skipped()?).unsigned_abs());
        Ok(OptimizerState { optimizer: self.name.to_owned(), learning_rate, steps, moments })
    }

    /// Takes over a state, which has as many moments as `moments`, or none before the first step.
    ///
    /// # Errors
    ///
    /// Those of [`crate::optim::Optimizer::set_state`].
    pub fn set_state(&mut self, model: &dyn Model, state: &OptimizerState, moments: usize) -> Result<()> {
        let steps = i32::try_from(state.steps).map_err(|_| {
            self.mismatch(format!("the state is after {} steps, expected at most {}", state.steps, i32::MAX))
        })?;
        let part = Stepped::of(model)?;
        let store = part.core.store();
        let entries: Vec<(&str, &StoredTensor)> = under(store.parameters(), &part.prefix).collect();
        self.check_state(&entries, state, moments)?;
        let range = store.parameter_range(&part.prefix, self.name)?;
        if range.is_some() && state.moments.is_empty() && state.steps > 0 {
            // Zeros would go on as if they had been gathered in all these steps.
            let steps = state.steps;
            return Err(self.mismatch(format!(
                "the state is after {steps} steps and has no moments, expected {moments} for each parameter"
            )));
        }
        let progress = Progress { learning_rate: state.learning_rate, steps };
        // Recorded steps have the moments' memory: what is there is replaced, not the memory.
        let same = |current: &OptimizerSlots| {
            current.store == store.id() && current.core == part.core.id() && current.prefix == part.prefix
        };
        let Some(range) = range.filter(|_| !state.moments.is_empty()) else {
            match self.state.as_ref().filter(|current| same(current)) {
                Some(current) => current.moments.iter().try_for_each(BufferHandle::zero_unrecorded)?,
                None => self.state = None,
            }
            self.skips().map_or(Ok(()), Skips::clear)?;
            *self.progress.lock() = progress;
            return Ok(());
        };
        let Some(parameters) = store.parameter_region(&range)? else {
            *self.progress.lock() = progress;
            return Ok(());
        };
        let device = store.device();
        let mut regions = Vec::with_capacity(moments);
        for values in &state.moments {
            let region = device.allocate(range.len())?;
            // What lies between the tensors is stepped as well.
            region.zero_unrecorded()?;
            for (path, value) in values {
                let Some((_, entry)) = entries.iter().find(|(known, entry)| known == path && entry.bytes() > 0) else {
                    continue;
                };
                let value = value.to_device(device)?;
                let place = region.part(entry.offset - range.start, entry.bytes())?;
                value.region()?.copy_unrecorded(&place, entry.bytes())?;
            }
            regions.push(region);
        }
        let kept = self.state.iter().filter(|current| same(current)).flat_map(|current| &current.moments);
        for (region, kept) in regions.iter_mut().zip(kept) {
            region.copy_unrecorded(kept, range.len())?;
            *region = kept.clone();
        }
        self.state = Some(OptimizerSlots {
            core: part.core.id(),
            prefix: part.prefix.clone(),
            store: store.id(),
            device: device.clone(),
            parameters,
            moments: regions,
            shape: Arc::from([range.len() / (4 * self.row), self.row]),
            skips: self.state.take().filter(same).and_then(|state| state.skips),
        });
        self.skips().map_or(Ok(()), Skips::clear)?;
        *self.progress.lock() = progress;
        Ok(())
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

    fn skips(&self) -> Option<&Skips> {
        self.state.as_ref()?.skips.as_ref()
    }

    /// How many of the steps that were counted were skipped. Waits for the device where that may be some.
    fn skipped(&self) -> Result<i32> {
        self.skips().map_or(Ok(0), Skips::count)
    }

    /// Counts the steps that were made, where skipped ones were counted so far.
    fn forget_skipped(&mut self) -> Result<()> {
        let Some(skips) = self.skips() else { return Ok(()) };
        let skipped = skips.count()?;
        if skipped > 0 {
            skips.clear()?;
            self.progress.lock().steps -= skipped;
        }
        Ok(())
    }

    /// Refuses a model other than the one that was stepped, and another part of that.
    fn check_model(&self, part: &Stepped) -> Result<()> {
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

    /// Refuses a state of another optimizer or of other parameters.
    fn check_state(&self, entries: &[(&str, &StoredTensor)], state: &OptimizerState, moments: usize) -> Result<()> {
        not_negative(self.name, "learning rate", state.learning_rate)?;
        if state.optimizer != self.name {
            let other = &state.optimizer;
            return Err(self.mismatch(format!("the state is of `{other}`; an optimizer goes on from its own kind's")));
        }
        if ![0, moments].contains(&state.moments.len()) {
            let found = state.moments.len();
            return Err(self.mismatch(format!("the state has {found} moments for each parameter, expected {moments}")));
        }
        for values in &state.moments {
            for (path, entry) in entries {
                let shape = Shape::of(&entry.shape);
                match values.iter().find(|(known, _)| known == path) {
                    None => {
                        return Err(self.mismatch(format!("the state has nothing for the parameter `{path}` {shape}")));
                    }
                    Some((_, value)) if value.shape() != &*entry.shape || value.dtype() != DType::F32 => {
                        let found = format!("{} {}", value.dtype(), Shape::of(value.shape()));
                        return Err(self.mismatch(format!(
                            "the state has {found} for the parameter `{path}`, expected f32 {shape}"
                        )));
                    }
                    Some(_) => {}
                }
            }
            let mut paths = BTreeSet::new();
            if let Some((path, _)) = values.iter().find(|(path, _)| !paths.insert(path)) {
                return Err(self.mismatch(format!("the state names the parameter `{path}` twice")));
            }
            let unknown = values.iter().find(|(path, _)| entries.iter().all(|(known, _)| known != path));
            if let Some((path, _)) = unknown {
                return Err(
                    self.mismatch(format!("the state is of a parameter `{path}`, which the model does not have"))
                );
            }
        }
        Ok(())
    }

    fn mismatch(&self, problem: String) -> Error {
        Error::Mismatch { operation: self.name.to_owned(), problem }
    }
}

/// The parameters under a prefix, by their paths after it.
fn under<'a>(
    entries: &'a [StoredTensor],
    prefix: &'a str,
) -> impl Iterator<Item = (&'a str, &'a StoredTensor)> + Clone {
    entries.iter().filter_map(move |entry| Some((entry.path.strip_prefix(prefix)?, entry)))
}

/// Refuses a state whose moment of that number, which is of squares, is negative somewhere: a step would take its root. NaN is
/// not refused, which a diverged run has.
///
/// # Errors
///
/// [`Error::Mismatch`] that names the parameter; [`Error::Driver`] if the values cannot be read.
pub fn squares(optimizer: &str, state: &OptimizerState, moment: usize) -> Result<()> {
    for (path, value) in state.moments.get(moment).into_iter().flatten() {
        if value.dtype() == DType::F32
            && let Some(negative) = value.to_vec::<f32>()?.into_iter().find(|value| *value < 0.0)
        {
            return Err(Error::Mismatch {
                operation: optimizer.to_owned(),
                problem: format!(
                    "the state has {negative} among the squared gradients of `{path}`, which are never negative"
                ),
            });
        }
    }
    Ok(())
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
