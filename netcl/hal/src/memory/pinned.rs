//! Host memory that devices copy from and to at full speed, because the system cannot move it (page-locked memory).

use crate::device::memory::{AllocateError, HostMemory, Memory};
use crate::error::{Error, Result};
use crate::memory::PoolStats;
use crate::memory::Reserve;
use crate::memory::classes::{self, Class};
use crate::process;
use std::collections::VecDeque;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// How a device gets such memory.
type Allocate = dyn Fn(usize) -> Result<Box<dyn HostMemory>, AllocateError> + Send + Sync;

/// At most this much is kept for reuse.
const MAX_CACHED: usize = 256 << 20;

/// Page-locked host memory of one device, kept for reuse by size; at most 256 MiB are kept. Cheap to clone; clones are the same
/// pool.
#[derive(Clone)]
pub struct PinnedBufferPool(Arc<PinnedAllocator>);

struct PinnedAllocator {
    device: String,
    allocate: Box<Allocate>,
    state: Mutex<State>,
}

struct State {
    /// By [`Class::index`], the least recently used first.
    idle: Vec<VecDeque<IdleBuffer>>,
    stats: PoolStats,
    /// Counts what is freed, so that the least recently used is known.
    clock: u64,
}

/// Memory that is kept.
struct IdleBuffer {
    memory: Box<dyn HostMemory>,
    bytes: usize,
    stamp: u64,
}

impl PinnedBufferPool {
    /// Of a device, by how that gets such memory.
    pub fn of(
        device: &str,
        allocate: impl Fn(usize) -> Result<Box<dyn HostMemory>, AllocateError> + Send + Sync + 'static,
    ) -> PinnedBufferPool {
        let idle = (0..classes::COUNT).map(|_| VecDeque::new()).collect();
        let state = Mutex::new(State { idle, stats: PoolStats::default(), clock: 0 });
        PinnedBufferPool(Arc::new(PinnedAllocator { device: device.to_owned(), allocate: Box::new(allocate), state }))
    }

    /// A buffer of `bytes` bytes with any content (of buffers that had it before). It comes back to the pool when it is
    /// dropped.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if the system gives no more such memory, also after what is idle was given back.
    pub fn allocate(&self, bytes: usize) -> Result<PinnedBuffer> {
        process::check()?;
        let Some(class) = classes::of(bytes) else {
            return Err(self.out_of_memory(bytes));
        };
        let memory = match self.take_idle(class) {
            Some(memory) => memory,
            None => {
                let memory = self.ask_driver(class.bytes)?;
                self.lock().stats.count_miss(class.bytes);
                memory
            }
        };
        Ok(PinnedBuffer { memory: Some(memory), bytes, pool: self.clone(), class: Some(class) })
    }

    /// A buffer that no pool keeps.
    pub fn allocate_direct(&self, bytes: usize) -> Result<PinnedBuffer> {
        process::check()?;
        let memory = self.ask_driver(bytes.max(1))?;
        Ok(PinnedBuffer { memory: Some(memory), bytes, pool: self.clone(), class: None })
    }

    /// Gives idle memory back to the system; returns how many bytes that were.
    pub fn release_idle(&self) -> usize {
        self.0.release_idle()
    }

    /// Something that gives its idle memory back.
    pub fn reserve(&self) -> Weak<dyn Reserve> {
        Arc::<PinnedAllocator>::downgrade(&self.0)
    }

    /// What it holds and how well it serves; in a forked child, what it held at the fork, or nothing if a thread was using
    /// the pool then.
    pub fn stats(&self) -> PoolStats {
        process::lock(&self.0.state).map(|state| state.stats).unwrap_or_default()
    }

    fn take_idle(&self, class: Class) -> Option<Box<dyn HostMemory>> {
        let mut state = self.lock();
        let idle = state.idle[class.index].pop_back()?;
        state.stats.hits += 1;
        state.stats.idle -= class.bytes;
        state.stats.use_more(class.bytes);
        Some(idle.memory)
    }

    fn ask_driver(&self, bytes: usize) -> Result<Box<dyn HostMemory>> {
        match (self.0.allocate)(bytes) {
            Ok(memory) => return Ok(memory),
            Err(AllocateError::Other(error)) => return Err(error),
            Err(AllocateError::OutOfMemory) => self.release_idle(),
            Err(AllocateError::TooLarge) => return Err(self.out_of_memory(bytes)),
        };
        match (self.0.allocate)(bytes) {
            Ok(memory) => Ok(memory),
            Err(AllocateError::Other(error)) => Err(error),
            Err(AllocateError::OutOfMemory | AllocateError::TooLarge) => Err(self.out_of_memory(bytes)),
        }
    }

    fn put(&self, class: Class, memory: Box<dyn HostMemory>) {
        if class.bytes > MAX_CACHED {
            // Kept, it would push out everything else first, and then go all the same.
            self.lose(class);
            return;
        }
        let mut released = Vec::new();
        let mut state = self.lock();
        state.stats.in_use -= class.bytes;
        state.stats.idle += class.bytes;
        state.clock += 1;
        let stamp = state.clock;
        state.idle[class.index].push_back(IdleBuffer { memory, bytes: class.bytes, stamp });
        while state.stats.idle > MAX_CACHED
            && let Some(oldest) = state.take_oldest()
        {
            released.push(oldest);
        }
        drop(state);
        drop(released);
    }

    /// Memory that was in use and is not kept.
    fn lose(&self, class: Class) {
        self.lock().stats.in_use -= class.bytes;
    }

    fn out_of_memory(&self, requested: usize) -> Error {
        let device = format!("{} (page-locked host memory)", self.0.device);
        Error::OutOfMemory { device, requested, pool: Box::new(self.stats()) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock()
    }

    /// Nobody else uses it while the result lives.
    #[cfg(test)]
    fn hold(&self) -> impl Sized + '_ {
        self.lock()
    }
}

impl Reserve for PinnedAllocator {
    fn release(&self) -> bool {
        self.release_idle() > 0
    }
}

impl PinnedAllocator {
    fn release_idle(&self) -> usize {
        if process::is_forked() {
            return 0;
        }
        let (idle, bytes) = {
            let mut state = self.lock();
            let idle: Vec<IdleBuffer> = state.idle.iter_mut().flat_map(|idle| idle.drain(..)).collect();
            (idle, std::mem::take(&mut state.stats.idle))
        };
        drop(idle);
        bytes
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing under the lock leaves the state half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    #[cold]
    fn take_oldest(&mut self) -> Option<IdleBuffer> {
        let idle = self.idle.iter_mut().filter_map(|idle| Some((idle.front()?.stamp, idle)));
        let oldest = idle.min_by_key(|(stamp, _)| *stamp)?.1.pop_front()?;
        self.stats.idle -= oldest.bytes;
        Some(oldest)
    }
}

impl fmt::Debug for PinnedBufferPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedBufferPool of {}: {}", self.0.device, self.stats())
    }
}

/// Page-locked host memory: bytes to write into and read from. On the host and null devices it is ordinary memory.
pub struct PinnedBuffer {
    /// Only taken out while dropping.
    memory: Option<Box<dyn HostMemory>>,
    bytes: usize,
    pool: PinnedBufferPool,
    /// `None` if the pool does not want it back.
    class: Option<Class>,
}

impl PinnedBuffer {
    /// Whether it is of the pool's device.
    pub fn belongs_to(&self, pool: &PinnedBufferPool) -> bool {
        Arc::ptr_eq(&self.pool.0, &pool.0)
    }

    /// Makes it memory of its device, where that needs no copy; gives it back where it does. After an error it is gone.
    pub fn into_memory(mut self) -> Result<Result<Arc<dyn Memory>, PinnedBuffer>> {
        let Some(memory) = self.memory.take() else { return Ok(Err(self)) };
        let made = match memory.into_memory() {
            Ok(Err(memory)) => {
                self.memory = Some(memory);
                return Ok(Err(self));
            }
            Ok(Ok(memory)) => Ok(Ok(memory)),
            Err(error) => Err(error),
        };
        if let Some(class) = self.class.take() {
            self.pool.lose(class);
        }
        made
    }
}

impl Deref for PinnedBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.memory.as_ref().map_or(&[], |memory| &memory.bytes()[..self.bytes])
    }
}

impl DerefMut for PinnedBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.memory.as_mut().map_or(&mut [], |memory| &mut memory.bytes_mut()[..self.bytes])
    }
}

impl Drop for PinnedBuffer {
    fn drop(&mut self) {
        if process::is_forked() {
            std::mem::forget(self.memory.take());
        } else if let (Some(class), Some(memory)) = (self.class, self.memory.take()) {
            self.pool.put(class, memory);
        }
    }
}

impl fmt::Debug for PinnedBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedBuffer({} bytes)", self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::plain::Elements;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn what_comes_back_is_used_again_up_to_a_limit() {
        let pool = PinnedBufferPool::of("test", |bytes| Ok(Box::new(Elements(vec![0u8; bytes]))));
        let mut first = pool.allocate(3000).unwrap();
        assert_eq!(first.len(), 3000);
        first.fill(1);
        drop(first);
        let second = pool.allocate(2500).unwrap();
        assert_eq!((second.len(), second[0]), (2500, 1), "the same memory");
        let third = pool.allocate(2500).unwrap();
        let stats = pool.stats();
        assert_eq!((stats.hits, stats.misses, stats.in_use, stats.idle), (1, 2, 8192, 0));
        drop((second, third));
        assert_eq!(pool.stats().idle, 8192);
        for bytes in [MAX_CACHED, 1] {
            drop(pool.allocate(bytes).unwrap());
        }
        assert_eq!(pool.stats().idle, 1024, "the largest was the least recently used");
        drop(pool.allocate(MAX_CACHED + 1).unwrap());
        assert_eq!(pool.stats().idle, 1024, "what is never kept pushes nothing out");
        assert_eq!(pool.release_idle(), 1024);
        assert_eq!(pool.stats().in_use, 0);
    }

    #[test]
    fn without_memory_idle_buffers_go_first() {
        let left = Arc::new(AtomicUsize::new(3));
        let budget = left.clone();
        let pool = PinnedBufferPool::of("test", move |bytes| {
            let take = |left: usize| left.checked_sub(1);
            match budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) {
                Ok(_) => Ok(Box::new(Elements(vec![0u8; bytes]))),
                Err(_) => Err(AllocateError::OutOfMemory),
            }
        });
        let held = pool.allocate(1000).unwrap();
        drop(pool.allocate(2000).unwrap());
        drop(pool.allocate(4000).unwrap());
        let error = pool.allocate(8000).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { requested: 8192, .. }), "{error}");
        assert_eq!((pool.stats().idle, pool.stats().in_use), (0, 1024));
        drop(held);
        assert!(pool.allocate(1000).is_ok(), "what came back is still there");
    }

    /// A thread of the parent's may have held the lock at the fork.
    #[test]
    #[cfg(unix)]
    fn a_forked_child_waits_for_no_lock_of_the_parents() {
        use netcl_fixtures::forks::{first_wrong, in_fork};
        process::watch();
        let pool = PinnedBufferPool::of("test", |bytes| Ok(Box::new(Elements(vec![0u8; bytes]))));
        let held = pool.hold();
        let status = in_fork("asking a pool", || {
            first_wrong(&[&|| pool.stats() == Default::default(), &|| format!("{pool:?}").contains("0 idle")])
        });
        drop(held);
        assert_eq!(status, 0, "the check that failed");
    }
}
