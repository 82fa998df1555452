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
//!     x.add(&x).add(&x).add(&x);
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

use crate::error::{Error, Result};
use netcl_hal::profile as hal;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub(crate) use hal::call;
pub use hal::{Span, SpanGuard, SpanKind, Track, is_on, span};

/// Begins to record; forgets what was recorded before.
///
/// OpenCL queues note times only if they are made for it: those of devices that are opened from now on, and all if
/// `NETCL_PROFILE_EVENTS=1` or `NETCL_TRACE` is set. Commands of others are counted ([`Profile::untimed`]).
///
/// # Errors
///
/// [`Error::Config`] if an environment variable has a bad value; [`Error::Io`] if the file of `NETCL_TRACE`
/// cannot be created; [`Error::Forked`] in a forked child.
pub fn start() -> Result<()> {
    Ok(hal::start()?)
}

/// Waits for what devices were given, and gives what was recorded since [`start`]. Nothing more is recorded, other than
/// for `NETCL_TRACE`.
///
/// # Errors
///
/// [`Error::Forked`] in a forked child.
pub fn stop() -> Result<Profile> {
    Ok(Profile(hal::stop()?))
}

/// All spans of one name and kind.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Total {
    /// Their name.
    pub name: Arc<str>,
    /// What they are.
    pub kind: SpanKind,
    /// How many.
    pub count: u64,
    /// How long they took together.
    pub time: Duration,
    /// How long the longest took.
    pub longest: Duration,
    /// How many bytes they copied.
    pub bytes: u64,
}

/// What was recorded.
#[derive(Clone, Debug, Default)]
pub struct Profile(hal::Recorded);

impl Profile {
    /// The spans, each track's in the order in which they ended. The last 131,072 of them.
    pub fn spans(&self) -> &[Span] {
        &self.0.spans
    }

    /// How many spans there were beyond those: earlier ones, commands that failed, and commands given to a device
    /// that already had 65,536 to do.
    pub fn lost(&self) -> u64 {
        self.0.lost
    }

    /// How many commands have no times, because their queue was made before it was known that they would be wanted:
    /// set `NETCL_PROFILE_EVENTS=1`, or call [`start`] before the device is opened.
    pub fn untimed(&self) -> u64 {
        self.0.untimed
    }

    /// Spans by name and kind, those that took longest first.
    pub fn totals(&self) -> Vec<Total> {
        let mut totals: BTreeMap<(SpanKind, &Arc<str>), Total> = BTreeMap::new();
        for span in &self.0.spans {
            let new = || Total {
                name: span.name.clone(),
                kind: span.kind,
                count: 0,
                time: Duration::ZERO,
                longest: Duration::ZERO,
                bytes: 0,
            };
            let total = totals.entry((span.kind, &span.name)).or_insert_with(new);
            total.count += 1;
            total.time += span.time();
            total.longest = total.longest.max(span.time());
            total.bytes += span.bytes.unwrap_or(0);
        }
        let mut totals: Vec<Total> = totals.into_values().collect();
        totals.sort_by_key(|total| std::cmp::Reverse(total.time));
        totals
    }

    /// The trace as `chrome://tracing` and <https://ui.perfetto.dev> read it: JSON, an event for each span, queues and
    /// threads as tracks, times in microseconds.
    pub fn chrome_trace(&self) -> String {
        hal::chrome_trace(&self.0.spans)
    }

    /// Writes [`Profile::chrome_trace`] to a file.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if it cannot be written.
    pub fn write_chrome_trace(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let write = std::fs::write(path, self.chrome_trace());
        write.map_err(|source| Error::Io { action: "write", path: path.to_owned(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hal::{Command, DeviceTracks, Lane};

    fn span(source: &DeviceTracks, name: &str, time: u64) -> Span {
        let command = Command { bytes: Some(10), ..Command { name: name.into(), ..Command::default() } };
        command.span(source.track(Lane::Compute).clone(), None, 100, 100 + time)
    }

    #[test]
    fn totals_are_by_name_the_longest_first() {
        let source = DeviceTracks::new("null", "null");
        let spans = [("a", 5), ("b", 7), ("a", 1), ("a", 2)].map(|(name, time)| span(&source, name, time));
        let totals = Profile(hal::Recorded { spans: spans.into(), ..Default::default() }).totals();
        let found: Vec<_> = totals
            .iter()
            .map(|total| (&*total.name, total.count, total.time.as_nanos(), total.longest.as_nanos(), total.bytes))
            .collect();
        assert_eq!(found, [("a", 3, 8, 5, 30), ("b", 1, 7, 7, 10)]);
    }
}
