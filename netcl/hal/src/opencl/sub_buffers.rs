//! Turns between commands and the making and releasing of sub-buffers, for drivers that cannot be trusted with both at a time.
//! Copies are such a driver's work until they are over, as it begins them in a thread of its own.

use super::driver::{Buffer, Event};
use crate::device::profile::DeviceProfile;
use crate::device::quirks::Avoid;
use crate::process::Live;
use opencl3::event::retain_event;
use opencl3::types::cl_event;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::time::{Duration, Instant};

/// So long the making of a sub-buffer waits for copies at most. Those that take longer wait themselves, for other commands or
/// for the program, and are not being begun.
const PATIENCE: Duration = Duration::from_millis(20);
/// Copies that are over are forgotten when there are so many.
const MANY: usize = 64;

/// Of a context, whose threads make and release sub-buffers and enqueue commands that use memory.
pub(super) struct SubBuffers(Option<Turns>);

#[derive(Default)]
struct Turns {
    turn: RwLock<()>,
    /// That may not be over.
    copies: Mutex<Vec<Live<Event>>>,
    /// Sub-buffers that nobody uses any more.
    unused: Mutex<Vec<SubBuffer>>,
    /// How many sub-buffers were made.
    made: AtomicU64,
}

/// A sub-buffer.
pub(super) struct SubBuffer {
    /// The driver's; released before what it is a part of.
    pub(super) buffer: Live<Buffer>,
    /// What it is a part of.
    pub(super) whole: Arc<Live<Buffer>>,
    /// Where in it the part starts.
    pub(super) start: usize,
    /// How long the part is.
    pub(super) bytes: usize,
    /// Its place among all parts that were made, in the order of their making.
    pub(super) serial: u64,
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the command has ended, well or not.
fn is_over(copy: &Event) -> bool {
    copy.command_execution_status().is_ok_and(|status| status <= 0)
}

impl Turns {
    /// Whether all copies are over, to whoever holds the turn.
    fn is_quiet(&self) -> bool {
        let mut copies = lock(&self.copies);
        copies.retain(|copy| !is_over(copy));
        copies.is_empty()
    }

    /// Waits until they are, or for a while; whether they are.
    fn settle(&self) -> bool {
        let started = Instant::now();
        loop {
            let quiet = self.is_quiet();
            if quiet || started.elapsed() >= PATIENCE {
                return quiet;
            }
            std::thread::yield_now();
        }
    }

    /// Releases the parts of buffers that nobody uses any more, for whoever holds the turn. Those of others wait for the next
    /// use of the same bytes, because a buffer's parts have to be released [in a certain order](in_reverse).
    fn release(&self) {
        let mut unused = lock(&self.unused);
        let mut counts = BTreeMap::<*const Live<Buffer>, usize>::new();
        for part in unused.iter() {
            *counts.entry(Arc::as_ptr(&part.whole)).or_insert(0) += 1;
        }
        let is_gone = |part: &SubBuffer| counts.get(&Arc::as_ptr(&part.whole)) == Some(&Arc::strong_count(&part.whole));
        let (gone, kept) = std::mem::take(&mut *unused).into_iter().partition::<Vec<_>, _>(is_gone);
        *unused = kept;
        drop(unused);
        in_reverse(gone);
    }
}

impl Drop for Turns {
    fn drop(&mut self) {
        in_reverse(std::mem::take(self.unused.get_mut().unwrap_or_else(PoisonError::into_inner)));
    }
}

/// Releases parts, the one that was made last first. NVIDIA's driver (580.159.04) crashes where parts of one buffer that overlap
/// are released in another order: of 24 programs with 30 parts each, 20 to 23 in the order of their making, of their places, or at
/// random, and none in this one.
fn in_reverse(mut parts: Vec<SubBuffer>) {
    parts.sort_by_key(|part| Reverse(part.serial));
    // A `Vec` drops its elements in order.
    drop(parts);
}

impl SubBuffers {
    /// As the driver of that device needs it.
    pub(super) fn of(profile: &DeviceProfile) -> SubBuffers {
        SubBuffers(profile.avoids(Avoid::SubBuffersBesideCommands).then(Turns::default))
    }

    /// To be held while a command that uses memory is enqueued, and no longer: whoever waits for a command may need
    /// another thread that makes a sub-buffer first.
    #[inline]
    pub(super) fn command(&self) -> Option<RwLockReadGuard<'_, ()>> {
        self.0.as_ref().map(|turns| turns.turn.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes a copy that was enqueued, where that matters; to be called while the turn of its command is held.
    #[inline]
    pub(super) fn began(&self, copy: &Event) {
        // SAFETY: it is borrowed, so it is alive.
        unsafe { self.began_raw(copy.get()) };
    }

    /// As [`SubBuffers::began`].
    ///
    /// # Safety
    ///
    /// The event is alive.
    #[inline]
    pub(super) unsafe fn began_raw(&self, copy: cl_event) {
        let Some(turns) = &self.0 else { return };
        // SAFETY: it is alive, as the caller promises; the reference goes back when it is forgotten.
        if unsafe { retain_event(copy) }.is_ok() {
            let mut copies = lock(&turns.copies);
            if copies.len() >= MANY {
                copies.retain(|copy| !is_over(copy));
            }
            copies.push(Live::new(Event::new(copy)));
        }
    }

    /// To be held while a sub-buffer is made.
    pub(super) fn cut(&self) -> Option<RwLockWriteGuard<'_, ()>> {
        let turns = self.0.as_ref()?;
        let turn = turns.turn.write().unwrap_or_else(PoisonError::into_inner);
        if turns.settle() {
            turns.release();
        }
        Some(turn)
    }

    /// The place of a sub-buffer that was made just now; to be called while the turn of its making is held.
    pub(super) fn next_serial(&self) -> u64 {
        self.0.as_ref().map_or(0, |turns| turns.made.fetch_add(1, Ordering::Relaxed))
    }

    /// A part of these bytes that was made before and that nobody uses now.
    pub(super) fn again(&self, whole: &Arc<Live<Buffer>>, start: usize, bytes: usize) -> Option<SubBuffer> {
        let mut unused = lock(&self.0.as_ref()?.unused);
        let fits = |part: &SubBuffer| Arc::ptr_eq(&part.whole, whole) && (part.start, part.bytes) == (start, bytes);
        let position = unused.iter().position(fits)?;
        Some(unused.swap_remove(position))
    }

    /// Takes back a sub-buffer that nobody uses any more; does not wait for its release: where commands are under way, whoever
    /// comes later does it, and so where this is a driver's callback, in which nobody may wait.
    pub(super) fn release(&self, part: SubBuffer, in_callback: bool) {
        let Some(turns) = &self.0 else { return };
        lock(&turns.unused).push(part);
        if !in_callback {
            self.release_unused();
        }
    }

    /// Releases the sub-buffers that nobody uses any more, if no command is under way that forbids it.
    pub(super) fn release_unused(&self) {
        let Some(turns) = self.0.as_ref().filter(|turns| !lock(&turns.unused).is_empty()) else {
            return;
        };
        let turn = match turns.turn.try_write() {
            Ok(turn) => turn,
            Err(TryLockError::Poisoned(turn)) => turn.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        if turns.is_quiet() {
            turns.release();
        }
        drop(turn);
    }

    /// How many sub-buffers are still to be released.
    #[cfg(test)]
    pub(super) fn unused(&self) -> usize {
        self.0.as_ref().map_or(0, |turns| lock(&turns.unused).len())
    }

    /// Whether commands must not be waited for while they are enqueued.
    pub(super) fn takes_turns(&self) -> bool {
        self.0.is_some()
    }
}
