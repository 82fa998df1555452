//! Memory as a device's backend gives it, and which part of it somebody has.

use crate::error::{Error, Result};
use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Memory of a device. Only the backend that gave it knows what it is: it downcasts what it is given.
pub trait Memory: Any + Send + Sync + fmt::Debug {}

/// The memory as its backend made it; `None` if that was another kind of backend.
pub(crate) fn downcast<T: Memory>(memory: &dyn Memory) -> Option<&T> {
    (memory as &dyn Any).downcast_ref()
}

/// Why no memory was given.
#[derive(Debug)]
pub enum AllocateError {
    /// There is none left: freeing something may help.
    OutOfMemory,
    /// It is more than the device ever gives in one piece.
    TooLarge,
    /// Anything else.
    Other(Error),
}

/// Host memory that a device copies from and to, or computes in.
pub trait HostMemory: Send + Sync {
    /// Its bytes.
    fn bytes(&self) -> &[u8];

    /// Its bytes, to be written.
    fn bytes_mut(&mut self) -> &mut [u8];

    /// Makes it device memory, where that needs no copy; else gives it back. After an error it is neither: its bytes may be
    /// the device's already.
    fn into_memory(self: Box<Self>) -> Result<Result<Arc<dyn Memory>, Box<dyn HostMemory>>>;
}

/// Whoever has the memory that is mapped, kept until the mapping ends.
pub type Keeper = Box<dyn Any + Send + Sync>;

/// A piece of device memory, as backends are given it.
#[derive(Clone, Debug)]
pub struct Region {
    memory: Arc<dyn Memory>,
    id: u64,
    whole: u64,
    start: usize,
    bytes: usize,
}

impl Region {
    /// All `bytes` of what a backend allocated. `id` is never given twice in a process.
    pub fn whole(memory: Arc<dyn Memory>, id: u64, bytes: usize) -> Region {
        Region { memory, id, whole: id, start: 0, bytes }
    }

    /// A part of `whole` from `start` on, whose memory the backend has made of it.
    pub fn part(whole: &Region, memory: Arc<dyn Memory>, id: u64, start: usize, bytes: usize) -> Region {
        Region { memory, id, whole: whole.id, start, bytes }
    }

    /// Equal ids mean the same memory: no id is given twice in a process.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// How many bytes it has.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The memory that backends are given.
    pub fn memory(&self) -> &dyn Memory {
        &*self.memory
    }

    /// What the backend allocated that it is, or is a part of, and which bytes of it: regions that share some share memory.
    pub fn range(&self) -> (u64, Range<usize>) {
        (self.whole, self.start..self.start + self.bytes)
    }
}
