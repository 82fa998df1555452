//! Turns between commands and the making of sub-buffers, for drivers that cannot be trusted with both at a time.

use crate::device::profile::DeviceProfile;
use crate::device::quirks::Avoid;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Of a context, whose threads make sub-buffers and enqueue commands that use memory.
pub(super) struct Cutting(Option<RwLock<()>>);

impl Cutting {
    /// As the driver of that device needs it.
    pub(super) fn of(profile: &DeviceProfile) -> Cutting {
        Cutting(profile.avoids(Avoid::SubBuffersBesideCommands).then(RwLock::default))
    }

    /// To be held while a command that uses memory is enqueued, and no longer: whoever waits for a command may need
    /// another thread that makes a sub-buffer first.
    #[inline]
    pub(super) fn command(&self) -> Option<RwLockReadGuard<'_, ()>> {
        self.0.as_ref().map(|lock| lock.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// To be held while a sub-buffer is made.
    pub(super) fn cut(&self) -> Option<RwLockWriteGuard<'_, ()>> {
        self.0.as_ref().map(|lock| lock.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether commands must not be waited for while they are enqueued.
    pub(super) fn takes_turns(&self) -> bool {
        self.0.is_some()
    }
}
