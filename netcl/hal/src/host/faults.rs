//! Where native code notes what went wrong.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The first access outside of a buffer, from any thread.
#[derive(Debug, Default)]
pub struct Faults {
    any: AtomicBool,
    param: AtomicU64,
    index: AtomicU64,
}

impl Faults {
    /// Notes that buffer `param` was accessed at `index`.
    #[cold]
    #[inline(never)]
    pub(super) fn outside(&self, param: u32, index: i64) {
        if !self.any.load(Ordering::Relaxed) {
            self.param.store(u64::from(param), Ordering::Relaxed);
            self.index.store(index as u64, Ordering::Relaxed);
            self.any.store(true, Ordering::Release);
        }
    }

    /// The number of the buffer and the index of that access.
    pub(super) fn first(&self) -> Option<(usize, i64)> {
        let noted = self.any.load(Ordering::Acquire);
        noted.then(|| (self.param.load(Ordering::Relaxed) as usize, self.index.load(Ordering::Relaxed) as i64))
    }
}
