//! What is kept of a device's memory, by size.

use super::block::{MemoryBlock, next_id};
use super::budget::{Budget, Reclaimable};
use super::state::{Released, State};
use crate::error::{Error, Result};
use crate::memory::slab::{self, Slab};
use crate::memory::{LARGE_COPY, Reserve};
use netcl_hal as hal;
use netcl_hal::device::backend::Backend;
use netcl_hal::device::memory::{AllocateError, Memory};
use netcl_hal::memory::classes::{self, Class};
use netcl_hal::memory::{Bucket, PoolStats};
use netcl_hal::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// So many buffers take turns where copying and computing overlap: one is computed with, one is copied to, one waits.
const IN_TURNS: usize = 3;

/// Memory of one device that is in use or kept for reuse.
pub(in crate::memory) struct Cache {
    pub(super) backend: Arc<dyn Backend>,
    pub(super) max_cached: usize,
    /// Of what is idle in each bucket.
    pub(super) max_bucket: usize,
    /// What counts towards `max_cached`.
    pub(super) budget: Arc<Budget>,
    state: Mutex<State>,
}

impl Cache {
    pub(super) fn new(
        budget: Arc<Budget>,
        backend: Arc<dyn Backend>,
        max_cached: usize,
        max_bucket: usize,
    ) -> Arc<Cache> {
        let state = Mutex::new(State::new(budget.clone()));
        let cache = Arc::new(Cache { backend, max_cached, max_bucket, budget, state });
        cache.budget.add_pool(Arc::<Cache>::downgrade(&cache));
        cache.backend.reserves().add_pool(Arc::<Cache>::downgrade(&cache));
        cache
    }

    pub(in crate::memory) fn backend(&self) -> &Arc<dyn Backend> {
        &self.backend
    }

    /// Memory of at least `bytes` bytes, with any content.
    pub(in crate::memory) fn allocate(&self, bytes: usize) -> Result<MemoryBlock> {
        process::check()?;
        let Some(class) = classes::of(bytes) else {
            return Err(self.out_of_memory(bytes));
        };
        self.with_reserves(class, || match self.take_idle(class, false) {
            Some(block) => Ok(block),
            None => self.miss(class),
        })
    }

    /// Memory that is to be written to beside the device's queue: of what is idle, what has been so longest, because the
    /// device may still use what was freed last. Where it uses all of it there may be some more, so that copying and
    /// computing take turns.
    pub(super) fn allocate_for_upload(&self, bytes: usize) -> Result<MemoryBlock> {
        process::check()?;
        let Some(class) = classes::of(bytes) else {
            return Err(self.out_of_memory(bytes));
        };
        if bytes < LARGE_COPY {
            return self.allocate(bytes);
        }
        self.with_reserves(class, || {
            let oldest = self.lock().waiting(class);
            let block = match oldest {
                Some((since, kept)) if kept >= IN_TURNS || self.backend.is_done(since) => self.take_idle(class, true),
                _ => None,
            };
            block.map_or_else(|| self.miss(class), Ok)
        })
    }

    /// What `obtain` gives; if there is no memory, once more after reserves were given up for it.
    fn with_reserves(
        &self,
        class: Class,
        obtain: impl Fn() -> Result<MemoryBlock, AllocateError>,
    ) -> Result<MemoryBlock> {
        let block = match obtain() {
            Err(AllocateError::OutOfMemory) if self.backend.reserves().release_holders() => obtain(),
            result => result,
        };
        block.map_err(|error| match error {
            AllocateError::Other(error) => error.into(),
            AllocateError::OutOfMemory | AllocateError::TooLarge => self.out_of_memory(class.bytes),
        })
    }

    /// Takes memory back; called when the last handle is dropped. Of memory that was copied to beside the device's queue it
    /// is noted when the device is done with it: it may be for that again.
    pub(in crate::memory) fn put(&self, mut block: MemoryBlock, uploaded: bool) {
        if block.slab.is_none() && block.class.bytes > self.max_cached.min(self.max_bucket) {
            // Kept, it would push out everything else first, and then go all the same.
            self.lock().leave(block.class.bytes);
            return;
        }
        block.idle_since = self.backend.enqueued();
        if uploaded && let Err(error) = self.backend.mark() {
            tracing::debug!(%error, "the next copy waits for more than it must");
        }
        let index = block.class.index;
        let mut state = self.lock();
        state.put(block);
        self.keep_within(state, index);
    }

    /// Takes memory back that another queue may still use without the device's own waiting for it, so that nobody may have
    /// it next. A driver buffer goes to the driver, which frees it when no command uses it any more; a part of a shared one
    /// stays in use.
    #[cold]
    pub(in crate::memory) fn abandon(&self, block: MemoryBlock) {
        if block.slab.is_some() {
            std::mem::forget(block);
        } else {
            self.lock().leave(block.class.bytes);
        }
    }

    fn take_idle(&self, class: Class, oldest: bool) -> Option<MemoryBlock> {
        self.lock().take(class, oldest)
    }

    #[cold]
    fn miss(&self, class: Class) -> Result<MemoryBlock, AllocateError> {
        let alignment = self.backend.profile().buffer_alignment;
        if class.bytes <= slab::SHARED
            && class.bytes.is_multiple_of(alignment)
            && let Some(block) = self.cut(class)?
        {
            return Ok(block);
        }
        let memory = self.ask_driver(class.bytes)?;
        self.lock().count_miss(class.bytes);
        Ok(MemoryBlock { id: next_id(), class, memory, idle_since: 0, stamp: 0, slab: None })
    }

    /// A part of a driver buffer that several share; `None` if there is no memory for another of those, or all of them
    /// would be more than may be idle: only whole ones can go back to the driver.
    fn cut(&self, class: Class) -> Result<Option<MemoryBlock>, AllocateError> {
        let (slab, offset) = loop {
            let mut state = self.lock();
            if let Some(piece) = state.cut(class) {
                self.keep_within(state, class.index);
                break piece;
            }
            let of_class = state.shared_bytes(class) + slab::BYTES;
            drop(state);
            if of_class > self.max_bucket || !self.budget.take_slab(self.max_cached) {
                return Ok(None);
            }
            match self.ask_driver(slab::BYTES) {
                Ok(memory) => self.lock().add_slab(class, Slab::new(memory, class.bytes)),
                Err(error) => {
                    self.budget.drop_slabs(slab::BYTES);
                    return if let AllocateError::Other(_) = error { Err(error) } else { Ok(None) };
                }
            }
        };
        match self.backend.part(slab.memory(), offset, class.bytes) {
            Ok(memory) => {
                Ok(Some(MemoryBlock { id: next_id(), class, memory, idle_since: 0, stamp: 0, slab: Some(slab) }))
            }
            Err(error) => {
                self.lock().uncut(&slab, class.bytes);
                Err(AllocateError::Other(error))
            }
        }
    }

    /// New memory; if there is none, once more after idle memory was given back: its own first, then that of all pools
    /// of the same physical device. Where it is too large for the driver, nothing that is freed helps.
    fn ask_driver(&self, bytes: usize) -> Result<Arc<dyn Memory>, AllocateError> {
        if self.is_beyond_device(bytes) {
            return Err(AllocateError::TooLarge);
        }
        let mut result = self.backend.allocate(bytes);
        if let Err(AllocateError::OutOfMemory) = result {
            let freed = self.release_idle();
            tracing::debug!(freed, wanted = bytes, "out of device memory: idle buffers freed, trying again");
            result = self.backend.allocate(bytes);
        }
        match result {
            Err(AllocateError::OutOfMemory) if self.backend.reserves().release_pools() => self.backend.allocate(bytes),
            result => result,
        }
    }

    /// Whether it is more than all memory of the device. Drivers that allocate late promise that, too, and fail at its first
    /// use. What they call the largest allocation says less: NVIDIA's name a quarter of the memory and give more.
    fn is_beyond_device(&self, bytes: usize) -> bool {
        let memory = self.backend.profile().memory;
        memory > 0 && bytes as u64 > memory
    }

    /// Runs a command that the driver may need memory for: where it allocates late, the first that uses a buffer. If there
    /// is none, once more after everything that is idle or not needed was given back. `bytes` are what it works on.
    pub(in crate::memory) fn with_memory<T>(&self, bytes: usize, command: impl Fn() -> hal::Result<T>) -> Result<T> {
        let wants_memory = |result: &hal::Result<T>| result.as_ref().is_err_and(hal::Error::may_want_memory);
        let mut result = command();
        if wants_memory(&result) {
            let reserves = self.backend.reserves();
            let (idle, pools, holders) = (self.release_idle(), reserves.release_pools(), reserves.release_holders());
            tracing::debug!(idle, wanted = bytes, "a command found no memory: idle buffers freed, trying again");
            // What holders gave up is idle now.
            if holders {
                reserves.release_pools();
            }
            if idle > 0 || pools || holders {
                result = command();
            }
        }
        match result {
            Err(hal::Error::OutOfMemory { .. }) => Err(self.out_of_memory(bytes)),
            result => Ok(result?),
        }
    }

    fn out_of_memory(&self, requested: usize) -> Error {
        let device = self.backend.profile().name.clone();
        Error::OutOfMemory { device, requested, pool: Box::new(self.stats()) }
    }

    /// What is kept, by size; in a forked child, what was kept at the fork, or nothing if a thread was using it then.
    pub(super) fn buckets(&self) -> Vec<Bucket> {
        process::lock(&self.state).map(|state| state.buckets()).unwrap_or_default()
    }
}

impl Reserve for Cache {
    fn release(&self) -> bool {
        self.release_idle() > 0
    }

    fn stats(&self) -> PoolStats {
        process::lock(&self.state).map(|state| state.stats()).unwrap_or_default()
    }
}

impl Cache {
    pub(super) fn release_idle(&self) -> usize {
        if process::is_forked() {
            return 0;
        }
        let mut released = Released::default();
        let bytes = {
            let mut state = self.lock();
            let before = state.stats().idle;
            state.take_all(&mut released);
            before - state.stats().idle
        };
        // Commands in flight may still use it, and some drivers free only when they are done.
        if bytes > 0 {
            self.backend.drain();
        }
        drop(released);
        bytes
    }

    /// Gives back what is idle beyond the limits, after something of the class at `index` became idle.
    fn keep_within(&self, mut state: MutexGuard<'_, State>, index: usize) {
        let mut released = Released::default();
        if self.max_bucket != usize::MAX {
            state.shrink_bucket(index, self.max_bucket, &mut released);
        }
        drop(state);
        drop(released);
        if !self.budget.is_within(self.max_cached) {
            self.budget.enforce(self.max_cached);
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing under the lock leaves the state half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reclaimable for Cache {
    fn oldest(&self) -> Option<u64> {
        self.lock().oldest()
    }

    fn release_oldest(&self) {
        let mut released = Released::default();
        self.lock().take_oldest(&mut released);
        drop(released);
    }

    fn release_slabs(&self) {
        let mut released = Released::default();
        self.lock().take_slabs(&mut released);
        drop(released);
    }
}
