//! What is known about memory below the pools of programs: page-locked memory, size classes, who gives memory up.

pub mod classes;
mod pinned;
mod reserves;
mod stats;

pub use pinned::{PinnedBuffer, PinnedBufferPool};
pub use reserves::{Reserve, Reserves};
pub use stats::{Bucket, PoolStats};

/// Every tensor, parameter and scratch buffer starts at a multiple of this many bytes: the largest base address
/// alignment that OpenCL devices ask of sub-buffers, and enough for any vector load.
pub const ALIGNMENT: usize = 512;

/// From this size on, a copy is worth a queue of its own and page-locked memory; ordering two queues costs some
/// microseconds.
pub const LARGE_COPY: usize = 256 << 10;
