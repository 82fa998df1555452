//! Values that memory is still to be given: before anything reads it, they are written.

use crate::error::Result;
use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{OnceLock, Weak};

/// What writes late to some memory.
pub(crate) trait Writer: Send + Sync {
    /// Writes what waits. Then these bytes of the memory are read, or all of them overwritten: an error if what was to lie there could not
    /// be written and is read, however often.
    fn write(&self, used: &UsedBytes) -> Result<()>;
}

/// Bytes of some memory, and what is done with them.
pub(crate) enum UsedBytes {
    /// They are read, or some of them are written.
    Read(Range<usize>),
    /// All of them are written.
    Overwritten(Range<usize>),
}

/// Who writes late to one buffer, parts of it included.
#[derive(Default)]
pub(super) struct LateWrites {
    writer: OnceLock<Weak<dyn Writer>>,
    /// Whether something waits.
    is_any: AtomicBool,
}

impl LateWrites {
    /// Notes who does; the first one stays.
    pub(super) fn by(&self, writer: Weak<dyn Writer>) {
        let _ = self.writer.set(writer);
    }

    pub(super) fn note(&self, is_any: bool) {
        self.is_any.store(is_any, Ordering::Release);
    }

    /// Has them done before that use; without any it costs one load.
    #[inline]
    pub(super) fn settle(&self, used: impl FnOnce() -> UsedBytes) -> Result<()> {
        if self.is_any.load(Ordering::Acquire) { self.write(&used()) } else { Ok(()) }
    }

    #[cold]
    fn write(&self, used: &UsedBytes) -> Result<()> {
        if is_before() {
            return Ok(());
        }
        self.writer.get().and_then(Weak::upgrade).map_or(Ok(()), |writer| writer.write(used))
    }
}

thread_local! {
    /// How many calls of `before_late_writes` this thread is in.
    static BEFORE: Cell<usize> = const { Cell::new(0) };
}

fn is_before() -> bool {
    BEFORE.try_with(Cell::get).is_ok_and(|depth| depth > 0)
}

/// Does what was called for before all that waits to be written: it reads memory as it is.
pub(crate) fn before_late_writes<R>(work: impl FnOnce() -> R) -> R {
    /// Ends it, also where the work panics.
    struct BeforeScope;
    impl Drop for BeforeScope {
        fn drop(&mut self) {
            let _ = BEFORE.try_with(|depth| depth.set(depth.get() - 1));
        }
    }
    let _scope = BEFORE.try_with(|depth| depth.set(depth.get() + 1)).is_ok().then_some(BeforeScope);
    work()
}
