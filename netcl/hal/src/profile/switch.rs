//! Whether anything is recorded, and the time.

use crate::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Whether anything is recorded.
pub(super) static ON: AtomicBool = AtomicBool::new(false);

/// Whether anything is recorded: between [`start`](super::start) and [`stop`](super::stop), and all the time with `NETCL_TRACE`.
#[inline]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// When something begins that is to be recorded; `None` while nothing is.
#[inline]
pub(crate) fn mark() -> Option<u64> {
    // A forked child must not wait for locks that the parent's threads held.
    if is_on() && !process::is_forked() { Some(now()) } else { None }
}

/// Nanoseconds since the first call.
pub(super) fn now() -> u64 {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed().as_nanos() as u64
}
