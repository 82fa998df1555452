//! Pools of memory that a program makes beside a device's own.

use crate::device::Device;
use crate::memory::BufferPool;

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
}
