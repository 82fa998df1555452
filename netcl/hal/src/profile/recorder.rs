//! The one place that what is recorded goes to.

use super::chrome::Stream;
use super::clock::Clock;
use super::span::{Command, DeviceTracks, Lane, Span, Track};
use super::switch::{self, ON, now};
use super::trouble::{self, When};
use crate::config::Config;
use crate::event::{Event, EventStatus, EventTimes};
use crate::process::{self, Rest};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};

/// Spans that are kept in memory; beyond, the oldest go.
const KEPT: usize = 1 << 17;
/// Commands whose events are looked at before what was found is taken over.
const AT_ONCE: usize = 256;
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
    waiting: BTreeMap<QueueId, VecDeque<Waiting>>,
    clocks: BTreeMap<u32, Clock>,
    new: usize,
    looked: u64,
    /// Grows when what is waited for is forgotten.
    generation: u64,
}

/// A device's queue.
type QueueId = (u32, Lane);

/// What a driver says of a command that is over: how it ended, and when it went through its stations.
type Seen = (EventStatus, Option<EventTimes>);

static RECORDER: Mutex<Option<Recorder>> = Mutex::new(None);

/// Held by who asks drivers, which is done without the other lock: drivers have locks of their own, and call back.
static LOOKING: Mutex<()> = Mutex::new(());

fn lock() -> MutexGuard<'static, Option<Recorder>> {
    RECORDER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does what the environment says, once.
pub fn install(config: &Config) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if !config.profile_events && config.trace.is_none() {
            return;
        }
        let mut recorder = Recorder { collecting: config.profile_events, ..Recorder::default() };
        if let Some(path) = &config.trace {
            match Stream::create(path) {
                Ok(stream) => recorder.stream = Some(stream),
                Err(error) => trouble::keep(When::Creating, path, error),
            }
            process::at_exit(at_exit);
        }
        ON.store(recorder.collecting || recorder.stream.is_some(), Ordering::Relaxed);
        *lock() = Some(recorder);
    });
}

pub(super) fn start() {
    let forgotten = {
        let mut recorder = lock();
        let recorder = recorder.get_or_insert_default();
        recorder.collecting = true;
        recorder.spans.clear();
        (recorder.lost, recorder.untimed) = (0, 0);
        ON.store(true, Ordering::Relaxed);
        // A trace is of the whole process.
        if recorder.stream.is_none() { recorder.forget() } else { BTreeMap::new() }
    };
    drop(forgotten);
}

pub(super) fn stop() -> Recorded {
    // Devices are waited for without the lock: others may be recording.
    let waited: Vec<Event> = match &*lock() {
        Some(recorder) => {
            recorder.waiting.values().filter_map(|queue| queue.back()).map(|last| last.event.clone()).collect()
        }
        None => Vec::new(),
    };
    for event in waited {
        // One that failed is over, too: it is counted below, and the program learns of it by a wait of its own.
        event.wait_untold();
    }
    look(&LOOKING.lock().unwrap_or_else(PoisonError::into_inner));
    let (recorded, forgotten) = match &mut *lock() {
        Some(recorder) => recorder.stop(),
        None => Default::default(),
    };
    drop(forgotten);
    recorded
}

/// A command was given to a device, in a call that began at the mark; `event` is the command's.
pub(crate) fn enqueued(source: &DeviceTracks, lane: Lane, command: Command, event: Event, marked: u64) {
    let called = (marked, now());
    if lock().as_ref().is_some_and(Recorder::is_full) {
        look_if_nobody_does();
    }
    let is_time = {
        let mut recorder = lock();
        let Some(recorder) = &mut *recorder else { return };
        if recorder.is_full() {
            recorder.lost += 1;
            return;
        }
        let track = source.track(lane).clone();
        let waiting = Waiting { event, command, track, called };
        recorder.waiting.entry((source.number, lane)).or_default().push_back(waiting);
        recorder.one_more()
    };
    if is_time {
        look_if_nobody_does();
    }
}

/// Something was done between the mark and now.
pub(super) fn done(track: Arc<Track>, command: Command, marked: u64) {
    let ended = now();
    if process::is_forked() {
        return;
    }
    let is_time = {
        let mut recorder = lock();
        let Some(recorder) = &mut *recorder else { return };
        recorder.keep(command.span(track, None, marked, ended));
        recorder.one_more()
    };
    if is_time {
        look_if_nobody_does();
    }
}

/// A device is done with all it was given: a good time to look.
pub(crate) fn catch_up() {
    if switch::is_on() {
        look_if_nobody_does();
    }
}

fn look_if_nobody_does() {
    if !process::is_forked()
        && let Ok(turn) = LOOKING.try_lock()
    {
        look(&turn);
    }
}

/// Asks what is done, takes it over and writes it down.
fn look(_turn: &MutexGuard<'_, ()>) {
    let Some((places, generation)) = lock().as_mut().map(|recorder| {
        (recorder.new, recorder.looked) = (0, now());
        (recorder.waiting.keys().copied().collect::<Vec<QueueId>>(), recorder.generation)
    }) else {
        return;
    };
    for place in places {
        loop {
            let first = |recorder: &Recorder| -> Vec<Event> {
                let queue = recorder.waiting.get(&place).into_iter().flatten();
                queue.take(AT_ONCE).map(|waiting| waiting.event.clone()).collect()
            };
            let events = lock().as_ref().map(first).unwrap_or_default();
            let over: Vec<Seen> = events.iter().map_while(seen).collect();
            let forgotten = match &mut *lock() {
                Some(recorder) if recorder.generation == generation => recorder.take_over(place, &over),
                _ => return,
            };
            drop(forgotten);
            if over.len() < AT_ONCE {
                break;
            }
        }
    }
    let forgotten = lock().as_mut().map(Recorder::flush);
    drop(forgotten);
}

/// What the driver says of a command, if it is over.
fn seen(event: &Event) -> Option<Seen> {
    match event.status() {
        EventStatus::Complete => Some((EventStatus::Complete, event.times())),
        EventStatus::Failed => Some((EventStatus::Failed, None)),
        _ => None,
    }
}

/// The process ends. Whoever holds a lock now is not waited for.
fn at_exit() -> Rest {
    if process::try_lock(&RECORDER).is_none() {
        return Rest::Idle;
    }
    look_if_nobody_does();
    if let Some(mut recorder) = process::try_lock(&RECORDER)
        && let Some(recorder) = &mut *recorder
    {
        let (lost, untimed) = (recorder.lost, recorder.untimed);
        if let Some(stream) = &mut recorder.stream {
            for (what, count) in [("netcl: commands not recorded", lost), ("netcl: commands without times", untimed)] {
                if count > 0 {
                    stream.lines.note(what, count);
                }
            }
        }
        // Nothing is given back to a driver now.
        std::mem::forget(recorder.flush());
    }
    trouble::tell();
    Rest::Idle
}

impl Recorder {
    /// Says whether it is time to look.
    fn one_more(&mut self) -> bool {
        self.new += 1;
        self.new >= EVERY || now().saturating_sub(self.looked) > AFTER
    }

    fn is_full(&self) -> bool {
        self.waiting.values().map(VecDeque::len).sum::<usize>() >= WAITING
    }

    /// Forgets what is waited for. To be dropped without the lock, as drivers are called.
    #[must_use]
    fn forget(&mut self) -> BTreeMap<QueueId, VecDeque<Waiting>> {
        self.generation += 1;
        std::mem::take(&mut self.waiting)
    }

    /// What was recorded, and what is to be dropped without the lock.
    fn stop(&mut self) -> (Recorded, BTreeMap<QueueId, VecDeque<Waiting>>) {
        self.collecting = false;
        let recorded = Recorded {
            spans: std::mem::take(&mut self.spans).into(),
            lost: std::mem::take(&mut self.lost),
            untimed: std::mem::take(&mut self.untimed),
        };
        (recorded, self.end_if_unused())
    }

    /// Nothing is recorded any more if nobody wants it; gives what is to be dropped without the lock.
    #[must_use]
    fn end_if_unused(&mut self) -> BTreeMap<QueueId, VecDeque<Waiting>> {
        if self.collecting || self.stream.is_some() {
            return BTreeMap::new();
        }
        ON.store(false, Ordering::Relaxed);
        self.forget()
    }

    /// Takes over the first commands of a queue, which are over; gives them, to be dropped without the lock.
    #[must_use]
    fn take_over(&mut self, place: QueueId, over: &[Seen]) -> Vec<Event> {
        let Some(queue) = self.waiting.get_mut(&place) else { return Vec::new() };
        let first: Vec<Waiting> = queue.drain(..over.len().min(queue.len())).collect();
        let mut events = Vec::with_capacity(first.len());
        for (waited, &(status, times)) in first.into_iter().zip(over) {
            let Waiting { event, command, track, called } = waited;
            events.push(event);
            match times {
                _ if status == EventStatus::Failed => self.lost += 1,
                None => self.untimed += 1,
                Some(times) => {
                    let clock = self.clocks.entry(place.0).or_default();
                    clock.learn(times.queued, called.0, called.1);
                    let [queued, submitted, started, ended] =
                        [times.queued, times.submitted, times.started, times.ended].map(|time| clock.host(time));
                    self.keep(command.span(track, Some((queued, submitted)), started, ended));
                }
            }
        }
        events
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

    /// Writes the trace; gives what is to be dropped without the lock.
    #[must_use]
    fn flush(&mut self) -> BTreeMap<QueueId, VecDeque<Waiting>> {
        if let Some(stream) = &mut self.stream
            && let Err(error) = stream.flush()
        {
            trouble::keep(When::Writing, &stream.path, error);
            self.stream = None;
            return self.end_if_unused();
        }
        BTreeMap::new()
    }
}

/// What was recorded.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// The spans, each track's in the order in which they ended.
    pub spans: Vec<Span>,
    /// How many spans there were beyond those.
    pub lost: u64,
    /// How many commands have no times.
    pub untimed: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn span(source: &DeviceTracks, name: &str, time: u64) -> Span {
        let command = Command { bytes: Some(10), ..Command { name: name.into(), ..Command::default() } };
        command.span(source.track(Lane::Compute).clone(), None, 100, 100 + time)
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let source = DeviceTracks::new("null", "null");
        let mut recorder = Recorder { collecting: true, ..Recorder::default() };
        for position in 0..KEPT as u64 + 3 {
            recorder.keep(span(&source, "x", position));
        }
        assert_eq!((recorder.spans.len(), recorder.lost), (KEPT, 3));
        assert_eq!(recorder.spans[0].time(), Duration::from_nanos(3), "the oldest went");
    }

    #[test]
    fn a_command_without_times_is_counted() {
        let source = DeviceTracks::new("null", "null");
        let mut recorder = Recorder { collecting: true, ..Recorder::default() };
        let track = source.track(Lane::Compute).clone();
        let (event, command) = (Event::complete(), Command::default());
        let queue = recorder.waiting.entry((source.number, Lane::Compute)).or_default();
        queue.push_back(Waiting { event, command, track, called: (0, 1) });
        let over: Vec<Seen> = queue.iter().map_while(|waiting| seen(&waiting.event)).collect();
        assert_eq!(recorder.take_over((source.number, Lane::Compute), &over).len(), 1);
        assert_eq!((recorder.spans.len(), recorder.untimed, recorder.lost), (0, 1, 0));
    }
}
