//! Values that are still to be computed from what is in memory: before it changes, they are.

use smallvec::SmallVec;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// A value that is computed when it is needed.
pub(crate) trait Reader: Send + Sync {
    /// Computes it now, unless that was done. What goes wrong becomes its value.
    fn compute(self: Arc<Self>);

    /// Whether it is still to be computed.
    fn is_waiting(&self) -> bool;
}

/// Some of them, as far as they are still there.
#[derive(Default)]
pub(crate) struct ReaderList(SmallVec<[Weak<dyn Reader>; 2]>);

impl ReaderList {
    /// Before the list grows, those that wait no more go.
    pub(crate) fn add(&mut self, reader: Weak<dyn Reader>) {
        if self.0.len() == self.0.capacity() {
            self.0.retain(|reader| reader.upgrade().is_some_and(|reader| reader.is_waiting()));
        }
        self.0.push(reader);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those that still wait.
    fn waiting(self) -> impl Iterator<Item = Arc<dyn Reader>> {
        self.0.into_iter().filter_map(|reader| reader.upgrade()).filter(|reader| reader.is_waiting())
    }
}

/// Those that read one buffer or a part of it.
#[derive(Default)]
pub(super) struct Readers {
    waiting: Mutex<ReaderList>,
    /// Whether there may be any.
    is_any: AtomicBool,
    /// Whether something writes to the memory that does not say so.
    is_shown: AtomicBool,
}

impl Readers {
    fn lock(&self) -> MutexGuard<'_, ReaderList> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes one more.
    pub(super) fn add(&self, reader: Weak<dyn Reader>) {
        self.lock().add(reader);
        self.is_any.store(true, Ordering::Release);
    }

    /// Notes those that were noted of a value whose memory this has become.
    pub(super) fn extend(&self, readers: ReaderList) {
        for reader in readers.waiting() {
            self.add(Arc::downgrade(&reader));
        }
    }

    /// Has all of them computed; without any it costs one load.
    #[inline]
    pub(super) fn settle(&self) {
        if self.is_any.load(Ordering::Acquire) {
            self.compute();
        }
    }

    /// Notes that something writes to the memory that does not say so.
    pub(super) fn show(&self) {
        self.is_shown.store(true, Ordering::Release);
        self.settle();
    }

    pub(super) fn is_shown(&self) -> bool {
        self.is_shown.load(Ordering::Acquire)
    }

    #[cold]
    fn compute(&self) {
        // Under the lock, so that no other writer goes on without them. Computing them writes to new memory alone.
        let mut waiting = self.lock();
        std::mem::take(&mut *waiting).waiting().for_each(Reader::compute);
        self.is_any.store(false, Ordering::Release);
    }
}
