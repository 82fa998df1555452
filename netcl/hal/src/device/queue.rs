//! In which order a device's queue runs what it is given.

use crate::device::profile::DeviceProfile;
use crate::device::quirks::Avoid;

/// In which order a device's queue runs what it is given: `Device::with_queue`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QueueOrder {
    /// One after the other.
    #[default]
    InOrder,
    /// The launches of one function may run side by side where none needs what another writes. Functions, copies and
    /// everything else still come one after the other, so that results are the same.
    ///
    /// It pays where a function has branches whose launches are too small to fill the device; elsewhere the barriers
    /// between launches cost more than they bring.
    OutOfOrder,
}

/// Where the driver is known to fail at what several queues do. That is rare, and so nothing is refused.
pub fn warn_of_several_queues(profile: &DeviceProfile) {
    if let Some(quirk) = profile.quirks.iter().find(|quirk| quirk.avoid == Avoid::SeveralQueues) {
        tracing::warn!(
            device = profile.name,
            reason = quirk.reason,
            "several queues of this driver at once are a risk"
        );
    }
}
