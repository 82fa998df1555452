//! Events: what is known of work that a device was given. Futures, too.

mod future;
mod interrupt;
mod user;

pub use interrupt::Interrupt;
pub use user::UserEvent;

use crate::error::{Error, Result};
use crate::panics::caught;
use crate::process;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

/// How far something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventStatus {
    /// In the device's queue.
    Queued,
    /// Given to the device.
    Submitted,
    /// Begun.
    Running,
    /// Done.
    Complete,
    /// Ended with an error.
    Failed,
}

/// When a command went through its stations, in nanoseconds of the device's own clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventTimes {
    /// Enqueued.
    pub queued: u64,
    /// Given to the device.
    pub submitted: u64,
    /// Begun.
    pub started: u64,
    /// Ended.
    pub ended: u64,
}

/// Something that a device will have done. Cheap to clone.
///
/// It can be waited for, with or without a limit; it can call back; and it is a [`Future`]; each handle keeps the waker that it
/// was polled with last. On devices that compute at once (the host) events are complete from the start.
pub struct Event {
    core: Arc<Core>,
    /// Under which this handle's waker is kept, from when it is first polled; 0 before.
    seat: u64,
}

struct Core {
    state: Mutex<Completion>,
    changed: Condvar,
    source: Option<Box<dyn BackendEvent>>,
}

struct Callback {
    call: Box<dyn FnOnce(Result<()>) + Send>,
    /// Whether it is the program's, which learns of a failure by it.
    tells: bool,
}

#[derive(Default)]
struct Completion {
    outcome: Option<Result<()>>,
    /// Whether the source was asked to tell.
    watched: bool,
    /// One for each handle that was polled, by its seat.
    wakers: BTreeMap<u64, Waker>,
    /// Those given to handles.
    seats: u64,
    callbacks: Vec<Callback>,
}

/// A driver's side of an event.
pub(crate) trait BackendEvent: Send + Sync {
    fn status(&self) -> Result<EventStatus>;

    /// Keeps the thread until it is done.
    fn wait(&self) -> Result<()>;

    /// Calls `done` when it is done, at once or later from any thread; once.
    fn watch(&self, done: Box<dyn FnOnce(Result<()>) + Send>) -> Result<()>;

    /// `None` where the driver does not note them.
    fn times(&self) -> Option<EventTimes>;

    /// What has failed on its device earlier and was not told, now that the program has waited for the device. Told once.
    fn earlier(&self) -> Result<()> {
        Ok(())
    }

    /// The program was told that it failed.
    fn told(&self) {}

    /// For the backend that made it.
    fn as_any(&self) -> &dyn std::any::Any;
}

impl Event {
    /// Of what is done already.
    pub fn complete() -> Event {
        let event = Event::pending();
        event.settle(Ok(()));
        event
    }

    /// Of a driver's event.
    pub(crate) fn of(source: Box<dyn BackendEvent>) -> Event {
        Event::new(Some(source))
    }

    fn pending() -> Event {
        Event::new(None)
    }

    fn new(source: Option<Box<dyn BackendEvent>>) -> Event {
        Event { core: Arc::new(Core { state: Mutex::default(), changed: Condvar::new(), source }), seat: 0 }
    }

    pub(crate) fn source(&self) -> Option<&dyn BackendEvent> {
        self.core.source.as_deref()
    }

    /// How far it is. In a forked child: how it ended, if that was known before the fork, else [`EventStatus::Failed`].
    pub fn status(&self) -> EventStatus {
        if process::is_forked() {
            return if self.when_forked().is_ok() { EventStatus::Complete } else { EventStatus::Failed };
        }
        self.told_status().unwrap_or(EventStatus::Failed)
    }

    /// The same, or why the driver does not tell it.
    fn told_status(&self) -> Result<EventStatus> {
        // The lock is not held while the driver is asked: its own locks may be held by a thread that calls back.
        let outcome = self.lock().outcome.as_ref().map(|outcome| outcome.is_ok());
        match (outcome, &self.core.source) {
            (Some(true), _) => Ok(EventStatus::Complete),
            (Some(false), _) => Ok(EventStatus::Failed),
            (None, Some(source)) => source.status(),
            (None, None) => Ok(EventStatus::Queued),
        }
    }

    /// Whether it is over, well or not.
    pub fn is_complete(&self) -> bool {
        matches!(self.status(), EventStatus::Complete | EventStatus::Failed)
    }

    /// Waits until it is done.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] if what it stands for failed, or if something else that its device was given before has failed
    /// and nobody was told; [`Error::OutOfMemory`] if a driver found no memory for
    /// it when it ran; [`Error::Lost`] if the device is lost; [`Error::Event`] for a [`UserEvent`] that failed;
    /// [`Error::Forked`] in a forked child.
    pub fn wait(&self) -> Result<()> {
        process::check()?;
        self.tell(self.waited())
    }

    /// As [`Event::wait`], for netcl's own: how it ended, and what has failed, is told by the program's next wait.
    pub(crate) fn wait_untold(&self) {
        if !process::is_forked() {
            let _ = self.waited();
        }
    }

    /// How it ended, when it has.
    fn waited(&self) -> Result<()> {
        let is_over = self.lock().outcome.is_some();
        if let (false, Some(source)) = (is_over, &self.core.source) {
            return source.wait();
        }
        let mut state = self.lock();
        loop {
            if let Some(outcome) = state.outcome.clone() {
                return outcome;
            }
            state = self.core.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits for at most `limit`; says whether it is done.
    ///
    /// # Errors
    ///
    /// As [`Event::wait`].
    pub fn wait_timeout(&self, limit: Duration) -> Result<bool> {
        process::check()?;
        // Drivers tell late, and some tell nothing while nobody asks.
        if self.is_over()? {
            return self.wait().map(|()| true);
        }
        if limit.is_zero() {
            return Ok(false);
        }
        // A limit beyond what the clock can hold is none.
        match Instant::now().checked_add(limit) {
            Some(end) => self.wait_until(Some(end), None),
            None => self.wait().map(|()| true),
        }
    }

    /// Waits until it is done, or until the interrupt is raised. That it is done counts more: an interrupt is an error only
    /// where there is something left to wait for.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`]; those of [`Event::wait`].
    pub fn wait_or(&self, interrupt: &Interrupt) -> Result<()> {
        process::check()?;
        if self.is_over()? {
            return self.wait();
        }
        self.wait_until(None, Some(interrupt)).map(drop)
    }

    /// Waits until it is done, but not beyond that time, nor after an interrupt; says whether it is done.
    fn wait_until(&self, end: Option<Instant>, interrupt: Option<&Interrupt>) -> Result<bool> {
        self.watch()?;
        let mut state = self.lock();
        loop {
            if let Some(outcome) = state.outcome.clone() {
                drop(state);
                return self.tell(outcome).map(|()| true);
            }
            let left = end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()));
            let is_interrupted = interrupt.is_some_and(Interrupt::is_interrupted);
            if left.is_zero() || is_interrupted {
                drop(state);
                return match self.is_over()? {
                    true => self.wait().map(|()| true),
                    false if is_interrupted => Err(Error::Interrupted),
                    false => Ok(false),
                };
            }
            let Some(_) = interrupt else {
                state = self.core.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
                continue;
            };
            let changed = self.core.changed.wait_timeout(state, left.min(interrupt::LOOK));
            drop(changed);
            // There is time to ask drivers that tell late.
            if self.is_over()? {
                return self.wait().map(|()| true);
            }
            state = self.lock();
        }
    }

    /// Whether a wait would end at once. Where the driver does not tell, nobody may wait for that it does.
    fn is_over(&self) -> Result<bool> {
        self.told_status().map(|status| matches!(status, EventStatus::Complete | EventStatus::Failed))
    }

    /// Calls `callback` when it is done: at once if it is already, else from a thread of the driver's. It should be
    /// short, and must not wait for a device: drivers do not go on while it runs. One that panics is logged, and the
    /// others are called all the same.
    pub fn on_complete(&self, callback: impl FnOnce(Result<()>) + Send + 'static) {
        self.call_back(Callback { call: Box::new(callback), tells: true });
    }

    /// As [`Event::on_complete`], for netcl's own: what has failed is not told to the program by it.
    pub(crate) fn on_outcome(&self, callback: impl FnOnce(Result<()>) + Send + 'static) {
        self.call_back(Callback { call: Box::new(callback), tells: false });
    }

    fn call_back(&self, callback: Callback) {
        if process::is_forked() {
            return guarded(|| (callback.call)(self.when_forked()));
        }
        let outcome = {
            let mut state = self.lock();
            match state.outcome.clone() {
                Some(outcome) => outcome,
                None => {
                    state.callbacks.push(callback);
                    drop(state);
                    // An error is given to the callback.
                    let _ = self.watch();
                    return;
                }
            }
        };
        // What happens must not depend on who was faster, the device or the caller.
        guarded(|| self.pass_on(callback, outcome));
    }

    /// When it was queued, begun, and done; `None` before it is done, on devices without a clock, if
    /// `NETCL_PROFILE_EVENTS` was not set, and in a forked child.
    pub fn times(&self) -> Option<EventTimes> {
        if process::is_forked() || self.status() != EventStatus::Complete {
            return None;
        }
        self.core.source.as_ref()?.times()
    }

    /// What the program gets that has waited: how it ended, or what has failed on the device before.
    fn tell(&self, outcome: Result<()>) -> Result<()> {
        match (outcome, &self.core.source) {
            (Ok(()), None) => Ok(()),
            (Ok(()), Some(source)) => source.earlier(),
            (Err(failure), source) => {
                source.iter().for_each(|source| source.told());
                Err(failure)
            }
        }
    }

    /// How it ended, as far as a forked child may know: no driver is asked, and no lock is waited for that a thread of the
    /// parent's may have held.
    fn when_forked(&self) -> Result<()> {
        let known = self.core.state.try_lock().ok().and_then(|state| state.outcome.clone());
        known.unwrap_or(Err(Error::Forked))
    }

    /// Sees to it that the source tells when it is done.
    fn watch(&self) -> Result<()> {
        let Some(source) = &self.core.source else {
            return Ok(());
        };
        {
            let mut state = self.lock();
            if state.watched || state.outcome.is_some() {
                return Ok(());
            }
            state.watched = true;
        }
        let event = self.clone();
        let watched = source.watch(Box::new(move |outcome| event.settle(outcome)));
        let Err(error) = watched else { return Ok(()) };
        let (wakers, callbacks) = {
            let mut state = self.lock();
            state.watched = false;
            (std::mem::take(&mut state.wakers), std::mem::take(&mut state.callbacks))
        };
        // Threads and tasks that have relied on this watch try it again; callbacks cannot.
        self.core.changed.notify_all();
        wakers.into_values().for_each(|waker| guarded(|| waker.wake()));
        if callbacks.is_empty() {
            return Err(error);
        }
        for Callback { call, .. } in callbacks {
            guarded(|| call(Err(error.clone())));
        }
        Err(error)
    }

    /// It is over. Only the first outcome counts.
    fn settle(&self, outcome: Result<()>) {
        if process::is_forked() {
            // What waits for it would go on with drivers that are the parent's.
            return;
        }
        let (wakers, callbacks) = {
            let mut state = self.lock();
            if state.outcome.is_some() {
                return;
            }
            state.outcome = Some(outcome.clone());
            (std::mem::take(&mut state.wakers), std::mem::take(&mut state.callbacks))
        };
        self.core.changed.notify_all();
        wakers.into_values().for_each(|waker| guarded(|| waker.wake()));
        for callback in callbacks {
            guarded(|| self.pass_on(callback, outcome.clone()));
        }
    }

    fn pass_on(&self, callback: Callback, outcome: Result<()>) {
        if let (true, true, Some(source)) = (callback.tells, outcome.is_err(), &self.core.source) {
            source.told();
        }
        (callback.call)(outcome);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Completion> {
        self.core.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Calls what others wrote: one panic is not to keep the rest from being called, and none may reach a driver.
fn guarded(call: impl FnOnce()) {
    if caught(call).is_none() {
        tracing::error!("a callback or waker of an event panicked");
    }
}

impl Clone for Event {
    fn clone(&self) -> Event {
        Event { core: self.core.clone(), seat: 0 }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.seat == 0 || process::is_forked() {
            return;
        }
        let waker = {
            let mut state = self.lock();
            state.wakers.remove(&self.seat)
        };
        // Without the lock: it may be the last to hold a task that has handles of this event.
        drop(waker);
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event({:?})", self.status())
    }
}

#[cfg(test)]
mod tests;
