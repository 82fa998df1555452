//! What a kind of device must be able to do. Checks are made above this trait, never below it.

pub use crate::device::host::NativeEntry;
use crate::device::host::memory::HostBuffer;
use crate::device::null::NullMemory;
use crate::device::opencl::OpenCl;
use crate::device::opencl::memory::ClMemory;
use crate::device::partition::Partition;
use crate::device::profile::DeviceProfile;
use crate::error::{Error, Result};
use crate::executor::scalar::Scalar;
use crate::memory::Region;
use crate::program::ProgramStats;
use netcl_kernels::dim::Bindings;
use netcl_kernels::plan::{BufferId, Plan};
use std::sync::Arc;

/// Native code of a plan's loop steps on the host, by step; empty where there is none.
pub(crate) type Native = &'static [Option<NativeEntry>];

/// Memory of one of the backends.
#[derive(Debug)]
pub(crate) enum Memory {
    Host(HostBuffer),
    OpenCl(ClMemory),
    #[allow(dead_code, reason = "held for its `Drop`, which counts")]
    Null(NullMemory),
}

/// Why no memory was given.
#[derive(Debug)]
pub(crate) enum AllocateError {
    /// There is none left: freeing something may help.
    OutOfMemory,
    /// Anything else.
    Other(Error),
}

/// Where a plan's buffer lies.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// In the bound plan's own arena.
    Internal(Region),
    /// Given at each launch, at that position.
    External(usize),
    /// No step touches it.
    Unused,
}

/// What a backend needs to make launchable objects of a plan whose symbols have values.
pub(crate) struct BindRequest<'a> {
    pub(crate) bindings: Bindings<'a>,
    /// One per buffer of the plan.
    pub(crate) places: &'a [Place],
    /// How many external regions each launch gets.
    pub(crate) externals: usize,
}

impl BindRequest<'_> {
    pub(crate) fn place(&self, id: BufferId) -> &Place {
        &self.places[id.0 as usize]
    }
}

/// A plan whose kernels are built.
pub(crate) trait Program: Send + Sync {
    /// Makes launchable objects for one set of symbol values.
    fn bind(&self, request: &BindRequest<'_>) -> Result<Box<dyn Bound>>;
}

/// A plan whose sizes are known and whose arguments are set but for the external ones.
pub(crate) trait Bound: Send {
    /// Enqueues every step in order; returns how many launches that were. Does not wait for the device.
    ///
    /// `externals` are alive until after the call; `scalars` have the types that the plan names.
    fn launch(&mut self, externals: &[Region], scalars: &[Scalar]) -> Result<u64>;
}

/// A kind of device.
pub(crate) trait Backend: Send + Sync + 'static {
    /// What it is.
    fn profile(&self) -> &DeviceProfile;

    /// `bytes` of uninitialised memory; `bytes` is not 0.
    fn allocate(&self, bytes: usize) -> Result<Memory, AllocateError>;

    /// A part of `parent`, which outlives it; `offset` is a multiple of [`crate::memory::ALIGNMENT`].
    fn part(&self, parent: &Memory, offset: usize, bytes: usize) -> Result<Memory>;

    /// Copies `data` to the start of `memory`; may return before the device has it, `data` may be changed then.
    fn write(&self, memory: &Memory, data: &[u8]) -> Result<()>;

    /// Waits for everything before and copies from the start of `memory`.
    fn read(&self, memory: &Memory, into: &mut [u8]) -> Result<()>;

    /// Copies between two memories of this device that do not overlap.
    fn copy(&self, from: &Memory, to: &Memory, bytes: usize) -> Result<()>;

    /// Sets the first `bytes` to zero.
    fn zero(&self, memory: &Memory, bytes: usize) -> Result<()>;

    /// Builds the kernels of a plan.
    fn load(&self, plan: &Arc<Plan>, native: Native) -> Result<Box<dyn Program>>;

    /// Waits until everything enqueued is done.
    fn finish(&self) -> Result<()>;

    /// Where its programs came from.
    fn program_stats(&self) -> ProgramStats {
        ProgramStats::default()
    }

    /// Divides the device; what is asked for is known to be possible.
    fn partition(&self, partition: &Partition) -> Result<Vec<Arc<dyn Backend>>> {
        let problem = format!("`{}` has no part {partition:?}", self.profile().name);
        Err(Error::Plan { function: "Device::partition".to_owned(), problem })
    }

    /// Copies from memory of `source`, after everything that `source` was given before, and before what it is given
    /// after; returns whether that is possible without the host. Neither device is waited for.
    fn copy_from(&self, source: &dyn Backend, from: &Memory, to: &Memory, bytes: usize) -> Result<bool> {
        let _ = (source, from, to, bytes);
        Ok(false)
    }

    /// The OpenCL device that this is, if it is one.
    fn as_opencl(&self) -> Option<&OpenCl> {
        None
    }

    /// What the null device has recorded.
    fn records(&self) -> Option<Vec<crate::device::null::LaunchRecord>> {
        None
    }
}
