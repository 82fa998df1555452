//! A driver buffer that small buffers of one class share: drivers round each allocation up to pages or more, and have
//! far fewer objects to keep this way.

use netcl_hal::device::memory::Memory;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Buffers of this class and smaller ones share driver buffers.
pub(super) const SHARED: usize = 32 << 10;
/// A shared driver buffer has this many bytes.
pub(super) const BYTES: usize = 256 << 10;

/// A shared driver buffer. Its counts change under the pool's lock only, and so by loads and stores, which cost less than
/// additions that others may race with.
pub(super) struct Slab {
    memory: Arc<dyn Memory>,
    /// Bytes of one block.
    block: usize,
    /// How many blocks were cut off it; the rest was never used.
    cut: AtomicUsize,
    /// How many blocks are in use.
    used: AtomicUsize,
}

impl Slab {
    pub(super) fn new(memory: Arc<dyn Memory>, block: usize) -> Slab {
        Slab { memory, block, cut: AtomicUsize::new(0), used: AtomicUsize::new(0) }
    }

    pub(super) fn memory(&self) -> &dyn Memory {
        &*self.memory
    }

    /// Where the next block starts, if there is room.
    pub(super) fn cut(&self) -> Option<usize> {
        let cut = self.cut.load(Ordering::Relaxed);
        let offset = (cut < BYTES / self.block).then_some(cut * self.block)?;
        self.cut.store(cut + 1, Ordering::Relaxed);
        Some(offset)
    }

    pub(super) fn use_one(&self) {
        self.used.store(self.used() + 1, Ordering::Relaxed);
    }

    pub(super) fn free_one(&self) {
        self.used.store(self.used() - 1, Ordering::Relaxed);
    }

    fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Bytes that no block in use has.
    pub(super) fn unused(&self) -> usize {
        BYTES - self.used() * self.block
    }

    pub(super) fn is_unused(&self) -> bool {
        self.used() == 0
    }
}
