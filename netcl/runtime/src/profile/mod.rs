//! Where the time goes: every launch and copy with the device's own times, and what the program itself names.
//!
//! ```
//! use netcl::{Device, Tensor, profile};
//!
//! profile::start()?; // before the device is opened, so that its queues note times
//! let device = Device::auto()?;
//! let x = Tensor::from_slice(&device, &[1.0f32; 1000], &[1000])?;
//! {
//!     let _span = profile::span("three additions"); // a span of the program's own
//!     x.add(&x)?.add(&x)?.add(&x)?;
//! }
//! let profile = profile::stop()?;
//! for total in profile.totals() {
//!     println!("{:>6} × {:<30} {:?}", total.count, total.name, total.time);
//! }
//! profile.write_chrome_trace(std::env::temp_dir().join("netcl-trace-of-the-page.json"))?;
//! # assert!(profile.spans().iter().any(|span| &*span.name == "three additions"));
//! # std::fs::remove_file(std::env::temp_dir().join("netcl-trace-of-the-page.json")).unwrap();
//! # Ok::<(), netcl::Error>(())
//! ```
//!
//! Without a change to the program, `NETCL_TRACE=file` writes such a trace while it runs, and `netcl trace` does that and
//! prints the totals. If the file cannot be created, opening a device is an error ([`crate::Device::host`] is none, and a
//! trace that cannot be written to its end stops no work: the process then says so on standard error when it ends). `NETCL_PROFILE_EVENTS=1` records from the first device on, for [`stop`] to give.
//!
//! While nothing is recorded, a launch pays for one load of a flag. While it is, what is kept is bounded: the last
//! 131,072 spans, or those that are not in the file yet, and 65,536 commands that the device has not done.

mod chrome;
mod clock;
mod recorder;
mod span;
mod switch;
mod trouble;

pub use recorder::Profile;
pub use span::{Span, SpanKind, Total, Track};
pub use switch::is_on;

pub(crate) use recorder::{catch_up, enqueued, install};
pub(crate) use span::{Command, Lane, Source};
pub(crate) use switch::mark;
pub(crate) use trouble::check;

use crate::device::process;
use crate::error::Result;
use std::sync::Arc;

/// Begins to record; forgets what was recorded before.
///
/// OpenCL queues note times only if they are made for it: those of devices that are opened from now on, and all if
/// `NETCL_PROFILE_EVENTS=1` or `NETCL_TRACE` is set. Commands of others are counted ([`Profile::untimed`]).
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
pub fn stop() -> Result<Profile> {
    process::check()?;
    Ok(recorder::stop())
}

/// A span of the calling thread that lasts until the guard is dropped, such as an epoch, or loading a batch.
pub fn span(name: &str) -> SpanGuard {
    guard(name, SpanKind::Program)
}

/// As [`span`], for what netcl does on a thread.
#[inline]
pub(crate) fn call(name: &str) -> SpanGuard {
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
pub(crate) fn computed(device: &Source, command: Command, marked: u64) {
    recorder::done(device.thread_track(), command, marked);
}
