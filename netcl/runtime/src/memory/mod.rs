//! Device memory: pools, and handles that give themselves back.

mod classes;
mod handle;
pub(crate) mod pinned;
mod pool;
mod reserves;
mod slab;
mod stats;

pub use handle::BufferHandle;
pub use pinned::{PinnedBuffer, PinnedBufferPool};
pub use pool::BufferPool;
pub(crate) use reserves::{Reserve, Reserves};
pub use stats::{Bucket, PoolStats};

/// Every tensor, parameter and scratch buffer starts at a multiple of this many bytes: the largest base address
/// alignment that OpenCL devices ask of sub-buffers, and enough for any vector load.
pub(crate) const ALIGNMENT: usize = 512;

/// From this size on, a copy is worth a queue of its own and page-locked memory; ordering two queues costs some
/// microseconds.
pub(crate) const LARGE_COPY: usize = 256 << 10;
