//! The host as a device: native code, the block interpreter, the matrix library. Calls return when the work is done.

use super::access::Access;
use super::launch::HostProgram;
use super::memory::{Exclusive, HostBuffer};
use super::pool;
use super::tracks::host_tracks;
use crate::device::backend::{Backend, Program as BuiltProgram};
use crate::device::dispatch::ProgramSource;
use crate::device::memory::{AllocateError, HostMemory, Keeper, Memory, Region, downcast};
use crate::device::profile::{DeviceKind, DeviceProfile, SharedVirtualMemory};
use crate::device::vendor::Architecture;
use crate::error::{Error, Result};
use crate::memory::{PinnedBufferPool, Reserves};
use crate::profile::{self, Command};
use netcl_kernels::plan::Target;
use std::sync::Arc;

/// The host.
pub struct Host {
    profile: DeviceProfile,
    pinned: PinnedBufferPool,
    reserves: Reserves,
}

impl Host {
    /// This process as a device.
    #[allow(clippy::new_without_default, reason = "there is one, and making it is no small thing")]
    pub fn new() -> Host {
        let threads = pool::threads() as u32;
        let name = format!("{threads} threads, {}", std::env::consts::ARCH);
        let shared_virtual_memory = SharedVirtualMemory { coarse: true, fine: true, system: true, atomics: true };
        let profile = DeviceProfile {
            selector: "host".to_owned(),
            architecture: Architecture::this_processor(),
            unified_memory: true,
            shared_virtual_memory,
            compute_units: threads,
            fp64: true,
            rounded_division: true,
            ..DeviceProfile::unknown(&name, DeviceKind::Host, Target::Host)
        };
        let (pinned, reserves) = (ordinary_memory(&profile.name), Reserves::default());
        reserves.add_pool(pinned.reserve());
        Host { pinned, reserves, profile }
    }
}

impl Backend for Host {
    fn profile(&self) -> &DeviceProfile {
        &self.profile
    }

    fn allocate(&self, bytes: usize) -> Result<Arc<dyn Memory>, AllocateError> {
        HostBuffer::new(bytes).map(shared).map_err(|_| AllocateError::OutOfMemory)
    }

    fn part(&self, parent: &dyn Memory, offset: usize, bytes: usize) -> Result<Arc<dyn Memory>> {
        own(parent)?.view(offset, bytes).map(shared).map_err(outside)
    }

    fn write(&self, memory: &dyn Memory, data: &[u8]) -> Result<()> {
        let to = own(memory)?;
        let _access = Access::new([(to, true)]);
        copying("copy to the device", data.len(), || to.write(0, data))
    }

    fn read(&self, memory: &dyn Memory, into: &mut [u8]) -> Result<()> {
        let from = own(memory)?;
        let _access = Access::new([(from, false)]);
        copying("copy from the device", into.len(), || from.read(0, into))?;
        profile::catch_up();
        Ok(())
    }

    fn copy(&self, from: &dyn Memory, to: &dyn Memory, bytes: usize) -> Result<()> {
        let (from, to) = (own(from)?, own(to)?);
        let _access = Access::new([(from, false), (to, true)]);
        copying("copy on the device", bytes, || to.copy_from(from, bytes))
    }

    fn zero(&self, memory: &dyn Memory, bytes: usize) -> Result<()> {
        let to = own(memory)?;
        let _access = Access::new([(to, true)]);
        copying("fill with zeros", bytes, || to.zero(bytes))
    }

    fn reserves(&self) -> &Reserves {
        &self.reserves
    }

    fn pinned_pool(&self) -> &PinnedBufferPool {
        &self.pinned
    }

    fn lend(&self, owner: Box<dyn HostMemory>) -> Result<Arc<dyn Memory>, Box<dyn HostMemory>> {
        HostBuffer::lent(owner).map(shared)
    }

    fn map(&self, region: &Region, bytes: usize, keeper: Keeper) -> Result<Option<Box<dyn HostMemory>>> {
        let memory = own(region.memory())?.clone();
        Ok(Some(Box::new(Exclusive::new(memory, bytes, Some(keeper)))))
    }

    fn load(&self, source: &ProgramSource<'_>) -> Result<Box<dyn BuiltProgram>> {
        Ok(Box::new(HostProgram::new(source)?))
    }

    fn finish(&self) -> Result<()> {
        profile::catch_up();
        Ok(())
    }
}

fn copying<E: ToString>(name: &str, bytes: usize, copy: impl FnOnce() -> Result<(), E>) -> Result<()> {
    let marked = profile::mark();
    copy().map_err(outside)?;
    if let Some(marked) = marked {
        profile::computed(host_tracks(), Command::copy(name, bytes), marked);
    }
    Ok(())
}

/// Host memory for devices that have no page-locked memory of their own.
pub(crate) fn ordinary_memory(device: &str) -> PinnedBufferPool {
    PinnedBufferPool::of(device, |bytes| match HostBuffer::new(bytes) {
        Ok(memory) => Ok(Box::new(Exclusive::new(memory, bytes, None))),
        Err(_) => Err(AllocateError::OutOfMemory),
    })
}

fn shared(buffer: HostBuffer) -> Arc<dyn Memory> {
    Arc::new(buffer)
}

fn own(memory: &dyn Memory) -> Result<&HostBuffer> {
    downcast(memory).ok_or_else(|| outside("memory of another kind of device"))
}

/// Ranges are checked before they come here, so this is a defect; it is still an error and no panic.
fn outside(problem: impl ToString) -> Error {
    Error::Program { program: "host".to_owned(), problem: problem.to_string() }
}
