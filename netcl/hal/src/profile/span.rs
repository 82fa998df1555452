//! What is recorded.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Something that took time. Times are nanoseconds since the process first looked at the clock of its profile.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Span {
    /// A step's label (the user's expression, shortened), what is copied where, or the program's own word.
    pub name: Arc<str>,
    /// What it is.
    pub kind: SpanKind,
    /// Where it happened.
    pub track: Arc<Track>,
    /// When the program gave it to the driver; for devices with a queue.
    pub queued: Option<u64>,
    /// When the driver gave it to the device; for devices with a queue.
    pub submitted: Option<u64>,
    /// When it began.
    pub started: u64,
    /// When it ended.
    pub ended: u64,
    /// The kernel's name.
    pub kernel: Option<Arc<str>>,
    /// Work-items by axis; empty for what is no kernel.
    pub work_items: Vec<usize>,
    /// Work-items of a work-group by axis; empty where that is left to the driver.
    pub work_group: Vec<usize>,
    /// How many bytes a copy moved.
    pub bytes: Option<u64>,
}

impl Span {
    /// How long it took.
    pub fn time(&self) -> Duration {
        Duration::from_nanos(self.ended.saturating_sub(self.started))
    }
}

/// What a span is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SpanKind {
    /// A kernel or a library call on a device.
    #[default]
    Kernel,
    /// A copy to, from or on a device.
    Copy,
    /// A call of a compiled function, on the thread that made it: from checking the arguments to the last launch.
    Call,
    /// Named by the program: [`super::span`].
    Program,
}

impl SpanKind {
    /// `kernel`, `copy`, `call` or `program`.
    pub const fn name(self) -> &'static str {
        match self {
            SpanKind::Kernel => "kernel",
            SpanKind::Copy => "copy",
            SpanKind::Call => "call",
            SpanKind::Program => "program",
        }
    }
}

/// Where things happen one after another: a queue of a device, or a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Track {
    /// The device's selector and name, or `program`.
    pub group: Arc<str>,
    /// The queue or the thread.
    pub name: Arc<str>,
    /// Numbers of group and track: what trace viewers sort by.
    pub(super) numbers: (u32, u32),
}

/// A command of a device, before its times are known.
#[derive(Clone, Debug, Default)]
pub struct Command {
    /// As [`Span::name`].
    pub name: Arc<str>,
    /// As [`Span::kind`].
    pub kind: SpanKind,
    /// As [`Span::kernel`].
    pub kernel: Option<Arc<str>>,
    /// As [`Span::work_items`].
    pub work_items: Vec<usize>,
    /// As [`Span::work_group`].
    pub work_group: Vec<usize>,
    /// As [`Span::bytes`].
    pub bytes: Option<u64>,
}

impl Command {
    /// A copy.
    pub fn copy(name: &str, bytes: usize) -> Command {
        Command { name: name.into(), kind: SpanKind::Copy, bytes: Some(bytes as u64), ..Command::default() }
    }

    /// With its times.
    pub fn span(self, track: Arc<Track>, queue: Option<(u64, u64)>, started: u64, ended: u64) -> Span {
        let Command { name, kind, kernel, work_items, work_group, bytes } = self;
        let (queued, submitted) = queue.unzip();
        Span { name, kind, track, queued, submitted, started, ended, kernel, work_items, work_group, bytes }
    }
}

/// A queue of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lane {
    /// That of kernels.
    Compute,
    /// That of copies to the device.
    Upload,
    /// That of copies from the device.
    Download,
}

impl Lane {
    const ALL: [Lane; 3] = [Lane::Compute, Lane::Upload, Lane::Download];

    fn name(self) -> &'static str {
        match self {
            Lane::Compute => "kernels",
            Lane::Upload => "copies to the device",
            Lane::Download => "copies from the device",
        }
    }
}

/// A device as a group of tracks.
#[derive(Debug)]
pub struct DeviceTracks {
    pub(super) number: u32,
    tracks: [Arc<Track>; 3],
}

/// The group of the program's own threads.
const PROGRAM: u32 = 1;

impl DeviceTracks {
    /// A new one. What people call it: selector and name.
    pub fn new(selector: &str, name: &str) -> DeviceTracks {
        static NEXT: AtomicU32 = AtomicU32::new(PROGRAM + 1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let group: Arc<str> = format!("{selector}: {name}").into();
        let track = |lane: Lane| {
            Arc::new(Track { group: group.clone(), name: lane.name().into(), numbers: (number, lane as u32 + 1) })
        };
        DeviceTracks { number, tracks: Lane::ALL.map(track) }
    }

    /// Where the commands of a queue are recorded.
    pub fn track(&self, lane: Lane) -> &Arc<Track> {
        &self.tracks[lane as usize]
    }

    /// Of the calling thread, for devices that compute on it.
    pub(super) fn thread_track(&self) -> Arc<Track> {
        let thread = thread_track();
        let numbers = (self.number, thread.numbers.1);
        Arc::new(Track { group: self.tracks[0].group.clone(), name: thread.name.clone(), numbers })
    }
}

/// Of the calling thread.
pub(super) fn thread_track() -> Arc<Track> {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    thread_local! {
        static TRACK: RefCell<Option<Arc<Track>>> = const { RefCell::new(None) };
    }
    let new = || {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = std::thread::current().name().map_or_else(|| format!("thread {number}"), str::to_owned);
        Arc::new(Track { group: "program".into(), name: name.into(), numbers: (PROGRAM, number) })
    };
    // Values of a thread that is ending are gone; what it does then has a track of its own.
    TRACK.try_with(|track| track.borrow_mut().get_or_insert_with(new).clone()).unwrap_or_else(|_| new())
}
