//! Where a device's programs came from.

use std::sync::atomic::{AtomicU64, Ordering};

/// How many programs a device got, and from where, since it was opened. A plan whose text the process has used before
/// on the device changes no number: programs are kept until the process ends.
///
/// The host and the null device build nothing; theirs are always 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramStats {
    /// Built by the driver from source.
    pub built: u64,
    /// Taken from the disk cache.
    pub loaded: u64,
    /// Found in the disk cache and refused by the driver; built from source then.
    pub refused: u64,
}

/// The numbers while they are counted.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) built: AtomicU64,
    pub(crate) loaded: AtomicU64,
    pub(crate) refused: AtomicU64,
}

impl Counters {
    pub(crate) fn stats(&self) -> ProgramStats {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        ProgramStats { built: of(&self.built), loaded: of(&self.loaded), refused: of(&self.refused) }
    }
}

/// One more.
pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}
