//! Freed device memory is kept for the next buffer of its size, because allocating on a device is slow.

mod budget;
mod state;

pub(crate) use budget::Budget;

use crate::device::backend::{AllocateError, Backend, Memory};
use crate::device::process;
use crate::error::{Error, Result};
use crate::memory::classes::{self, Class};
use crate::memory::handle::BufferHandle;
use crate::memory::slab::{self, Slab};
use crate::memory::stats::{Bucket, PoolStats};
use crate::memory::{LARGE_COPY, Reserve};
use state::{Released, State};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Memory of one device, kept for reuse by size: buckets of powers of two from 1 KiB on, those above 1 MiB with eight
/// sizes each. Cheap to clone; clones are the same pool, and any thread may use it.
///
/// At most [`BufferPool::max_cached`] bytes are kept idle: what is freed beyond that sends the least recently used
/// buffers back to the driver. Buffers of up to 32 KiB are parts of driver buffers that they share, as long as these are
/// within the limit together; so it holds whatever of them is in use.
///
/// Every tensor of a device comes from [`Device::buffer_pool`], whose limit is `NETCL_MAX_CACHED_GB`: one for all handles,
/// queues and parts of a physical device together. A pool of one's own gives a part of a program a limit of its own.
///
/// ```
/// use netcl::{BufferPool, DType, Device, Tensor};
///
/// let device = Device::auto()?;
/// let pool = BufferPool::new(&device, 64 << 20);
/// let buffer = pool.allocate(6 * 4)?;
/// buffer.write(bytes_of(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).as_slice())?;
/// let x = Tensor::from_buffer(&device, buffer, &[2, 3], DType::F32)?;
/// assert_eq!(x.to_vec::<f32>()?[5], 6.0);
/// drop(x);
/// drop(pool.allocate(24)?);
/// assert_eq!((pool.stats().hits, pool.stats().misses), (1, 1));
/// # fn bytes_of(values: &[f32]) -> Vec<u8> { values.iter().flat_map(|value| value.to_ne_bytes()).collect() }
/// # Ok::<(), netcl::Error>(())
/// ```
#[derive(Clone)]
#[doc(alias = "PersistentBufferPool")]
pub struct BufferPool(Arc<Shared>);

struct Shared {
    backend: Arc<dyn Backend>,
    max_cached: usize,
    /// Of what is idle in each bucket.
    max_bucket: usize,
    /// What counts towards `max_cached`.
    budget: Arc<Budget>,
    state: Mutex<State>,
}

/// So many buffers take turns where copying and computing overlap: one is computed with, one is copied to, one waits.
const IN_TURNS: usize = 3;

/// A piece of driver memory on its way between pool and handle.
pub(super) struct Block {
    pub(super) id: u64,
    pub(super) class: Class,
    pub(super) memory: Memory,
    /// What had been enqueued when it was freed; see [`Backend::enqueued`]. 0: the device never used it.
    pub(super) idle_since: u64,
    stamp: u64,
    slab: Option<Arc<Slab>>,
}

/// Never used twice in a process, so that equal ids mean the same memory.
pub(super) fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl BufferPool {
    /// The pool of a device's handle, which keeps up to `max_cached` bytes together with those of all other handles.
    pub(crate) fn of_device(backend: Arc<dyn Backend>, max_cached: usize) -> BufferPool {
        let budget = backend.reserves().budget().clone();
        BufferPool::within(budget, backend, max_cached, usize::MAX)
    }

    /// A pool with limits of its own.
    pub(crate) fn of(backend: Arc<dyn Backend>, max_cached: usize, max_bucket: usize) -> BufferPool {
        BufferPool::within(Arc::default(), backend, max_cached, max_bucket)
    }

    fn within(budget: Arc<Budget>, backend: Arc<dyn Backend>, max_cached: usize, max_bucket: usize) -> BufferPool {
        let state = Mutex::new(State::new(budget.clone()));
        let shared = Arc::new(Shared { backend, max_cached, max_bucket, budget, state });
        shared.budget.add_pool(&shared);
        shared.backend.reserves().add_pool(Arc::<Shared>::downgrade(&shared));
        BufferPool(shared)
    }

    /// Memory of at least `bytes` bytes, with any content. It comes back to the pool when the last handle is dropped.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if the device has no memory left, also after everything that is idle in any pool of that
    /// device, and what functions and models hold without needing it, was given back to the driver; at once if it is
    /// more than all memory of the device, or than the driver gives in one piece; [those of every
    /// device](crate::Error#errors-of-every-device).
    pub fn allocate(&self, bytes: usize) -> Result<BufferHandle> {
        process::check()?;
        let Some(class) = classes::of(bytes) else {
            return Err(self.out_of_memory(bytes));
        };
        self.with_reserves(class, || match self.take_idle(class, false) {
            Some(block) => Ok(block),
            None => self.miss(class),
        })
    }

    /// Gives idle memory back to the driver; returns how many bytes that were. What is left of driver buffers that are
    /// partly in use stays.
    pub fn release_idle(&self) -> usize {
        self.0.release_idle()
    }

    /// What it holds and how well it serves; in a forked child, what it held at the fork, or nothing if a thread was using
    /// the pool then.
    #[doc(alias = "get_stats")]
    pub fn stats(&self) -> PoolStats {
        Reserve::stats(&*self.0)
    }

    /// The buckets that keep freed buffers, by size; in a forked child as [`BufferPool::stats`].
    pub fn buckets(&self) -> Vec<Bucket> {
        process::lock(&self.0.state).map(|state| state.buckets()).unwrap_or_default()
    }

    /// How many bytes are kept idle at most.
    pub fn max_cached(&self) -> usize {
        self.0.max_cached
    }

    /// How many bytes are kept idle at most in each bucket ([`BufferPool::with_bucket_limit`]).
    pub fn max_bucket(&self) -> usize {
        self.0.max_bucket
    }

    pub(crate) fn backend(&self) -> &Arc<dyn Backend> {
        &self.0.backend
    }

    /// Memory that is to be written to beside the device's queue: of what is idle, what has been so longest, because the
    /// device may still use what was freed last. Where it uses all of it there may be some more, so that copying and
    /// computing take turns.
    pub(crate) fn allocate_for_upload(&self, bytes: usize) -> Result<BufferHandle> {
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
                Some((since, kept)) if kept >= IN_TURNS || self.0.backend.is_done(since) => self.take_idle(class, true),
                _ => None,
            };
            block.map_or_else(|| self.miss(class), Ok)
        })
    }

    /// What `obtain` gives; if there is no memory, once more after reserves were given up for it.
    fn with_reserves(&self, class: Class, obtain: impl Fn() -> Result<Block, AllocateError>) -> Result<BufferHandle> {
        let block = match obtain() {
            Err(AllocateError::OutOfMemory) if self.0.backend.reserves().release_holders() => obtain(),
            result => result,
        };
        match block {
            Ok(block) => Ok(BufferHandle::pooled(block, self.clone())),
            Err(AllocateError::Other(error)) => Err(error),
            Err(AllocateError::OutOfMemory | AllocateError::TooLarge) => Err(self.out_of_memory(class.bytes)),
        }
    }

    /// Takes memory back; called when the last handle is dropped. Of memory that was copied to beside the device's queue it
    /// is noted when the device is done with it: it may be for that again.
    pub(super) fn put(&self, mut block: Block, uploaded: bool) {
        if block.slab.is_none() && block.class.bytes > self.0.max_cached.min(self.0.max_bucket) {
            // Kept, it would push out everything else first, and then go all the same.
            self.lock().leave(block.class.bytes);
            return;
        }
        block.idle_since = self.0.backend.enqueued();
        if uploaded && let Err(error) = self.0.backend.mark() {
            tracing::debug!(%error, "the next copy waits for more than it must");
        }
        let index = block.class.index;
        let mut state = self.lock();
        state.put(block);
        self.0.keep_within(state, index);
    }

    /// Takes memory back that another queue may still use without the device's own waiting for it, so that nobody may have
    /// it next. A driver buffer goes to the driver, which frees it when no command uses it any more; a part of a shared one
    /// stays in use.
    #[cold]
    pub(super) fn abandon(&self, block: Block) {
        if block.slab.is_some() {
            std::mem::forget(block);
        } else {
            self.lock().leave(block.class.bytes);
        }
    }

    fn take_idle(&self, class: Class, oldest: bool) -> Option<Block> {
        self.lock().take(class, oldest)
    }

    #[cold]
    fn miss(&self, class: Class) -> Result<Block, AllocateError> {
        let alignment = self.0.backend.profile().buffer_alignment;
        if class.bytes <= slab::SHARED
            && class.bytes.is_multiple_of(alignment)
            && let Some(block) = self.cut(class)?
        {
            return Ok(block);
        }
        let memory = self.ask_driver(class.bytes)?;
        self.lock().count_miss(class.bytes);
        Ok(Block { id: next_id(), class, memory, idle_since: 0, stamp: 0, slab: None })
    }

    /// A part of a driver buffer that several share; `None` if there is no memory for another of those, or all of them
    /// would be more than may be idle: only whole ones can go back to the driver.
    fn cut(&self, class: Class) -> Result<Option<Block>, AllocateError> {
        let (slab, offset) = loop {
            let mut state = self.lock();
            if let Some(piece) = state.cut(class) {
                self.0.keep_within(state, class.index);
                break piece;
            }
            let of_class = state.shared_bytes(class) + slab::BYTES;
            drop(state);
            if of_class > self.0.max_bucket || !self.0.budget.take_slab(self.0.max_cached) {
                return Ok(None);
            }
            match self.ask_driver(slab::BYTES) {
                Ok(memory) => self.lock().add_slab(class, Slab::new(memory, class.bytes)),
                Err(error) => {
                    self.0.budget.drop_slabs(slab::BYTES);
                    return if let AllocateError::Other(_) = error { Err(error) } else { Ok(None) };
                }
            }
        };
        match self.0.backend.part(slab.memory(), offset, class.bytes) {
            Ok(memory) => Ok(Some(Block { id: next_id(), class, memory, idle_since: 0, stamp: 0, slab: Some(slab) })),
            Err(error) => {
                self.lock().uncut(&slab, class.bytes);
                Err(AllocateError::Other(error))
            }
        }
    }

    /// New memory; if there is none, once more after idle memory was given back: its own first, then that of all pools
    /// of the same physical device. Where it is too large for the driver, nothing that is freed helps.
    fn ask_driver(&self, bytes: usize) -> Result<Memory, AllocateError> {
        if self.is_beyond_device(bytes) {
            return Err(AllocateError::TooLarge);
        }
        let mut result = self.0.backend.allocate(bytes);
        if let Err(AllocateError::OutOfMemory) = result {
            let freed = self.release_idle();
            tracing::debug!(freed, wanted = bytes, "out of device memory: idle buffers freed, trying again");
            result = self.0.backend.allocate(bytes);
        }
        match result {
            Err(AllocateError::OutOfMemory) if self.0.backend.reserves().release_pools() => {
                self.0.backend.allocate(bytes)
            }
            result => result,
        }
    }

    /// Whether it is more than all memory of the device. Drivers that allocate late promise that, too, and fail at its first
    /// use. What they call the largest allocation says less: NVIDIA's name a quarter of the memory and give more.
    fn is_beyond_device(&self, bytes: usize) -> bool {
        let memory = self.0.backend.profile().memory;
        memory > 0 && bytes as u64 > memory
    }

    /// Runs a command that the driver may need memory for: where it allocates late, the first that uses a buffer. If there
    /// is none, once more after everything that is idle or not needed was given back. `bytes` are what it works on.
    pub(super) fn with_memory<T>(&self, bytes: usize, command: impl Fn() -> Result<T>) -> Result<T> {
        let wants_memory = |result: &Result<T>| result.as_ref().is_err_and(Error::may_want_memory);
        let mut result = command();
        if wants_memory(&result) {
            let reserves = self.0.backend.reserves();
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
            Err(Error::OutOfMemory { .. }) => Err(self.out_of_memory(bytes)),
            result => result,
        }
    }

    fn out_of_memory(&self, requested: usize) -> Error {
        let device = self.0.backend.profile().name.clone();
        Error::OutOfMemory { device, requested, pool: Box::new(self.stats()) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock()
    }

    /// Nobody else uses it while the result lives.
    #[cfg(test)]
    pub(crate) fn hold(&self) -> impl Sized + '_ {
        self.lock()
    }
}

impl Reserve for Shared {
    fn release(&self) -> bool {
        self.release_idle() > 0
    }

    fn stats(&self) -> PoolStats {
        process::lock(&self.state).map(|state| state.stats()).unwrap_or_default()
    }
}

impl Shared {
    fn release_idle(&self) -> usize {
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

    /// When the driver buffer was freed that has been idle longest.
    fn oldest(&self) -> Option<u64> {
        self.lock().oldest()
    }

    /// Gives that one back.
    fn release_oldest(&self) {
        let mut released = Released::default();
        self.lock().take_oldest(&mut released);
        drop(released);
    }

    /// Gives back the shared driver buffers that are not used at all.
    fn release_slabs(&self) {
        let mut released = Released::default();
        self.lock().take_slabs(&mut released);
        drop(released);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing under the lock leaves the state half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for BufferPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BufferPool of {}: {}", self.0.backend.profile().name, self.stats())
    }
}

#[cfg(test)]
mod tests;
