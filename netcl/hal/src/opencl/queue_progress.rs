//! What is noted of how far a device's queue is.

use super::pending::Pending;
use std::collections::VecDeque;
#[cfg(test)]
use std::sync::PoisonError;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard};

/// What errors call the work of a queue.
pub(super) const COMPUTING: &str = "computing";

/// How far a device's queue is.
pub(super) struct QueueProgress {
    /// How many commands it was given; see [`crate::device::backend::Backend::enqueued`].
    pub(super) enqueued: AtomicU64,
    /// How many of them are known to be done.
    pub(super) finished: AtomicU64,
    /// Markers that were not seen to be over, in order, each with what had been enqueued before it.
    pub(super) markers: Mutex<VecDeque<(u64, Arc<Pending>)>>,
    /// Held while commands are enqueued between which no other may come, in a queue that is out of order.
    pub(super) turn: Mutex<()>,
    pub(super) pace: Pace,
}

/// The last marker behind which a program was held; see [`super::pace`].
#[derive(Default)]
pub(super) struct Pace {
    /// How many commands there were before it.
    pub(super) at: AtomicU64,
    pub(super) marker: Mutex<Option<Arc<Pending>>>,
}

impl Default for QueueProgress {
    fn default() -> QueueProgress {
        let (finished, markers, turn, pace) = Default::default();
        QueueProgress { enqueued: AtomicU64::new(1), finished, markers, turn, pace }
    }
}

/// Held from a command's barrier to the command.
#[must_use = "the command must be enqueued while this is held"]
pub(super) struct Turn<'a>(#[allow(dead_code, reason = "held for its `Drop`")] pub(super) Option<MutexGuard<'a, ()>>);

#[cfg(test)]
impl QueueProgress {
    /// How many markers are kept.
    pub(super) fn markers(&self) -> usize {
        self.markers.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
