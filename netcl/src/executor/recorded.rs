//! Calls that are recorded, to be done again.

use crate::device::opencl::commands::CommandBuffer;
use crate::device::scalar::Scalar;
use crate::error::Result;
use crate::executor::bind::BoundPlan;
use crate::memory::BufferHandle;
use crate::recording::Step;

/// What a call launched with.
pub(super) struct Launched {
    pub(super) externals: Vec<BufferHandle>,
    /// The scalar before those of the caller.
    pub(super) seed: Option<Scalar>,
    pub(super) launches: u64,
}

/// A call with all it needs, its arena included.
pub(super) struct RecordedPlan {
    bound: BoundPlan,
    externals: Vec<BufferHandle>,
    scalars: Vec<Scalar>,
    launches: u64,
}

impl RecordedPlan {
    /// `bound` was launched so, and is nobody else's.
    pub(super) fn new(bound: BoundPlan, launched: &Launched, scalars: &[Scalar]) -> RecordedPlan {
        let scalars = launched.seed.into_iter().chain(scalars.iter().copied()).collect();
        RecordedPlan { bound, externals: launched.externals.clone(), scalars, launches: launched.launches }
    }
}

impl Step for RecordedPlan {
    fn repeat(&mut self) -> Result<()> {
        self.bound.launcher.launch(&self.externals, &self.scalars).map(|_| ())
    }

    fn launches(&self) -> u64 {
        self.launches
    }

    fn encode(&self, into: &mut CommandBuffer) -> Result<bool> {
        self.bound.launcher.encode(into)
    }

    fn visit_memory(&self, visit: &mut dyn FnMut(&BufferHandle)) {
        self.externals.iter().for_each(visit);
    }
}
