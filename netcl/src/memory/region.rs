//! A piece of device memory that gives itself back.

use crate::device::backend::Memory;
use crate::error::Result;
use crate::memory::ALIGNMENT;
use crate::memory::pool::{Pool, next_id};
use std::sync::Arc;

/// A piece of device memory: a pooled buffer or a part of one. Cheap to clone; the memory returns to its pool when the
/// last clone, and the last part, is dropped.
#[derive(Clone)]
pub(crate) struct Region(Arc<Inner>);

struct Inner {
    id: u64,
    bytes: usize,
    /// Only taken out while dropping.
    memory: Option<Memory>,
    /// Set for a part: keeps the whole alive.
    parent: Option<Region>,
    pool: Arc<Pool>,
}

impl Region {
    pub(super) fn pooled(id: u64, bytes: usize, memory: Memory, pool: Arc<Pool>) -> Region {
        Region(Arc::new(Inner { id, bytes, memory: Some(memory), parent: None, pool }))
    }

    /// The part of `bytes` from `offset` on, which must be aligned and inside.
    pub(crate) fn part(&self, offset: usize, bytes: usize) -> Result<Region> {
        debug_assert!(offset.is_multiple_of(ALIGNMENT) && offset + bytes <= self.bytes());
        // OpenCL has no sub-buffers of sub-buffers: a part hangs on the pooled buffer itself.
        debug_assert!(self.0.parent.is_none());
        let pool = self.0.pool.clone();
        let memory = pool.backend().part(self.memory(), offset, bytes.max(1))?;
        Ok(Region(Arc::new(Inner { id: next_id(), bytes, memory: Some(memory), parent: Some(self.clone()), pool })))
    }

    /// Equal ids mean the same memory: no id is given twice in a process.
    pub(crate) fn id(&self) -> u64 {
        self.0.id
    }

    /// How many bytes it has; at least what was asked for.
    pub(crate) fn bytes(&self) -> usize {
        self.0.bytes
    }

    /// Whether another handle of it is alive.
    pub(crate) fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    pub(crate) fn memory(&self) -> &Memory {
        self.0.memory.as_ref().expect("memory is taken out only by drop")
    }

    /// Copies `data` to its start.
    pub(crate) fn write(&self, data: &[u8]) -> Result<()> {
        debug_assert!(data.len() <= self.bytes());
        if data.is_empty() { Ok(()) } else { self.0.pool.backend().write(self.memory(), data) }
    }

    /// Copies its start, after everything enqueued before is done.
    pub(crate) fn read(&self, into: &mut [u8]) -> Result<()> {
        debug_assert!(into.len() <= self.bytes());
        if into.is_empty() { Ok(()) } else { self.0.pool.backend().read(self.memory(), into) }
    }

    /// Copies the first `bytes` to the start of `to`, another region of the same device.
    pub(crate) fn copy_to(&self, to: &Region, bytes: usize) -> Result<()> {
        debug_assert!(bytes <= self.bytes() && bytes <= to.bytes() && self.id() != to.id());
        if bytes == 0 { Ok(()) } else { self.0.pool.backend().copy(self.memory(), to.memory(), bytes) }
    }

    /// Copies the first `bytes` to the start of `to`, a region of another device, if that is possible without the host;
    /// returns whether it is.
    pub(crate) fn copy_across(&self, to: &Region, bytes: usize) -> Result<bool> {
        debug_assert!(bytes <= self.bytes() && bytes <= to.bytes() && self.id() != to.id());
        to.0.pool.backend().copy_from(self.0.pool.backend(), self.memory(), to.memory(), bytes)
    }

    /// Sets all of it to zero.
    pub(crate) fn zero(&self) -> Result<()> {
        self.0.pool.backend().zero(self.memory(), self.bytes())
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.parent.is_none()
            && let Some(memory) = self.memory.take()
        {
            self.pool.put(self.id, self.bytes, memory);
        }
    }
}

impl std::fmt::Debug for Region {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Region({}, {} bytes)", self.id(), self.bytes())
    }
}
