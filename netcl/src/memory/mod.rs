//! Device memory: a pool per device, and regions that give themselves back.

mod pool;
mod region;

pub(crate) use pool::Pool;
pub use pool::PoolStats;
pub(crate) use region::Region;

/// Every tensor, parameter and scratch buffer starts at a multiple of this many bytes: the largest base address
/// alignment that OpenCL devices ask of sub-buffers, and enough for any vector load.
pub(crate) const ALIGNMENT: usize = 512;
