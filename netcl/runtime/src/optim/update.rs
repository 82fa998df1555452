//! The machinery that all optimizers share.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::memory::{ALIGNMENT, BufferHandle};
use crate::model::store::Entry;
use crate::model::{Gradients, Model, ModelCore};
use crate::optim::OptimizerState;
use crate::tensor::{Tensor, vector};
use netcl_hal::device::scalar::Scalar;
use netcl_kernels::dim::Shape;
use netcl_kernels::dtype::DType;
use std::collections::BTreeSet;
use std::sync::Arc;

/// An update rule, compiled with the macros: from `(parameters, gradients, moments ..)`, each a matrix with rows of the
/// update's length, and numbers to the new parameters and moments.
pub(crate) type Rule = fn() -> &'static Function;

/// An update rule and its moments for one model.
pub struct Update {
    name: &'static str,
    /// How many elements a row has that the rule sees.
    row: usize,
    rule: Rule,
    moments: usize,
    state: Option<State>,
}

struct State {
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
}

/// The part of a model that is stepped, as its [`Model`] says it when asked once: anybody may write that trait, and what
/// it says the next time may be something else.
struct Stepped {
    core: ModelCore,
    prefix: String,
}

impl Stepped {
    fn of(model: &dyn Model) -> Stepped {
        Stepped { core: model.core().clone(), prefix: model.prefix().to_owned() }
    }
}

impl Update {
    /// A rule over that many moments, compiled for rows of `row` elements: a part of what tensors are aligned to, so that
    /// there are whole rows only.
    pub fn new(name: &'static str, row: usize, moments: usize, rule: Rule) -> Update {
        debug_assert!(row > 0 && ALIGNMENT.is_multiple_of(4 * row), "rows of {row} elements");
        Update { name, row, rule, moments, state: None }
    }

    /// Goes on with another rule, over this many moments: what there are of them stay as they are, others begin at zero.
    pub fn change(&mut self, moments: usize, rule: Rule) {
        (self.moments, self.rule) = (moments, rule);
    }

    /// Of the optimizer, as errors have it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Makes a step with these numbers.
    ///
    /// # Errors
    ///
    /// Those of [`crate::optim::Optimizer::step`], but for the settings.
    pub fn step(&mut self, model: &mut dyn Model, gradients: &Gradients, scalars: &[f64]) -> Result<()> {
        let scalars = scalars.iter().map(|&value| self.scalar(value)).collect::<Result<Vec<_>>>()?;
        let part = Stepped::of(model);
        let store = part.core.store();
        let Some(range) = store.parameter_range(&part.prefix, self.name)? else {
            return Ok(());
        };
        let pieces = gradients.covered(&range);
        let gradients = store.gradient_region(gradients.region_for(&store, self.name)?, &range)?;
        let bytes = range.len();
        let device = store.device();
        self.check_model(&part)?;
        if self.state.as_ref().is_none_or(|state| state.store != store.id()) {
            let Some(parameters) = store.parameter_region(&range)? else {
                return Ok(());
            };
            let mut moments = Vec::with_capacity(self.moments);
            // The model has moved to another device: its moments follow.
            for before in self.state.iter().flat_map(|state| &state.moments) {
                let moment = device.allocate(bytes)?;
                let mut data = vector::zeros::<u8>(device, bytes)?;
                before.read(&mut data)?;
                moment.write(&data)?;
                moments.push(moment);
            }
            self.state = Some(State {
                core: part.core.id(),
                prefix: part.prefix,
                store: store.id(),
                device: device.clone(),
                parameters,
                moments,
                shape: Arc::from([bytes / (4 * self.row), self.row]),
            });
        }
        let Some(state) = &mut self.state else {
            return Ok(());
        };
        while state.moments.len() < self.moments {
            let moment = device.allocate(bytes)?;
            moment.zero()?;
            state.moments.push(moment);
        }
        let moments = &state.moments[..self.moments];
        // One launch, but where the function does not depend on all parameters: those without a gradient stay as they are.
        for piece in pieces {
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
            let args: Vec<Tensor> = regions.map(view).collect();
            let args: Vec<&Tensor> = args.iter().collect();
            (self.rule)().call_into(device, &args, &scalars, &into)?;
        }
        Ok(())
    }

    /// The state with these numbers.
    ///
    /// # Errors
    ///
    /// Those of [`crate::optim::Optimizer::state`].
    pub fn state(&self, model: &dyn Model, learning_rate: f64, steps: u64) -> Result<OptimizerState> {
        let part = Stepped::of(model);
        self.check_model(&part)?;
        let mut moments = Vec::new();
        let store = part.core.store();
        if let Some(state) = &self.state
            && let Some(range) = store.parameter_range(&part.prefix, self.name)?
        {
            for moment in &state.moments {
                let view = |(path, entry): (&str, &Entry)| -> Result<(String, Tensor)> {
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
        Ok(OptimizerState { optimizer: self.name.to_owned(), learning_rate, steps, moments })
    }

    /// Takes over the moments of a state, which has as many as `moments`, or none before the first step.
    ///
    /// # Errors
    ///
    /// Those of [`crate::optim::Optimizer::set_state`].
    pub fn set_state(&mut self, model: &dyn Model, state: &OptimizerState, moments: usize) -> Result<()> {
        let part = Stepped::of(model);
        let store = part.core.store();
        let entries: Vec<(&str, &Entry)> = under(store.parameters(), &part.prefix).collect();
        self.check_state(&entries, state, moments)?;
        let range = store.parameter_range(&part.prefix, self.name)?;
        if range.is_some() && state.moments.is_empty() && state.steps > 0 {
            // Zeros would go on as if they had been gathered in all these steps.
            let steps = state.steps;
            return Err(self.mismatch(format!(
                "the state is after {steps} steps and has no moments, expected {moments} for each parameter"
            )));
        }
        let Some(range) = range.filter(|_| !state.moments.is_empty()) else {
            self.state = None;
            return Ok(());
        };
        let Some(parameters) = store.parameter_region(&range)? else {
            return Ok(());
        };
        let device = store.device();
        let mut regions = Vec::with_capacity(moments);
        for values in &state.moments {
            let region = device.allocate(range.len())?;
            // What lies between the tensors is stepped as well.
            region.zero()?;
            for (path, value) in values {
                let Some((_, entry)) = entries.iter().find(|(known, entry)| known == path && entry.bytes() > 0) else {
                    continue;
                };
                let value = value.to_device(device)?;
                value.region().copy_to(&region.part(entry.offset - range.start, entry.bytes())?, entry.bytes())?;
            }
            regions.push(region);
        }
        self.state = Some(State {
            core: part.core.id(),
            prefix: part.prefix.clone(),
            store: store.id(),
            device: device.clone(),
            parameters,
            moments: regions,
            shape: Arc::from([range.len() / (4 * self.row), self.row]),
        });
        Ok(())
    }

    /// Refuses a model other than the one that was stepped.
    fn check_model(&self, part: &Stepped) -> Result<()> {
        match &self.state {
            Some(state) if state.core != part.core.id() || state.prefix != part.prefix => {
                Err(self
                    .mismatch("this optimizer has stepped another model before; make one for each model".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a state of another optimizer or of other parameters.
    fn check_state(&self, entries: &[(&str, &Entry)], state: &OptimizerState, moments: usize) -> Result<()> {
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

    /// A number of a step, as kernels take it.
    fn scalar(&self, value: f64) -> Result<Scalar> {
        let single = value as f32;
        accept(self.name, "settings", format!("numbers that make a step with {value:e}"), single.is_finite(), SINGLE)?;
        Ok(Scalar::F32(single))
    }

    fn mismatch(&self, problem: String) -> Error {
        Error::Mismatch { operation: self.name.to_owned(), problem }
    }
}

/// The parameters under a prefix, by their paths after it.
fn under<'a>(entries: &'a [Entry], prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a Entry)> {
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
        f.debug_struct("Update").field("rule", &self.name).field("started", &started).finish_non_exhaustive()
    }
}

/// What is said of numbers that no `f32` is.
const SINGLE: &str = "numbers up to 3.4e38, as steps are computed in `f32`";

/// Refuses what is no number from 0 on, or none of `f32`'s.
///
/// # Errors
///
/// [`Error::Setting`], which names the optimizer, the setting, what was given and what is accepted.
pub fn not_negative(optimizer: &str, setting: &'static str, value: f64) -> Result<()> {
    accept(optimizer, setting, value, value >= 0.0 && value.is_finite(), "a number of at least 0")?;
    accept(optimizer, setting, value, (value as f32).is_finite(), SINGLE)
}

/// Refuses a setting unless it `fits`.
///
/// # Errors
///
/// [`Error::Setting`], which names the optimizer, the setting, what was given and what is accepted.
pub fn accept(
    optimizer: &str,
    setting: &'static str,
    value: impl std::fmt::Display,
    fits: bool,
    accepted: &'static str,
) -> Result<()> {
    if fits {
        return Ok(());
    }
    Err(Error::Setting { operation: optimizer.to_owned(), setting, given: value.to_string(), accepted })
}
