//! What is kept idle by pools that have one limit together: those of all handles of a device, or one of a program's own.

use crate::memory::slab;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A pool that gives up what it keeps idle, as far as its budget asks.
pub(super) trait Reclaimable: Send + Sync {
    /// When the driver buffer was freed that has been idle longest.
    fn oldest(&self) -> Option<u64>;

    /// Gives that one back.
    fn release_oldest(&self);

    /// Gives back the shared driver buffers that are not used at all.
    fn release_slabs(&self);
}

/// What pools keep idle together.
#[derive(Default)]
pub(super) struct Budget {
    /// Bytes that are idle.
    idle: AtomicUsize,
    /// Bytes of all driver buffers that small buffers share.
    shared: AtomicUsize,
    /// Counts what is freed, so that the least recently used is known.
    clock: AtomicU64,
    pools: Mutex<Vec<Weak<dyn Reclaimable>>>,
}

impl Budget {
    pub(super) fn add_pool(&self, pool: Weak<dyn Reclaimable>) {
        // In a forked child nothing is freed, and a thread of the parent's may have held the lock.
        let Some(mut pools) = netcl_hal::process::lock(&self.pools) else { return };
        pools.retain(|pool| pool.strong_count() > 0);
        pools.push(pool);
    }

    pub(super) fn gain(&self, bytes: usize) {
        self.idle.fetch_add(bytes, Ordering::AcqRel);
    }

    pub(super) fn lose(&self, bytes: usize) {
        self.idle.fetch_sub(bytes, Ordering::AcqRel);
    }

    /// The time of something that is freed now.
    pub(super) fn tick(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Counts another shared driver buffer, if all of them may be idle at once within `limit`: only whole ones can go back.
    pub(super) fn take_slab(&self, limit: usize) -> bool {
        let with_another = |bytes: usize| Some(bytes + slab::BYTES).filter(|&bytes| bytes <= limit);
        self.shared.fetch_update(Ordering::AcqRel, Ordering::Acquire, with_another).is_ok()
    }

    /// So many bytes of shared driver buffers are no more.
    pub(super) fn drop_slabs(&self, bytes: usize) {
        self.shared.fetch_sub(bytes, Ordering::AcqRel);
    }

    pub(super) fn is_within(&self, limit: usize) -> bool {
        self.idle.load(Ordering::Acquire) <= limit
    }

    /// Gives back what was used least recently, whichever pool has it, until no more than `limit` bytes are idle. Shared
    /// driver buffers go last, and only whole: they are small. Not to be called under a pool's lock.
    #[cold]
    pub(super) fn enforce(&self, limit: usize) {
        // Without the lock: a pool may be gone with the handle made here.
        let pools: Vec<Weak<dyn Reclaimable>> = self.pools.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let pools: Vec<Arc<dyn Reclaimable>> = pools.iter().filter_map(Weak::upgrade).collect();
        while !self.is_within(limit) {
            let oldest = pools.iter().filter_map(|pool| Some((pool.oldest()?, pool)));
            let Some((_, pool)) = oldest.min_by_key(|(stamp, _)| *stamp) else { break };
            pool.release_oldest();
        }
        for pool in pools {
            if self.is_within(limit) {
                break;
            }
            pool.release_slabs();
        }
    }
}
