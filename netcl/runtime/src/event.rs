//! Events: what is known of work that a device was given. Futures, too.

use crate::error::{Error, Result};
use netcl_hal::event as hal;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

pub use hal::{EventStatus, EventTimes, Interrupt};

/// Something that a device will have done: [`crate::Device::record_event`], a copy, or a [`UserEvent`]. Cheap to clone.
///
/// It can be waited for, with or without a limit; it can call back; and it is a [`Future`], so that a task of any
/// executor waits for a device without keeping a thread; each handle keeps the waker that it was polled with last. On devices that compute at once (the host) events are complete
/// from the start. A waiting thread does not handle signals, so Ctrl-C ends the process as ever; a program that handles it
/// itself waits with [`Event::wait_or`].
///
/// ```
/// use netcl::{Device, Tensor};
/// use std::time::Duration;
///
/// let device = Device::auto()?;
/// let x = Tensor::from_slice(&device, &[1.0f32, 2.0], &[2])?;
/// let y = x.add(&x);
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
pub struct Event(pub(crate) hal::Event);

impl Event {
    /// How far it is. In a forked child: how it ended, if that was known before the fork, else [`EventStatus::Failed`].
    pub fn status(&self) -> EventStatus {
        self.0.status()
    }

    /// Whether it is over, well or not.
    pub fn is_complete(&self) -> bool {
        self.0.is_complete()
    }

    /// Waits until it is done.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] if what it stands for failed, or if something else that its device was given before has failed
    /// and nobody was told, as [`crate::Device::finish`] does; [`Error::OutOfMemory`] if a driver found no memory for
    /// it when it ran; [`Error::Lost`] if the device is lost; [`Error::Event`] for a [`UserEvent`] that failed;
    /// [`Error::Forked`] in a forked child.
    pub fn wait(&self) -> Result<()> {
        Ok(self.0.wait()?)
    }

    /// Waits for at most `limit`; says whether it is done.
    ///
    /// # Errors
    ///
    /// As [`Event::wait`].
    pub fn wait_timeout(&self, limit: Duration) -> Result<bool> {
        Ok(self.0.wait_timeout(limit)?)
    }

    /// Waits until it is done, or until the interrupt is raised. That it is done counts more: an interrupt is an error only
    /// where there is something left to wait for.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`]; those of [`Event::wait`].
    pub fn wait_or(&self, interrupt: &Interrupt) -> Result<()> {
        Ok(self.0.wait_or(interrupt)?)
    }

    /// Calls `callback` when it is done: at once if it is already, else from a thread of the driver's. It should be
    /// short, and must not wait for a device: drivers do not go on while it runs. One that panics is logged, and the
    /// others are called all the same.
    pub fn on_complete(&self, callback: impl FnOnce(Result<()>) + Send + 'static) {
        self.0.on_complete(|outcome| callback(outcome.map_err(Error::from)));
    }

    /// When it was queued, begun, and done; `None` before it is done, on devices without a clock, if
    /// `NETCL_PROFILE_EVENTS` was not set, and in a forked child.
    pub fn times(&self) -> Option<EventTimes> {
        self.0.times()
    }
}

impl Future for Event {
    type Output = Result<()>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.0).poll(context).map_err(Error::from)
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
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
pub struct UserEvent(hal::UserEvent);

impl UserEvent {
    /// One that is not complete.
    #[allow(clippy::new_without_default, reason = "a default would be an event that nobody completes")]
    pub fn new() -> UserEvent {
        UserEvent(hal::UserEvent::new())
    }

    /// What others wait for.
    pub fn event(&self) -> Event {
        Event(self.0.event())
    }

    /// Lets those who wait go on.
    pub fn complete(self) {
        self.0.complete();
    }

    /// Lets those who wait go on with [`Error::Event`]. A device that was held back goes on, and what it computes then
    /// was computed without what it was to wait for: the next wait for that device is the error, once.
    pub fn fail(self, reason: &str) {
        self.0.fail(reason);
    }
}
