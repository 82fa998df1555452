//! Freed device memory is kept for the next buffer of its size, because allocating on a device is slow.
//!
//! By hand, and not `gpu-allocator` or `offset-allocator`: those divide heaps, and OpenCL gives buffers.

pub(super) mod block;
mod budget;
pub(super) mod cache;
mod state;

use crate::error::Result;
use crate::memory::handle::BufferHandle;
use budget::Budget;
use cache::Cache;
use netcl_hal::device::backend::Backend;
use netcl_hal::device::memory::Memory;
use netcl_hal::memory::Reserve;
use netcl_hal::memory::{Bucket, PoolStats};
use std::fmt;
use std::sync::Arc;

/// Memory of one device, kept for reuse by size: buckets of powers of two from 1 KiB on, those above 1 MiB with eight
/// sizes each. Cheap to clone; clones are the same pool, and any thread may use it.
///
/// At most [`BufferPool::max_cached`] bytes are kept idle: what is freed beyond that sends the least recently used
/// buffers back to the driver. Buffers of up to 32 KiB are parts of driver buffers that they share, as long as these are
/// within the limit together; so it holds whatever of them is in use.
///
/// Every tensor of a device comes from [`crate::Device::buffer_pool`], whose limit is `NETCL_MAX_CACHED_GB`: one for all handles,
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
pub struct BufferPool(Arc<Cache>);

impl BufferPool {
    /// The pool of a device's handle, which keeps up to `max_cached` bytes together with those of all other handles.
    pub(crate) fn of_device(backend: Arc<dyn Backend>, max_cached: usize) -> BufferPool {
        let budget = backend.reserves().slot(Arc::<Budget>::default).clone();
        BufferPool(Cache::new(budget, backend, max_cached, usize::MAX))
    }

    /// A pool with limits of its own.
    pub(crate) fn of(backend: Arc<dyn Backend>, max_cached: usize, max_bucket: usize) -> BufferPool {
        BufferPool(Cache::new(Arc::default(), backend, max_cached, max_bucket))
    }

    /// Memory of at least `bytes` bytes, with any content. It comes back to the pool when the last handle is dropped.
    ///
    /// # Errors
    ///
    /// [`crate::Error::OutOfMemory`] if the device has no memory left, also after everything that is idle in any pool of that
    /// device, and what functions and models hold without needing it, was given back to the driver; at once if it is
    /// more than all memory of the device, or than the driver gives in one piece; [those of every
    /// device](crate::Error#errors-of-every-device).
    pub fn allocate(&self, bytes: usize) -> Result<BufferHandle> {
        Ok(BufferHandle::pooled(self.0.allocate(bytes)?, self.0.clone()))
    }

    /// As [`BufferPool::allocate`], of memory that is to be written to beside the device's queue.
    pub(crate) fn allocate_for_upload(&self, bytes: usize) -> Result<BufferHandle> {
        Ok(BufferHandle::pooled(self.0.allocate_for_upload(bytes)?, self.0.clone()))
    }

    /// A handle of memory of the pool's device that the pool does not want back.
    pub(crate) fn adopt(&self, memory: Arc<dyn Memory>, bytes: usize) -> BufferHandle {
        BufferHandle::loose(memory, bytes, self.0.clone())
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
        self.0.buckets()
    }

    /// How many bytes are kept idle at most.
    pub fn max_cached(&self) -> usize {
        self.0.max_cached
    }

    /// How many bytes are kept idle at most in each bucket ([`BufferPool::with_bucket_limit`]).
    pub fn max_bucket(&self) -> usize {
        self.0.max_bucket
    }

    /// Nobody else uses it while the result lives.
    #[cfg(test)]
    pub(crate) fn hold(&self) -> impl Sized + '_ {
        self.0.lock()
    }
}

impl fmt::Debug for BufferPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BufferPool of {}: {}", self.0.backend.profile().name, self.stats())
    }
}

#[cfg(test)]
mod tests;
