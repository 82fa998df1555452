//! What holds memory of a device without needing it, and gives it up where there is none left.

use crate::device::slots::Slots;
use crate::memory::PoolStats;
use crate::process;
use std::any::Any;
use std::sync::{Mutex, PoisonError, Weak};

/// Something that keeps memory so as not to allocate it again: arenas of functions, gradients of the last step.
pub trait Reserve: Send + Sync {
    /// Gives up what is not in use; says whether that was anything.
    fn release(&self) -> bool;

    /// Of a pool of device memory, what it holds.
    fn stats(&self) -> PoolStats {
        PoolStats::default()
    }
}

/// Of one physical device, however many handles, queues, parts and pools it has: its memory is one.
#[derive(Default)]
pub struct Reserves {
    /// Pools, which keep what is idle.
    pools: Mutex<Vec<Weak<dyn Reserve>>>,
    /// What holds buffers of those pools that it could do without: arenas of functions, gradients of the last step.
    holders: Mutex<Vec<Weak<dyn Reserve>>>,
    /// What pools keep for the device.
    slots: Slots,
}

impl Reserves {
    /// What pools keep for the device, by type; what `make` gives where there is nothing yet.
    pub fn slot<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> &T {
        self.slots.get(make)
    }

    /// Has `pool` be asked to give up what is idle.
    pub fn add_pool(&self, pool: Weak<dyn Reserve>) {
        add(&self.pools, pool);
    }

    /// Has `holder` be asked to give buffers up, when what is idle is not enough.
    pub fn add_holder(&self, holder: Weak<dyn Reserve>) {
        add(&self.holders, holder);
    }

    /// What the pools of all handles of the device hold together. Each one's peak is of its own time.
    pub fn stats(&self) -> PoolStats {
        let pools = process::lock(&self.pools).map(|pools| pools.clone()).unwrap_or_default();
        pools.iter().filter_map(Weak::upgrade).fold(PoolStats::default(), |sum, pool| sum.and(&pool.stats()))
    }

    /// Gives up what is idle in every pool; says whether that was anything.
    pub fn release_pools(&self) -> bool {
        release(&self.pools) > 0
    }

    /// Has every holder give up what it can; says whether that was anything.
    pub fn release_holders(&self) -> bool {
        let released = release(&self.holders);
        tracing::debug!(released, "out of device memory: reserves are given up");
        released > 0
    }
}

fn add(list: &Mutex<Vec<Weak<dyn Reserve>>>, reserve: Weak<dyn Reserve>) {
    // In a forked child nothing is given up: a pool that is made there allocates nothing.
    let Some(mut list) = process::lock(list) else { return };
    // Seldom, and not at each: the list is long where there are many functions.
    if list.len().is_power_of_two() {
        list.retain(|reserve| reserve.strong_count() > 0);
    }
    list.push(reserve);
}

/// How many gave something up.
fn release(list: &Mutex<Vec<Weak<dyn Reserve>>>) -> usize {
    // Without the lock: what is given up may be the last to hold something that has reserves of its own.
    let list = list.lock().unwrap_or_else(PoisonError::into_inner).clone();
    list.iter().filter_map(Weak::upgrade).filter(|reserve| reserve.release()).count()
}
