//! How far a program may be ahead of its device. PoCL keeps whatever a command needs until it has run, without a bound: a loop that
//! never waits would fill the memory with steps that are still to be computed.

use super::pending::in_callback;
use super::shared::DeviceResources;
use crate::error::Result;
use crate::event::UserEvent;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

/// A marker stands behind so many commands, and the one before it is waited for: a program is ahead by twice as many at most. As
/// many as NVIDIA's driver takes before it waits by itself, so that no device runs dry.
const COMMANDS: u64 = 1024;

impl DeviceResources {
    /// Waits where the program is far ahead of the device. To be called before commands are enqueued, without a lock.
    #[inline]
    pub(super) fn keep_pace(&self) -> Result<()> {
        let (enqueued, last) = (self.counted(), self.progress.pace.at.load(Ordering::Relaxed));
        // Another thread's marker may stand behind more than was counted here.
        if enqueued < last.saturating_add(COMMANDS) {
            return Ok(());
        }
        self.wait_for_last_marker(last, enqueued)
    }

    #[cold]
    fn wait_for_last_marker(&self, last: u64, enqueued: u64) -> Result<()> {
        let pace = &self.progress.pace;
        if pace.at.compare_exchange(last, enqueued, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            // Another thread sets the marker.
            return Ok(());
        }
        let marker = self.marker_of(&self.queue).map_err(|code| self.error("clEnqueueMarkerWithWaitList", code))?;
        let last = pace.marker.lock().unwrap_or_else(PoisonError::into_inner).replace(marker);
        // What the program itself is to complete may be what the queue waits for, and nothing waits in a driver's callback.
        if let Some(last) = last.filter(|_| !UserEvent::any_is_pending() && !in_callback()) {
            // A command that failed is told of where the program waits.
            let _ = last.driver().wait();
        }
        Ok(())
    }
}
