//! What changes from step to step, whoever makes the next one.

use super::settings::{SINGLE, in_group, not_negative_in, refused, shown};
use crate::error::Result;
use netcl_hal::device::scalar::Scalar;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How far an optimizer is.
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
}

/// The progress of an optimizer, which its recorded steps share. Held while a step is started, so that no two have one number.
pub(super) struct SharedProgress(Mutex<Progress>);

impl SharedProgress {
    pub(super) fn new(progress: Progress) -> SharedProgress {
        SharedProgress(Mutex::new(progress))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Progress> {
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
