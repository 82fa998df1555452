//! What changes from step to step, whoever makes the next one.

use super::scaling::Skips;
use super::settings::{SINGLE, in_group, not_negative_in, refused, shown};
use crate::error::Result;
use netcl_hal::device::scalar::Scalar;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How far an optimizer is, or how far it is with one parameter.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The learning rate of the next step.
    pub learning_rate: f64,
    /// How many steps were made.
    pub steps: i32,
}

impl Progress {
    /// After one step more.
    pub(super) fn next(self) -> Progress {
        Progress { steps: self.steps.saturating_add(1), ..self }
    }

    /// Of a parameter that so many of the steps left out.
    pub(super) fn without(self, missed: i32) -> Progress {
        Progress { steps: self.steps - missed, ..self }
    }
}

/// The steps that were made, and which of them each parameter was left out of, because the loss did not depend on it: a parameter's
/// own number of steps is of those that stepped it, as in PyTorch.
#[derive(Debug)]
pub(super) struct StepCount {
    pub(super) progress: Progress,
    /// By the parameter's position among those that are stepped; what is beyond was left out of none.
    missed: Vec<i32>,
    /// Those that the last step left out, ascending.
    left_out: Vec<usize>,
}

impl StepCount {
    pub(super) fn new(progress: Progress, missed: Vec<i32>) -> StepCount {
        StepCount { progress, missed, left_out: Vec::new() }
    }

    /// How many steps left that parameter out.
    pub(super) fn missed(&self, parameter: usize) -> i32 {
        self.missed.get(parameter).copied().unwrap_or(0)
    }

    /// Counts a step that left these out.
    pub(super) fn step(&mut self, left_out: &[usize]) {
        self.progress = self.progress.next();
        let most = left_out.last().map_or(0, |last| last + 1);
        if self.missed.len() < most {
            self.missed.resize(most, 0);
        }
        left_out.iter().for_each(|parameter| self.missed[*parameter] += 1);
        if self.left_out != left_out {
            self.left_out = left_out.to_vec();
        }
    }

    /// Whether a step that leaves these out is as the last one, so that skipped steps need not be told apart.
    pub(super) fn leaves_out(&self, parameters: &[usize]) -> bool {
        self.left_out == parameters
    }

    /// Takes the steps back that were counted and then skipped. All since the last call left the same parameters out. Waits for the
    /// device where there may be some.
    pub(super) fn forget(&mut self, skips: &Skips) -> Result<()> {
        let skipped = skips.count()?;
        if skipped > 0 {
            skips.clear()?;
            self.progress.steps -= skipped;
            self.left_out.iter().for_each(|parameter| self.missed[*parameter] -= skipped);
        }
        Ok(())
    }
}

/// The steps of an optimizer, which its recorded ones share. Held while a step is started, so that no two have one number.
pub(super) struct SharedStepCount(Mutex<StepCount>);

impl SharedStepCount {
    pub(super) fn new(count: StepCount) -> SharedStepCount {
        SharedStepCount(Mutex::new(count))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, StepCount> {
        // Numbers only, each set as a whole: a panic leaves nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The numbers of the step that makes this progress, in the group of that name, as kernels take them.
///
/// # Errors
///
/// [`crate::Error::Setting`] if one of them, or the learning rate, is none that a step can be made with.
pub(super) fn numbers<S: AsRef<[f64]>>(
    optimizer: &str,
    group: Option<&str>,
    progress: Progress,
    scalars: impl Fn(Progress) -> S,
) -> Result<Vec<Scalar>> {
    let rate = progress.learning_rate;
    not_negative_in(optimizer, "learning rate", rate, group)?;
    let scalar = |&value: &f64| match value as f32 {
        single if single.is_finite() => Ok(Scalar::F32(single)),
        _ => {
            let (rate, group) = (shown(rate), in_group(group));
            let given =
                format!("numbers{group}, with the learning rate {rate}, that make a step with {}", shown(value));
            Err(refused(optimizer, "settings", given, SINGLE))
        }
    };
    scalars(progress).as_ref().iter().map(scalar).collect()
}
