//! What optimizers have gathered, given away and taken over.

use super::progress::{Progress, StepCount};
use super::scaling::Skips;
use super::settings::not_negative;
use super::update::{OptimizerSlots, Stepped, Update, under};
use crate::error::{Error, Result};
use crate::memory::BufferHandle;
use crate::model::Model;
use crate::model::store::StoredTensor;
use crate::optim::OptimizerState;
use crate::tensor::Tensor;
use netcl_kernels::dim::Shape;
use netcl_kernels::dtype::DType;
use std::collections::BTreeSet;

impl Update {
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
            && let Some(range) = store.parameter_range(&part.prefix, self.name())?
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
        let mut count = self.count.lock();
        self.skips().map_or(Ok(()), |skips| count.forget(skips))?;
        let Progress { learning_rate, steps } = count.progress;
        let (mut missed, mut made) = (Vec::new(), 0);
        if self.counts_steps {
            made = u64::from(steps.unsigned_abs());
            for (position, (path, _)) in under(store.parameters(), &part.prefix).enumerate() {
                let steps = u64::from(count.missed(position).unsigned_abs());
                if steps > 0 {
                    missed.push((path.to_owned(), steps));
                }
            }
        }
        Ok(OptimizerState { optimizer: self.name().to_owned(), learning_rate, steps: made, missed, moments })
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
        let range = store.parameter_range(&part.prefix, self.name())?;
        if range.is_some() && state.moments.is_empty() && state.steps > 0 {
            // Zeros would go on as if they had been gathered in all these steps.
            let steps = state.steps;
            return Err(self.mismatch(format!(
                "the state is after {steps} steps and has no moments, expected {moments} for each parameter"
            )));
        }
        let missed = |(path, _): &(&str, &StoredTensor)| state.missed.iter().find(|(known, _)| known == path);
        // As many at most as there were steps.
        let missed = entries.iter().map(|entry| missed(entry).map_or(0, |(_, count)| *count as i32)).collect();
        let count = StepCount::new(Progress { learning_rate: state.learning_rate, steps }, missed);
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
            *self.count.lock() = count;
            return Ok(());
        };
        let Some(parameters) = store.parameter_region(&range)? else {
            *self.count.lock() = count;
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
        let skips = self.state.take().filter(same).and_then(|state| state.skips);
        self.state = Some(OptimizerSlots::of(&part, parameters, regions, self.row, skips));
        self.skips().map_or(Ok(()), Skips::clear)?;
        *self.count.lock() = count;
        Ok(())
    }

    /// Refuses a state of another optimizer or of other parameters.
    fn check_state(&self, entries: &[(&str, &StoredTensor)], state: &OptimizerState, moments: usize) -> Result<()> {
        not_negative(self.name(), "learning rate", state.learning_rate)?;
        if state.optimizer != self.name() {
            let other = &state.optimizer;
            return Err(self.mismatch(format!("the state is of `{other}`; an optimizer goes on from its own kind's")));
        }
        for (position, (path, missed)) in state.missed.iter().enumerate() {
            let problem = if entries.iter().all(|(known, _)| known != path) {
                "which the model does not have"
            } else if *missed > state.steps {
                "which is more than all"
            } else if state.missed[..position].iter().any(|(known, _)| known == path) {
                "which it names twice"
            } else {
                continue;
            };
            return Err(self.mismatch(format!(
                "the state says that {missed} of {} steps left out the parameter `{path}`, {problem}",
                state.steps
            )));
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
