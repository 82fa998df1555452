//! What is recorded of launches and copies, with the device's own times, and of what programs name.
//!
//! What is kept is bounded, whoever forgets to end it.

mod chrome;
mod clock;
mod recorder;
mod span;
mod switch;
mod trouble;

pub use chrome::trace as chrome_trace;
pub use recorder::Recorded;
pub use span::{Span, SpanKind, Track};
pub use switch::is_on;

pub use recorder::install;
pub(crate) use recorder::{catch_up, enqueued};
pub use span::{Command, DeviceTracks, Lane};
pub(crate) use switch::mark;
pub use trouble::check;

use crate::error::Result;
use crate::process;
use std::sync::Arc;

/// Begins to record; forgets what was recorded before.
///
/// OpenCL queues note times only if they are made for it: those of devices that are opened from now on, and all if
/// `NETCL_PROFILE_EVENTS=1` or `NETCL_TRACE` is set. Commands of others are counted ([`Recorded::untimed`]).
///
/// # Errors
///
/// [`crate::Error::Config`] if an environment variable has a bad value; [`crate::Error::Io`] if the file of `NETCL_TRACE`
/// cannot be created; [`crate::Error::Forked`] in a forked child.
pub fn start() -> Result<()> {
    process::check()?;
    recorder::install(crate::config::get()?);
    check()?;
    recorder::start();
    Ok(())
}

/// Waits for what devices were given, and gives what was recorded since [`start`]. Nothing more is recorded, other than
/// for `NETCL_TRACE`.
///
/// # Errors
///
/// [`crate::Error::Forked`] in a forked child.
pub fn stop() -> Result<Recorded> {
    process::check()?;
    Ok(recorder::stop())
}

/// A span of the calling thread that lasts until the guard is dropped, such as an epoch, or loading a batch.
pub fn span(name: &str) -> SpanGuard {
    guard(name, SpanKind::Program)
}

/// As [`span`], for what netcl does on a thread.
#[inline]
pub fn call(name: &str) -> SpanGuard {
    guard(name, SpanKind::Call)
}

#[inline]
fn guard(name: &str, kind: SpanKind) -> SpanGuard {
    SpanGuard(mark().map(|started| (started, Arc::from(name), kind)))
}

/// Ends a [`span`] when it is dropped.
#[must_use = "the span ends when this is dropped"]
#[derive(Debug)]
pub struct SpanGuard(Option<(u64, Arc<str>, SpanKind)>);

impl Drop for SpanGuard {
    fn drop(&mut self) {
        if let Some((started, name, kind)) = self.0.take() {
            recorder::done(span::thread_track(), Command { name, kind, ..Command::default() }, started);
        }
    }
}

/// What a device has done between the mark and now, on the calling thread.
pub(crate) fn computed(device: &DeviceTracks, command: Command, marked: u64) {
    recorder::done(device.thread_track(), command, marked);
}
