//! Configurations that are asked for: for experiments and tests.

use netcl_kernels::variant::{Family, KernelConfig};
use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

/// Distinct for every state that answers can depend on: the same number means the same answers.
pub(super) fn new_generation() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// What one guard asks for.
struct ForcedConfig {
    number: u64,
    device: u32,
    config: KernelConfig,
}

thread_local! {
    /// What is asked for on this thread, the latest last, and the generation of that.
    static FORCED: RefCell<(u64, Vec<ForcedConfig>)> = const { RefCell::new((0, Vec::new())) };
}

/// Keeps a configuration in force on this thread until it is dropped; see [`super::KernelSelector::force`].
#[must_use = "the configuration is in force only while this is alive: `let _forced = selector.force(..);`"]
#[derive(Debug)]
pub struct Forced {
    number: u64,
    /// It belongs to its thread.
    _thread: PhantomData<*const ()>,
}

impl Forced {
    pub(super) fn new(device: u32, config: KernelConfig) -> Forced {
        let number = new_generation();
        // At the end of a thread the list may be gone already; what is asked for then is not in force.
        let _ = FORCED.try_with(|forced| {
            let (generation, list) = &mut *forced.borrow_mut();
            *generation = number;
            list.push(ForcedConfig { number, device, config });
        });
        Forced { number, _thread: PhantomData }
    }
}

impl Drop for Forced {
    fn drop(&mut self) {
        let _ = FORCED.try_with(|forced| {
            let (generation, list) = &mut *forced.borrow_mut();
            list.retain(|entry| entry.number != self.number);
            // Without any, the device's own generation counts again.
            *generation = if list.is_empty() { 0 } else { new_generation() };
        });
    }
}

/// What is in force on this thread for that device and family; of several the latest.
pub(super) fn forced(device: u32, family: Family) -> Option<KernelConfig> {
    let latest = FORCED.try_with(|forced| {
        let fits = |entry: &&ForcedConfig| entry.device == device && entry.config.variant.family() == family;
        forced.borrow().1.iter().rev().find(fits).map(|entry| entry.config.clone())
    });
    latest.ok().flatten()
}

/// The generation of what is in force on this thread; 0 if nothing is.
pub(super) fn generation() -> u64 {
    FORCED.try_with(|forced| forced.borrow().0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::testing::config;

    #[test]
    fn the_latest_of_a_family_counts_until_it_is_dropped() {
        let (naive, tiled) = (config("matmul_naive"), config("matmul_tiled TILE=16"));
        assert_eq!((generation(), forced(1, Family::Product)), (0, None));
        let outer = Forced::new(1, naive.clone());
        let with_outer = generation();
        let inner = Forced::new(1, tiled.clone());
        assert_eq!(forced(1, Family::Product), Some(tiled));
        assert_eq!(forced(2, Family::Product), None, "another device");
        assert_eq!(forced(1, Family::Conv2d), None, "another family");
        drop(inner);
        assert_eq!(forced(1, Family::Product), Some(naive));
        assert!(generation() != 0 && generation() != with_outer, "what was bound meanwhile is not taken for this");
        drop(outer);
        assert_eq!((generation(), forced(1, Family::Product)), (0, None));
    }
}
