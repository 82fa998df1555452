//! Pieces of driver memory on their way between pool and handle.

use crate::memory::slab::Slab;
use netcl_hal::device::memory::Memory;
use netcl_hal::memory::classes::Class;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A piece of driver memory.
pub(in crate::memory) struct MemoryBlock {
    pub(in crate::memory) id: u64,
    pub(in crate::memory) class: Class,
    pub(in crate::memory) memory: Arc<dyn Memory>,
    /// What had been enqueued when it was freed; see [`netcl_hal::device::backend::Backend::enqueued`]. 0: the device never used it.
    pub(in crate::memory) idle_since: u64,
    pub(super) stamp: u64,
    pub(super) slab: Option<Arc<Slab>>,
}

/// Never used twice in a process, so that equal ids mean the same memory.
pub(in crate::memory) fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
