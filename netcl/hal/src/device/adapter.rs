//! Devices that were found and may be opened.

use crate::device::backend::Backend;
use crate::device::profile::DeviceProfile;
use crate::error::Result;
use std::sync::Arc;

/// A device that was found, and not opened.
pub trait Adapter: Send + Sync {
    /// What the driver says about it, before anything was tried.
    fn reported(&self) -> &DeviceProfile;

    /// Its whole profile, if it can be had without opening the device.
    fn recorded(&self) -> Option<DeviceProfile>;

    /// Opens it, which completes its profile.
    fn open(&self) -> Result<Arc<dyn Backend>>;
}
