//! Events that the program completes.

use super::Event;
use crate::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many there are that the program has not completed.
static PENDING: AtomicUsize = AtomicUsize::new(0);

/// An event that the program completes itself. Dropping it without [`UserEvent::complete`] fails it.
#[derive(Debug)]
pub struct UserEvent(Event);

impl UserEvent {
    /// One that is not complete.
    #[allow(clippy::new_without_default, reason = "a default would be an event that nobody completes")]
    pub fn new() -> UserEvent {
        PENDING.fetch_add(1, Ordering::Relaxed);
        UserEvent(Event::pending())
    }

    /// Whether there is one that the program has not completed: what waits for it waits for the program.
    pub(crate) fn any_is_pending() -> bool {
        PENDING.load(Ordering::Relaxed) > 0
    }

    /// What others wait for.
    pub fn event(&self) -> Event {
        self.0.clone()
    }

    /// Lets those who wait go on.
    pub fn complete(self) {
        self.0.settle(Ok(()));
    }

    /// Lets those who wait go on with [`crate::Error::Event`]. A device that was held back goes on, and what it computes then
    /// was computed without what it was to wait for: the next wait for that device is the error, once.
    pub fn fail(self, reason: &str) {
        self.0.settle(Err(Error::Event { reason: reason.to_owned() }));
    }
}

impl Drop for UserEvent {
    fn drop(&mut self) {
        self.0.settle(Err(Error::Event { reason: "it was dropped before it was completed".to_owned() }));
        PENDING.fetch_sub(1, Ordering::Relaxed);
    }
}
