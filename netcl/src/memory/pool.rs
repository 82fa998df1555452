//! Size classes: what was freed is kept for the next buffer of its class, because allocating on a device is slow.

use crate::device::backend::{AllocateError, Backend, Memory};
use crate::error::{Error, Result};
use crate::memory::ALIGNMENT;
use crate::memory::region::Region;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What a device's pool holds. Sizes in bytes, of whole size classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// In buffers that are in use.
    pub in_use: usize,
    /// In freed buffers that are kept for reuse.
    pub idle: usize,
    /// The most that was in use at one time.
    pub peak: usize,
    /// How often the driver was asked for memory.
    pub allocations: u64,
    /// How often a freed buffer was used again instead.
    pub reuses: u64,
}

impl fmt::Display for PoolStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the pool has {} bytes in use and {} idle, at most {} were in use; {} driver allocations, {} reuses",
            self.in_use, self.idle, self.peak, self.allocations, self.reuses
        )
    }
}

/// The memory of one device.
pub(crate) struct Pool {
    backend: Arc<dyn Backend>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Freed memory by size class, the latest freed last: it is the likeliest to be in a cache.
    idle: BTreeMap<usize, Vec<(u64, Memory)>>,
    stats: PoolStats,
}

/// Powers of two up to this size; above it eight classes per doubling, so that at most an eighth is lost.
const COARSE: usize = 1 << 20;

/// The size class of `bytes`: what is really allocated. `None` if that is more than can be addressed.
pub(crate) fn size_class(bytes: usize) -> Option<usize> {
    if bytes <= ALIGNMENT {
        return Some(ALIGNMENT);
    }
    if bytes <= COARSE {
        return bytes.checked_next_power_of_two();
    }
    let step = 1usize << (bytes.ilog2() - 3);
    bytes.checked_next_multiple_of(step)
}

/// Never used twice in a process, so that equal ids mean the same memory.
pub(crate) fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Pool {
    pub(crate) fn new(backend: Arc<dyn Backend>) -> Arc<Pool> {
        Arc::new(Pool { backend, state: Mutex::default() })
    }

    /// Uninitialised memory of at least `bytes`, returned to the pool when its last handle is dropped.
    pub(crate) fn allocate(self: &Arc<Self>, bytes: usize) -> Result<Region> {
        let Some(class) = size_class(bytes) else {
            return Err(self.out_of_memory(bytes));
        };
        if let Some((id, memory)) = self.take_idle(class) {
            return Ok(Region::pooled(id, class, memory, self.clone()));
        }
        let memory = match self.backend.allocate(class) {
            Ok(memory) => memory,
            Err(AllocateError::Other(error)) => return Err(error),
            Err(AllocateError::OutOfMemory) => {
                let freed = self.release_idle();
                tracing::debug!(freed, wanted = class, "out of device memory: idle buffers freed, trying again");
                match self.backend.allocate(class) {
                    Ok(memory) => memory,
                    Err(AllocateError::Other(error)) => return Err(error),
                    Err(AllocateError::OutOfMemory) => return Err(self.out_of_memory(class)),
                }
            }
        };
        let mut state = self.lock();
        state.stats.allocations += 1;
        state.stats.in_use += class;
        state.stats.peak = state.stats.peak.max(state.stats.in_use);
        Ok(Region::pooled(next_id(), class, memory, self.clone()))
    }

    /// Gives idle memory back to the driver; returns how many bytes that were.
    pub(crate) fn release_idle(&self) -> usize {
        let (idle, bytes) = {
            let mut state = self.lock();
            (std::mem::take(&mut state.idle), std::mem::take(&mut state.stats.idle))
        };
        // Commands in flight may still use it, and some drivers free only when they are done.
        if bytes > 0
            && let Err(error) = self.backend.finish()
        {
            tracing::warn!(%error, "waiting for the device before freeing memory");
        }
        drop(idle);
        bytes
    }

    pub(crate) fn stats(&self) -> PoolStats {
        self.lock().stats
    }

    pub(crate) fn backend(&self) -> &dyn Backend {
        &*self.backend
    }

    /// Takes memory back; called when the last handle of a region is dropped.
    pub(super) fn put(&self, id: u64, class: usize, memory: Memory) {
        let mut state = self.lock();
        state.stats.in_use -= class;
        state.stats.idle += class;
        state.idle.entry(class).or_default().push((id, memory));
    }

    fn take_idle(&self, class: usize) -> Option<(u64, Memory)> {
        let mut state = self.lock();
        let found = state.idle.get_mut(&class)?.pop()?;
        state.stats.reuses += 1;
        state.stats.idle -= class;
        state.stats.in_use += class;
        state.stats.peak = state.stats.peak.max(state.stats.in_use);
        Some(found)
    }

    fn out_of_memory(&self, requested: usize) -> Error {
        let device = self.backend.profile().name.clone();
        Error::OutOfMemory { device, requested, pool: Box::new(self.stats()) }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // Nothing under the lock leaves the state half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_waste_little_and_never_shrink() {
        for bytes in [1, 511, 512, 513, 4096, 4097, 1 << 20, (1 << 20) + 1, 3_000_000, 1 << 33, (1 << 33) + 5] {
            let class = size_class(bytes).unwrap();
            assert!(class >= bytes && class.is_multiple_of(ALIGNMENT), "{bytes} → {class}");
            assert_eq!(size_class(class), Some(class), "a class is its own class");
            if bytes > COARSE {
                assert!(class - bytes <= bytes / 8, "{bytes} → {class}");
            }
        }
        assert_eq!(size_class(usize::MAX), None);
    }
}
