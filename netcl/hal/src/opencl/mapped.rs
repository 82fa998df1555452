//! Buffers of the device's that the host sees.

use super::memory::ClMemory;
use super::pinned::Mapping;
use super::shared::Shared;
use crate::device::memory::{HostMemory, Keeper, Memory, Region, downcast};
use crate::error::Result;
use crate::process;
use opencl3::error_codes::CL_INVALID_MEM_OBJECT;
use opencl3::types::cl_int;
use std::sync::Arc;

/// A buffer in host memory, mapped as long as this lives. Dropped in this order.
pub(super) struct ClMapped {
    mapping: Mapping,
    region: Region,
    _keeper: Keeper,
    shared: Arc<Shared>,
}

impl ClMapped {
    /// The first `bytes` of a region of this device that nobody but the keeper has.
    pub(super) fn new(region: &Region, bytes: usize, keeper: Keeper, shared: Arc<Shared>) -> Result<ClMapped, cl_int> {
        let memory = downcast::<ClMemory>(region.memory()).ok_or(CL_INVALID_MEM_OBJECT)?;
        // Nobody else uses the buffer, so what other threads enqueue meanwhile does not matter.
        drop(shared.in_turn()?);
        // SAFETY: the keeper is the only one who has it (the caller sees to it), and is kept here and not used.
        let mapping = unsafe { Mapping::new(&shared.queue.queue, memory.raw(), bytes) }?;
        Ok(ClMapped { mapping, region: region.clone(), _keeper: keeper, shared })
    }
}

impl HostMemory for ClMapped {
    fn bytes(&self) -> &[u8] {
        self.mapping.bytes()
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        self.mapping.bytes_mut()
    }

    fn into_memory(self: Box<Self>) -> Result<Result<Arc<dyn Memory>, Box<dyn HostMemory>>> {
        Ok(Err(self))
    }
}

impl Drop for ClMapped {
    fn drop(&mut self) {
        if process::is_forked() {
            return;
        }
        if let Some(memory) = downcast::<ClMemory>(self.region.memory())
            && self.mapping.end(&self.shared.queue.queue, memory.raw()).is_err()
        {
            tracing::warn!("a buffer cannot be unmapped");
        }
        self.shared.count();
    }
}
