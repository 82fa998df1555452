//! Device memory: pools, and handles that give themselves back.

mod handle;
mod pinned;
mod pool;
mod readers;
mod slab;
mod writers;

pub use handle::BufferHandle;
pub(crate) use netcl_hal::memory::{ALIGNMENT, LARGE_COPY, Reserve};
pub use netcl_hal::memory::{Bucket, PoolStats};
pub(crate) use pinned::not_elements;
pub use pinned::{PinnedBuffer, PinnedBufferPool};
pub use pool::BufferPool;
pub(crate) use readers::{Reader, ReaderList};
pub(crate) use writers::{UsedBytes, Writer, before_late_writes};
