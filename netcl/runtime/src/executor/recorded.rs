//! Calls that are recorded, to be done again.

use crate::error::Result;
use crate::executor::bind::{BoundPlan, before_writes, launch};
use crate::executor::states::KeptChanges;
use crate::memory::BufferHandle;
use crate::recording::Step;
use netcl_hal::device::commands::CommandBuffer;
use netcl_hal::device::scalar::Scalar;
use std::sync::{Arc, Mutex};

/// A call with all it needs, its arena included.
pub(super) struct RecordedPlan {
    /// Launched so, and nobody else's.
    pub(super) bound: BoundPlan,
    /// The memory of every slot.
    pub(super) given: Vec<BufferHandle>,
    /// All of them, the seed included.
    pub(super) scalars: Vec<Scalar>,
    pub(super) launches: u64,
    pub(super) changes: KeptChanges,
}

impl Step for RecordedPlan {
    fn repeat(&mut self) -> Result<()> {
        let RecordedPlan { bound, given, scalars, changes, .. } = self;
        before_writes(&bound.version, given);
        changes.make(given, || launch(&mut *bound.launcher, given, scalars).map(|_| ()))
    }

    fn launches(&self) -> u64 {
        self.launches
    }

    fn encode(&self, into: &mut dyn CommandBuffer) -> Result<bool> {
        if !self.bound.launcher.encode(into)? {
            return Ok(false);
        }
        for (slot, state, bytes) in self.changes.late() {
            into.copy(self.given[*slot].region(), state.region(), *bytes)?;
        }
        Ok(true)
    }

    fn set_scalars(&mut self, scalars: &[Scalar]) {
        // The seed stands before those that the caller passes.
        let start = self.scalars.len().saturating_sub(scalars.len());
        self.scalars[start..].iter_mut().zip(scalars).for_each(|(own, new)| *own = *new);
    }

    fn turn(&self) -> Option<&Arc<Mutex<()>>> {
        self.changes.turn()
    }

    fn visit_memory(&self, visit: &mut dyn FnMut(&BufferHandle)) {
        self.given.iter().chain(self.changes.late().iter().map(|(_, state, _)| state)).for_each(visit);
    }
}
