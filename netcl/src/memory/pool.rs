//! Freed device memory is kept for the next buffer of its size, because allocating on a device is slow.

use crate::device::backend::{AllocateError, Backend, Memory};
use crate::device::process;
use crate::device::{Device, Reserve};
use crate::error::{Error, Result};
use crate::memory::LARGE_COPY;
use crate::memory::classes::{self, Class};
use crate::memory::handle::BufferHandle;
use crate::memory::slab::{self, Slab};
use crate::memory::stats::{Bucket, PoolStats};
use std::collections::VecDeque;
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
/// Every tensor of a device comes from [`Device::buffer_pool`], whose limit is `NETCL_MAX_CACHED_GB`. A pool of one's
/// own gives a part of a program a limit of its own.
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
pub struct BufferPool(Arc<Shared>);

struct Shared {
    backend: Arc<dyn Backend>,
    max_cached: usize,
    /// Of what is idle in each bucket.
    max_bucket: usize,
    state: Mutex<State>,
}

struct State {
    /// By [`Class::index`].
    classes: Vec<Kept>,
    stats: PoolStats,
    /// Bytes of all driver buffers that small buffers share.
    shared: usize,
    /// Counts what is freed, so that the least recently used is known.
    clock: u64,
}

/// What is kept of one class.
#[derive(Default)]
struct Kept {
    /// The latest freed last: it is used next, being the likeliest to be in a cache.
    idle: VecDeque<Block>,
    /// The driver buffers that blocks of this class share.
    slabs: Vec<Arc<Slab>>,
}

impl Kept {
    /// Bytes that are idle, also of what is left of shared driver buffers.
    fn idle_bytes(&self) -> usize {
        let whole = self.idle.iter().filter(|block| block.slab.is_none()).map(|block| block.class.bytes);
        whole.sum::<usize>() + self.slabs.iter().map(|slab| slab.unused()).sum::<usize>()
    }
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
    /// A pool of its own for `device`, which keeps up to `max_cached` bytes of freed memory.
    pub fn new(device: &Device, max_cached: usize) -> BufferPool {
        BufferPool::of(device.shared_backend(), max_cached, usize::MAX)
    }

    /// As [`BufferPool::new`], with a limit of `max_bucket` bytes for what is idle in each bucket as well, so that buffers
    /// of one size do not push out those of all others.
    ///
    /// ```
    /// use netcl::{BufferPool, Device};
    ///
    /// let pool = BufferPool::with_bucket_limit(&Device::auto()?, 64 << 20, 2 << 20);
    /// let buffers: Vec<_> = (0..4).map(|_| pool.allocate(1 << 20)).collect::<Result<_, _>>()?;
    /// drop(buffers);
    /// assert_eq!(pool.stats().idle, 2 << 20);
    /// # Ok::<(), netcl::Error>(())
    /// ```
    pub fn with_bucket_limit(device: &Device, max_cached: usize, max_bucket: usize) -> BufferPool {
        BufferPool::of(device.shared_backend(), max_cached, max_bucket)
    }

    pub(crate) fn of(backend: Arc<dyn Backend>, max_cached: usize, max_bucket: usize) -> BufferPool {
        let classes = (0..classes::COUNT).map(|_| Kept::default()).collect();
        let state = Mutex::new(State { classes, stats: PoolStats::default(), shared: 0, clock: 0 });
        let shared = Arc::new(Shared { backend, max_cached, max_bucket, state });
        shared.backend.reserves().add_pool(Arc::<Shared>::downgrade(&shared));
        BufferPool(shared)
    }

    /// Memory of at least `bytes` bytes, with any content. It comes back to the pool when the last handle is dropped.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if the device has no memory left, also after everything that is idle in any pool of that
    /// device, and what functions and models hold without needing it, was given back to the driver; at once if it is more
    /// than the driver gives in one piece.
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
    pub fn stats(&self) -> PoolStats {
        process::lock(&self.0.state).map(|state| state.stats).unwrap_or_default()
    }

    /// The buckets that keep freed buffers, by size; in a forked child as [`BufferPool::stats`].
    pub fn buckets(&self) -> Vec<Bucket> {
        let mut buckets: Vec<Bucket> = Vec::new();
        let Some(state) = process::lock(&self.0.state) else { return buckets };
        for (index, kept) in state.classes.iter().enumerate().filter(|(_, kept)| !kept.idle.is_empty()) {
            let (size, buffers) = (classes::bucket(index), kept.idle.len());
            let bytes = kept.idle.iter().map(|block| block.class.bytes).sum();
            match buckets.last_mut() {
                Some(last) if last.size == size => {
                    last.buffers += buffers;
                    last.bytes += bytes;
                }
                _ => buckets.push(Bucket { size, buffers, bytes }),
            }
        }
        buckets
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
            let oldest = {
                let state = self.lock();
                let idle = &state.classes[class.index].idle;
                idle.front().map(|block| (block.idle_since, idle.len()))
            };
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
        block.idle_since = self.0.backend.enqueued();
        if uploaded && let Err(error) = self.0.backend.mark() {
            tracing::debug!(%error, "the next copy waits for more than it must");
        }
        let mut state = self.lock();
        state.clock += 1;
        block.stamp = state.clock;
        let (index, bytes) = (block.class.index, block.class.bytes);
        state.stats.in_use -= bytes;
        state.stats.idle += bytes;
        if let Some(slab) = &block.slab {
            slab.free_one();
        }
        state.classes[index].idle.push_back(block);
        let released = self.0.over_limit(&mut state, index);
        drop(state);
        drop(released);
    }

    fn take_idle(&self, class: Class, oldest: bool) -> Option<Block> {
        let mut state = self.lock();
        let idle = &mut state.classes[class.index].idle;
        let block = if oldest { idle.pop_front() } else { idle.pop_back() }?;
        state.stats.hits += 1;
        state.count_used(class.bytes);
        if let Some(slab) = &block.slab {
            slab.use_one();
        }
        Some(block)
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
        let mut state = self.lock();
        state.stats.misses += 1;
        state.stats.allocations += 1;
        // In and out again at once: what is counted as used was idle before.
        state.stats.idle += class.bytes;
        state.count_used(class.bytes);
        Ok(Block { id: next_id(), class, memory, idle_since: 0, stamp: 0, slab: None })
    }

    /// A part of a driver buffer that several share; `None` if there is no memory for another of those, or all of them
    /// would be more than may be idle: only whole ones can go back to the driver.
    fn cut(&self, class: Class) -> Result<Option<Block>, AllocateError> {
        let mut released = Vec::new();
        let (slab, offset) = loop {
            {
                let mut state = self.lock();
                let room = state.classes[class.index].slabs.iter().find_map(|slab| Some((slab.clone(), slab.cut()?)));
                if let Some((slab, offset)) = room {
                    slab.use_one();
                    state.stats.misses += 1;
                    state.count_used(class.bytes);
                    released.extend(self.0.over_limit(&mut state, class.index));
                    break (slab, offset);
                }
                let of_class = (state.classes[class.index].slabs.len() + 1) * slab::BYTES;
                if state.shared + slab::BYTES > self.0.max_cached || of_class > self.0.max_bucket {
                    return Ok(None);
                }
            }
            let memory = match self.ask_driver(slab::BYTES) {
                Ok(memory) => memory,
                Err(AllocateError::Other(error)) => return Err(AllocateError::Other(error)),
                Err(AllocateError::OutOfMemory | AllocateError::TooLarge) => return Ok(None),
            };
            let mut state = self.lock();
            state.stats.allocations += 1;
            state.stats.idle += slab::BYTES;
            state.shared += slab::BYTES;
            state.classes[class.index].slabs.push(Arc::new(Slab::new(memory, class.bytes)));
        };
        drop(released);
        match self.0.backend.part(slab.memory(), offset, class.bytes) {
            Ok(memory) => Ok(Some(Block { id: next_id(), class, memory, idle_since: 0, stamp: 0, slab: Some(slab) })),
            Err(error) => {
                // The piece is lost until all of the shared buffer is unused.
                let mut state = self.lock();
                slab.free_one();
                state.stats.in_use -= class.bytes;
                state.stats.idle += class.bytes;
                Err(AllocateError::Other(error))
            }
        }
    }

    /// New memory; if there is none, once more after idle memory was given back: its own first, then that of all pools
    /// of the same physical device. Where it is too large for the driver, nothing that is freed helps.
    fn ask_driver(&self, bytes: usize) -> Result<Memory, AllocateError> {
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
}

impl Shared {
    fn release_idle(&self) -> usize {
        if process::is_forked() {
            return 0;
        }
        let mut released = Vec::new();
        let bytes = {
            let mut state = self.lock();
            let before = state.stats.idle;
            for index in 0..state.classes.len() {
                let kept = &mut state.classes[index];
                let (part, whole): (VecDeque<Block>, _) = kept.idle.drain(..).partition(|block| block.slab.is_some());
                kept.idle = part;
                state.stats.idle -= whole.iter().map(|block| block.class.bytes).sum::<usize>();
                released.extend(whole);
                state.release_slabs(index, &mut released);
            }
            before - state.stats.idle
        };
        // Commands in flight may still use it, and some drivers free only when they are done.
        if bytes > 0 {
            self.backend.drain();
        }
        drop(released);
        bytes
    }

    /// Takes out what is idle beyond the limits, after something of the class at `index` became idle.
    fn over_limit(&self, state: &mut State, index: usize) -> Vec<Block> {
        let mut released = Vec::new();
        if self.max_bucket != usize::MAX {
            state.shrink_bucket(index, self.max_bucket, &mut released);
        }
        if state.stats.idle > self.max_cached {
            state.shrink(self.max_cached, &mut released);
        }
        released
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing under the lock leaves the state half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn count_used(&mut self, bytes: usize) {
        self.stats.idle -= bytes;
        self.stats.in_use += bytes;
        self.stats.peak = self.stats.peak.max(self.stats.in_use);
    }

    /// Takes out the least recently used until no more than `limit` bytes are idle. Shared driver buffers go last, and
    /// only whole: they are small.
    #[cold]
    fn shrink(&mut self, limit: usize, released: &mut Vec<Block>) {
        while self.stats.idle > limit {
            let whole = self.classes.iter_mut().filter_map(|kept| {
                let oldest = kept.idle.front().filter(|block| block.slab.is_none())?;
                Some((oldest.stamp, kept))
            });
            let Some((_, kept)) = whole.min_by_key(|(stamp, _)| *stamp) else {
                break;
            };
            if let Some(block) = kept.idle.pop_front() {
                self.stats.idle -= block.class.bytes;
                released.push(block);
            }
        }
        for index in 0..self.classes.len() {
            if self.stats.idle <= limit {
                break;
            }
            self.release_slabs(index, released);
        }
    }

    /// Takes out the least recently used of a class's bucket until no more than `limit` bytes of it are idle.
    #[cold]
    fn shrink_bucket(&mut self, index: usize, limit: usize, released: &mut Vec<Block>) {
        let bucket = classes::of_bucket(index);
        loop {
            let idle: usize = self.classes[bucket.clone()].iter().map(Kept::idle_bytes).sum();
            if idle <= limit {
                return;
            }
            let whole = self.classes[bucket.clone()].iter_mut().filter_map(|kept| {
                let oldest = kept.idle.front().filter(|block| block.slab.is_none())?;
                Some((oldest.stamp, kept))
            });
            let Some(block) = whole.min_by_key(|(stamp, _)| *stamp).and_then(|(_, kept)| kept.idle.pop_front()) else {
                bucket.for_each(|index| self.release_slabs(index, released));
                return;
            };
            self.stats.idle -= block.class.bytes;
            released.push(block);
        }
    }

    /// Takes out the shared driver buffers of a class that are not used at all.
    fn release_slabs(&mut self, index: usize, released: &mut Vec<Block>) {
        let kept = &mut self.classes[index];
        if !kept.slabs.iter().any(|slab| slab.is_unused()) {
            return;
        }
        let unused = |block: &Block| block.slab.as_ref().is_some_and(|slab| slab.is_unused());
        let (gone, stays): (VecDeque<Block>, _) = kept.idle.drain(..).partition(unused);
        kept.idle = stays;
        released.extend(gone);
        let before = kept.slabs.len();
        kept.slabs.retain(|slab| !slab.is_unused());
        let bytes = (before - kept.slabs.len()) * slab::BYTES;
        self.stats.idle -= bytes;
        self.shared -= bytes;
    }
}

impl fmt::Debug for BufferPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BufferPool of {}: {}", self.0.backend.profile().name, self.stats())
    }
}

#[cfg(test)]
mod tests;
