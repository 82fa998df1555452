//! The one place that what is recorded goes to.

use super::chrome::{self, Lines, Stream};
use super::clock::Clock;
use super::span::{Command, Lane, Source, Span, SpanKind, Total, Track};
use super::{ON, now};
use crate::config::Config;
use crate::device::process::{self, Rest};
use crate::error::{Error, Result};
use crate::event::{Event, EventStatus};
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

/// Spans that are kept in memory; beyond, the oldest go.
const KEPT: usize = 1 << 17;
/// Commands that are waited for; beyond, none is added.
const WAITING: usize = 1 << 16;
/// The recorder looks for commands that are done after so many new ones, or after so many nanoseconds.
const EVERY: usize = 64;
const AFTER: u64 = 20_000_000;

/// A command that the device has not been seen to have done.
struct Waiting {
    event: Event,
    command: Command,
    track: Arc<Track>,
    /// When the call that queued it began and returned.
    called: (u64, u64),
}

#[derive(Default)]
struct Recorder {
    /// Spans are kept for [`stop`].
    collecting: bool,
    spans: VecDeque<Span>,
    stream: Option<Stream>,
    lost: u64,
    untimed: u64,
    /// By device and queue: what runs in order is done in order.
    waiting: BTreeMap<(u32, Lane), VecDeque<Waiting>>,
    clocks: BTreeMap<u32, Clock>,
    new: usize,
    looked: u64,
}

static RECORDER: Mutex<Option<Recorder>> = Mutex::new(None);

fn lock() -> MutexGuard<'static, Option<Recorder>> {
    RECORDER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does what the environment says, once.
pub(crate) fn install(config: &Config) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if !config.profile_events && config.trace.is_none() {
            return;
        }
        let mut recorder = Recorder { collecting: config.profile_events, ..Recorder::default() };
        if let Some(path) = &config.trace {
            match Stream::create(path) {
                Ok(stream) => recorder.stream = Some(stream),
                Err(error) => tracing::warn!(path = %path.display(), %error, "NETCL_TRACE: no trace is written"),
            }
            process::at_exit(at_exit);
        }
        ON.store(recorder.collecting || recorder.stream.is_some(), Ordering::Relaxed);
        *lock() = Some(recorder);
    });
}

pub(super) fn start() {
    let mut recorder = lock();
    let recorder = recorder.get_or_insert_default();
    recorder.collecting = true;
    recorder.spans.clear();
    (recorder.lost, recorder.untimed) = (0, 0);
    ON.store(true, Ordering::Relaxed);
}

pub(super) fn stop() -> Profile {
    // Devices are waited for without the lock: others may be recording.
    let waited: Vec<Event> = match &*lock() {
        Some(recorder) => {
            recorder.waiting.values().filter_map(|queue| queue.back()).map(|last| last.event.clone()).collect()
        }
        None => Vec::new(),
    };
    for event in waited {
        // One that failed is over, too; it is counted below.
        let _ = event.wait();
    }
    let mut recorder = lock();
    let Some(recorder) = &mut *recorder else { return Profile::default() };
    recorder.look();
    recorder.collecting = false;
    if recorder.stream.is_none() {
        ON.store(false, Ordering::Relaxed);
        recorder.waiting.clear();
    }
    Profile {
        spans: std::mem::take(&mut recorder.spans).into(),
        lost: std::mem::take(&mut recorder.lost),
        untimed: std::mem::take(&mut recorder.untimed),
    }
}

/// A command was given to a device, in a call that began at the mark; `event` is the command's.
pub(crate) fn enqueued(source: &Source, lane: Lane, command: Command, event: Event, marked: u64) {
    let called = (marked, now());
    let mut recorder = lock();
    let Some(recorder) = &mut *recorder else { return };
    if recorder.waiting.values().map(VecDeque::len).sum::<usize>() >= WAITING {
        recorder.look();
        if recorder.waiting.values().map(VecDeque::len).sum::<usize>() >= WAITING {
            recorder.lost += 1;
            return;
        }
    }
    let track = source.track(lane).clone();
    recorder.waiting.entry((source.number, lane)).or_default().push_back(Waiting { event, command, track, called });
    recorder.one_more();
}

/// Something was done between the mark and now.
pub(super) fn done(track: Arc<Track>, command: Command, marked: u64) {
    let ended = now();
    if process::is_forked() {
        return;
    }
    let mut recorder = lock();
    let Some(recorder) = &mut *recorder else { return };
    recorder.keep(command.span(track, None, marked, ended));
    recorder.one_more();
}

/// A device is done with all it was given: a good time to look.
pub(crate) fn catch_up() {
    if super::is_on()
        && !process::is_forked()
        && let Some(recorder) = &mut *lock()
    {
        recorder.look();
    }
}

/// The process ends. Whoever holds the lock now is not waited for.
fn at_exit() -> Rest {
    if let Ok(mut recorder) = RECORDER.try_lock()
        && let Some(recorder) = &mut *recorder
    {
        recorder.look();
        let (lost, untimed) = (recorder.lost, recorder.untimed);
        if let Some(stream) = &mut recorder.stream {
            for (what, count) in [("netcl: commands not recorded", lost), ("netcl: commands without times", untimed)] {
                if count > 0 {
                    stream.lines.note(what, count);
                }
            }
        }
        recorder.flush();
    }
    Rest::Idle
}

impl Recorder {
    fn one_more(&mut self) {
        self.new += 1;
        if self.new >= EVERY || now().saturating_sub(self.looked) > AFTER {
            self.look();
        }
    }

    /// Takes over what is done, and writes it down.
    fn look(&mut self) {
        (self.new, self.looked) = (0, now());
        if process::is_forked() {
            return;
        }
        let mut waiting = std::mem::take(&mut self.waiting);
        for ((device, _), queue) in &mut waiting {
            while let Some(first) = queue.front() {
                let status = first.event.status();
                if !matches!(status, EventStatus::Complete | EventStatus::Failed) {
                    break;
                }
                if let Some(waited) = queue.pop_front() {
                    self.over(*device, waited, status);
                }
            }
        }
        self.waiting = waiting;
        self.flush();
    }

    fn over(&mut self, device: u32, waited: Waiting, status: EventStatus) {
        let Waiting { event, command, track, called } = waited;
        if status == EventStatus::Failed {
            self.lost += 1;
            return;
        }
        let Some(times) = event.times() else {
            self.untimed += 1;
            return;
        };
        let clock = self.clocks.entry(device).or_default();
        clock.learn(times.queued, called.0, called.1);
        let [queued, submitted, started, ended] =
            [times.queued, times.submitted, times.started, times.ended].map(|time| clock.host(time));
        self.keep(command.span(track, Some((queued, submitted)), started, ended));
    }

    fn keep(&mut self, span: Span) {
        if let Some(stream) = &mut self.stream {
            stream.lines.add(&span);
        }
        if self.collecting {
            if self.spans.len() == KEPT {
                self.spans.pop_front();
                self.lost += 1;
            }
            self.spans.push_back(span);
        }
    }

    fn flush(&mut self) {
        if let Some(stream) = &mut self.stream
            && let Err(error) = stream.flush()
        {
            tracing::warn!(%error, "NETCL_TRACE: the trace ends here");
            self.stream = None;
        }
    }
}

/// What was recorded.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    spans: Vec<Span>,
    lost: u64,
    untimed: u64,
}

impl Profile {
    /// The spans, each track's in the order in which they ended. The last 131,072 of them.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// How many spans there were beyond those: earlier ones, commands that failed, and commands given to a device
    /// that already had 65,536 to do.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// How many commands have no times, because their queue was made before it was known that they would be wanted:
    /// set `NETCL_PROFILE_EVENTS=1`, or call [`super::start`] before the device is opened.
    pub fn untimed(&self) -> u64 {
        self.untimed
    }

    /// Spans by name and kind, those that took longest first.
    pub fn totals(&self) -> Vec<Total> {
        let mut totals: BTreeMap<(SpanKind, &Arc<str>), Total> = BTreeMap::new();
        for span in &self.spans {
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
        let mut lines = Lines::default();
        self.spans.iter().for_each(|span| lines.add(span));
        chrome::text(lines)
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

    fn span(source: &Source, name: &str, time: u64) -> Span {
        let command = Command { bytes: Some(10), ..Command { name: name.into(), ..Command::default() } };
        command.span(source.track(Lane::Compute).clone(), None, 100, 100 + time)
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let source = Source::new("null", "null");
        let mut recorder = Recorder { collecting: true, ..Recorder::default() };
        for position in 0..KEPT as u64 + 3 {
            recorder.keep(span(&source, "x", position));
        }
        assert_eq!((recorder.spans.len(), recorder.lost), (KEPT, 3));
        assert_eq!(recorder.spans[0].time(), Duration::from_nanos(3), "the oldest went");
    }

    #[test]
    fn a_command_without_times_is_counted() {
        let source = Source::new("null", "null");
        let mut recorder = Recorder { collecting: true, ..Recorder::default() };
        let track = source.track(Lane::Compute).clone();
        let (event, command) = (Event::complete(), Command::default());
        let queue = recorder.waiting.entry((source.number, Lane::Compute)).or_default();
        queue.push_back(Waiting { event, command, track, called: (0, 1) });
        recorder.look();
        assert_eq!((recorder.spans.len(), recorder.untimed, recorder.lost), (0, 1, 0));
    }

    #[test]
    fn totals_are_by_name_the_longest_first() {
        let source = Source::new("null", "null");
        let spans = [("a", 5), ("b", 7), ("a", 1), ("a", 2)].map(|(name, time)| span(&source, name, time));
        let totals = Profile { spans: spans.into(), ..Profile::default() }.totals();
        let found: Vec<_> = totals
            .iter()
            .map(|total| (&*total.name, total.count, total.time.as_nanos(), total.longest.as_nanos(), total.bytes))
            .collect();
        assert_eq!(found, [("a", 3, 8, 5, 30), ("b", 1, 7, 7, 10)]);
    }
}
