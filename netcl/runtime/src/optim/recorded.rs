//! Steps of optimizers that are recorded.

use super::progress::{Progress, SharedStepCount};
use super::scaling::Skips;
use crate::error::{Error, Result};
use crate::memory::BufferHandle;
use crate::model::ModelCore;
use crate::recording::Step;
use netcl_hal::device::scalar::Scalar;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A step with its launches. Each replay is a step more: it counts, has the learning rate of that time and the numbers that
/// follow from both. A driver's recording would keep the numbers, so it is not encoded in one.
pub(super) struct RecordedStep {
    pub(super) optimizer: &'static str,
    /// Of the model, and its memory when the step was recorded.
    pub(super) core: ModelCore,
    pub(super) store: u64,
    pub(super) launches: Vec<Box<dyn Step>>,
    pub(super) count: Arc<SharedStepCount>,
    /// Of a step by a scaled loss.
    pub(super) skips: Option<Skips>,
    /// Those that it leaves out, by their positions.
    pub(super) left_out: Vec<usize>,
    /// Those that each launch steps; none of rules that do not ask how many steps were made.
    pub(super) parameters: Vec<Vec<usize>>,
    /// Of the model's parameters, by which what is computed of them is told apart.
    pub(super) changes: Arc<AtomicU64>,
    /// The numbers that a step making this progress passes to the launch of that position.
    pub(super) scalars: Box<dyn Fn(Progress, usize) -> Result<Vec<Scalar>> + Send>,
}

impl RecordedStep {
    /// How many steps left out what one launch steps.
    fn missed(&self, launch: usize, missed: impl Fn(usize) -> i32) -> Result<i32> {
        let Some((first, rest)) = self.parameters.get(launch).and_then(|all| all.split_first()) else { return Ok(0) };
        let first = missed(*first);
        match rest.iter().all(|parameter| missed(*parameter) == first) {
            true => Ok(first),
            false => Err(Error::Mismatch {
                operation: self.optimizer.to_owned(),
                problem: "a recorded step cannot go on: since it was recorded, other steps have left out some of the parameters that \
                          one launch of it steps; record it again"
                    .to_owned(),
            }),
        }
    }
}

impl Step for RecordedStep {
    fn repeat(&mut self) -> Result<()> {
        let store = self.core.store();
        if store.id() != self.store {
            let problem = format!(
                "a recorded step cannot go on: the model has moved to {} since it was recorded; record it again there",
                store.device()
            );
            return Err(Error::Mismatch { operation: self.optimizer.to_owned(), problem });
        }
        self.changes.fetch_add(1, Ordering::Relaxed);
        let shared = self.count.clone();
        let mut count = shared.lock();
        if let Some(skips) = self.skips.as_ref().filter(|_| !count.leaves_out(&self.left_out)) {
            count.forget(skips)?;
        }
        let next = count.progress.next();
        let missed: Vec<i32> = (0..self.launches.len())
            .map(|launch| self.missed(launch, |parameter| count.missed(parameter)))
            .collect::<Result<_>>()?;
        for (position, (launch, missed)) in self.launches.iter_mut().zip(missed).enumerate() {
            launch.set_scalars(&(self.scalars)(next.without(missed), position)?);
            launch.repeat()?;
        }
        count.step(&self.left_out);
        Ok(())
    }

    fn launches(&self) -> u64 {
        self.launches.iter().map(|launch| launch.launches()).sum()
    }

    fn visit_memory(&self, visit: &mut dyn FnMut(&BufferHandle)) {
        self.launches.iter().for_each(|launch| launch.visit_memory(visit));
    }
}
