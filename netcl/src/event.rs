//! Events: what is known of work that a device was given. Futures, too.

use crate::error::{Error, Result};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
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

/// Something that a device will have done: [`crate::Device::record_event`], a copy, or a [`UserEvent`]. Cheap to clone.
///
/// It can be waited for, with or without a limit; it can call back; and it is a [`Future`], so that a task of any
/// executor waits for a device without keeping a thread. On devices that compute at once (the host) events are complete
/// from the start. A waiting thread does not handle signals, so Ctrl-C ends the process as ever.
///
/// ```
/// use netcl::{Device, Tensor};
/// use std::time::Duration;
///
/// let device = Device::auto()?;
/// let x = Tensor::from_slice(&device, &[1.0f32, 2.0], &[2])?;
/// let y = x.add(&x)?;
/// let done = device.record_event()?;
/// done.on_complete(|result| println!("the device is done: {result:?}"));
/// while !done.wait_timeout(Duration::from_millis(100))? {
///     println!("still computing");
/// }
/// assert!(done.is_complete());
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// In an `async` function, `device.record_event()?.await?` does the same.
#[derive(Clone)]
pub struct Event(Arc<Core>);

struct Core {
    state: Mutex<State>,
    changed: Condvar,
    source: Option<Box<dyn Source>>,
}

type Callback = Box<dyn FnOnce(Result<()>) + Send>;

#[derive(Default)]
struct State {
    outcome: Option<Result<(), Failure>>,
    /// Whether the source was asked to tell.
    watched: bool,
    wakers: Vec<Waker>,
    callbacks: Vec<Callback>,
}

/// Why an event failed: an [`Error`] that can be given more than once.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    Driver { device: String, operation: String, code: String },
    Lost { device: String, operation: String, code: String },
    User { reason: String },
}

impl Failure {
    pub(crate) fn into_error(self) -> Error {
        match self {
            Failure::Driver { device, operation, code } => Error::Driver { device, operation, code },
            Failure::Lost { device, operation, code } => Error::Lost { device, operation, code },
            Failure::User { reason } => Error::Event { reason },
        }
    }
}

/// A driver's side of an event.
pub(crate) trait Source: Send + Sync {
    fn status(&self) -> Result<EventStatus, Failure>;

    /// Keeps the thread until it is done.
    fn wait(&self) -> Result<(), Failure>;

    /// Calls `done` when it is done, at once or later from any thread; once.
    fn watch(&self, done: Box<dyn FnOnce(Result<(), Failure>) + Send>) -> Result<()>;

    /// `None` where the driver does not note them.
    fn times(&self) -> Option<EventTimes>;

    /// For the backend that made it.
    fn as_any(&self) -> &dyn std::any::Any;
}

impl Event {
    /// Of what is done already.
    pub(crate) fn complete() -> Event {
        let event = Event::pending();
        event.settle(Ok(()));
        event
    }

    pub(crate) fn of(source: Box<dyn Source>) -> Event {
        Event(Arc::new(Core { state: Mutex::default(), changed: Condvar::new(), source: Some(source) }))
    }

    fn pending() -> Event {
        Event(Arc::new(Core { state: Mutex::default(), changed: Condvar::new(), source: None }))
    }

    pub(crate) fn source(&self) -> Option<&dyn Source> {
        self.0.source.as_deref()
    }

    /// How far it is.
    pub fn status(&self) -> EventStatus {
        // The lock is not held while the driver is asked: its own locks may be held by a thread that calls back.
        let outcome = self.lock().outcome.as_ref().map(|outcome| outcome.is_ok());
        match (outcome, &self.0.source) {
            (Some(true), _) => EventStatus::Complete,
            (Some(false), _) => EventStatus::Failed,
            (None, Some(source)) => source.status().unwrap_or(EventStatus::Failed),
            (None, None) => EventStatus::Queued,
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
    /// [`Error::Driver`] if what it stands for failed; [`Error::Event`] for a [`UserEvent`] that did;
    /// [`Error::Forked`] in a forked child.
    pub fn wait(&self) -> Result<()> {
        crate::device::process::check()?;
        let is_over = self.lock().outcome.is_some();
        if let (false, Some(source)) = (is_over, &self.0.source) {
            return source.wait().map_err(Failure::into_error);
        }
        let mut state = self.lock();
        loop {
            if let Some(outcome) = &state.outcome {
                return outcome.clone().map_err(Failure::into_error);
            }
            state = self.0.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits for at most `limit`; says whether it is done.
    ///
    /// # Errors
    ///
    /// As [`Event::wait`].
    pub fn wait_timeout(&self, limit: Duration) -> Result<bool> {
        crate::device::process::check()?;
        self.watch()?;
        // A limit beyond what the clock can hold is none.
        let Some(end) = Instant::now().checked_add(limit) else {
            return self.wait().map(|()| true);
        };
        let mut state = self.lock();
        loop {
            if let Some(outcome) = &state.outcome {
                return outcome.clone().map(|()| true).map_err(Failure::into_error);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            state = self.0.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Calls `callback` when it is done: at once if it is already, else from a thread of the driver's. It should be
    /// short, and must not wait for a device: drivers do not go on while it runs.
    pub fn on_complete(&self, callback: impl FnOnce(Result<()>) + Send + 'static) {
        {
            let mut state = self.lock();
            if state.outcome.is_none() {
                state.callbacks.push(Box::new(callback));
                drop(state);
                if let Err(error) = self.watch() {
                    self.settle(Err(as_failure(error)));
                }
                return;
            }
        }
        callback(self.outcome());
    }

    /// When it was queued, begun, and done; `None` before it is done, on devices without a clock, and if
    /// `NETCL_PROFILE_EVENTS` was not set.
    pub fn times(&self) -> Option<EventTimes> {
        if self.status() == EventStatus::Complete { self.0.source.as_ref()?.times() } else { None }
    }

    fn outcome(&self) -> Result<()> {
        self.lock().outcome.clone().unwrap_or(Ok(())).map_err(Failure::into_error)
    }

    /// Sees to it that the source tells when it is done.
    fn watch(&self) -> Result<()> {
        let Some(source) = &self.0.source else {
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
        source.watch(Box::new(move |outcome| event.settle(outcome)))
    }

    /// It is over. Only the first outcome counts.
    fn settle(&self, outcome: Result<(), Failure>) {
        let (wakers, callbacks) = {
            let mut state = self.lock();
            if state.outcome.is_some() {
                return;
            }
            state.outcome = Some(outcome.clone());
            (std::mem::take(&mut state.wakers), std::mem::take(&mut state.callbacks))
        };
        self.0.changed.notify_all();
        wakers.into_iter().for_each(Waker::wake);
        for callback in callbacks {
            callback(outcome.clone().map_err(Failure::into_error));
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn as_failure(error: Error) -> Failure {
    match error {
        Error::Driver { device, operation, code } => Failure::Driver { device, operation, code },
        Error::Lost { device, operation, code } => Failure::Lost { device, operation, code },
        other => Failure::User { reason: other.to_string() },
    }
}

impl Future for Event {
    type Output = Result<()>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        crate::device::process::check()?;
        {
            let mut state = self.lock();
            if let Some(outcome) = &state.outcome {
                return Poll::Ready(outcome.clone().map_err(Failure::into_error));
            }
            if !state.wakers.iter().any(|waker| waker.will_wake(context.waker())) {
                state.wakers.push(context.waker().clone());
            }
        }
        self.watch()?;
        match self.lock().outcome.clone() {
            Some(outcome) => Poll::Ready(outcome.map_err(Failure::into_error)),
            None => Poll::Pending,
        }
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event({:?})", self.status())
    }
}

/// An event that the program completes itself, so that a device waits for something that is not a device's:
/// [`crate::Device::wait_for`] with [`UserEvent::event`] holds back what is started on the device afterwards.
///
/// Dropping it without [`UserEvent::complete`] fails it.
///
/// ```
/// use netcl::UserEvent;
///
/// let ready = UserEvent::new();
/// let event = ready.event();
/// let thread = std::thread::spawn(move || event.wait());
/// ready.complete();
/// thread.join().unwrap()?;
/// # Ok::<(), netcl::Error>(())
/// ```
#[derive(Debug)]
pub struct UserEvent(Event);

impl UserEvent {
    /// One that is not complete.
    #[allow(clippy::new_without_default, reason = "a default would be an event that nobody completes")]
    pub fn new() -> UserEvent {
        UserEvent(Event::pending())
    }

    /// What others wait for.
    pub fn event(&self) -> Event {
        self.0.clone()
    }

    /// Lets those who wait go on.
    pub fn complete(self) {
        self.0.settle(Ok(()));
    }

    /// Lets those who wait go on with [`Error::Event`]. A device that waits goes on as if all were well: whoever needs
    /// to know looks at the event.
    pub fn fail(self, reason: &str) {
        self.0.settle(Err(Failure::User { reason: reason.to_owned() }));
    }
}

impl Drop for UserEvent {
    fn drop(&mut self) {
        self.0.settle(Err(Failure::User { reason: "it was dropped before it was completed".to_owned() }));
    }
}
