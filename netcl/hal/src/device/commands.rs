//! Sequences of commands that a driver keeps and repeats.

use crate::device::memory::Region;
use crate::error::Result;
use std::any::Any;

/// A sequence of commands in the order in which they are added. The memory of its commands is kept by its owner. Launches are
/// added by what was bound on the same device ([`crate::device::backend::Bound::encode`]), which knows what it is.
pub trait CommandBuffer: Any + Send {
    /// Adds a copy of the first `bytes`.
    fn copy(&mut self, from: &Region, to: &Region, bytes: usize) -> Result<()>;

    /// Adds zeros over all of a region.
    fn zero(&mut self, region: &Region) -> Result<()>;

    /// Nothing is added any more.
    fn finalize(&mut self) -> Result<()>;

    /// Enqueues all commands; does not wait for the device.
    fn enqueue(&self) -> Result<()>;
}
