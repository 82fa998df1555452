//! Steps of optimizers that are recorded.

use super::progress::{Progress, SharedProgress};
use crate::error::Result;
use crate::memory::BufferHandle;
use crate::recording::Step;
use netcl_hal::device::scalar::Scalar;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A step with its launches. Each replay is a step more: it counts, has the learning rate of that time and the numbers that
/// follow from both. A driver's recording would keep the numbers, so it is not encoded in one.
pub(super) struct RecordedStep {
    pub(super) launches: Vec<Box<dyn Step>>,
    pub(super) progress: Arc<SharedProgress>,
    /// Of the model's parameters, by which what is computed of them is told apart.
    pub(super) changes: Arc<AtomicU64>,
    /// The numbers that a step making this progress passes to the launch of that position.
    pub(super) scalars: Box<dyn Fn(Progress, usize) -> Result<Vec<Scalar>> + Send>,
}

impl Step for RecordedStep {
    fn repeat(&mut self) -> Result<()> {
        self.changes.fetch_add(1, Ordering::Relaxed);
        let mut progress = self.progress.lock();
        let next = progress.next();
        for (position, launch) in self.launches.iter_mut().enumerate() {
            launch.set_scalars(&(self.scalars)(next, position)?);
            launch.repeat()?;
        }
        *progress = next;
        Ok(())
    }

    fn launches(&self) -> u64 {
        self.launches.iter().map(|launch| launch.launches()).sum()
    }

    fn visit_memory(&self, visit: &mut dyn FnMut(&BufferHandle)) {
        self.launches.iter().for_each(|launch| launch.visit_memory(visit));
    }
}
