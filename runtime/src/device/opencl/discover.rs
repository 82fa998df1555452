//! What OpenCL devices this machine has.

use super::context::ClDevice;
use super::driver::{Device, platforms};
use super::shared::OpenCl;
use super::{describe, exit, probe};
use crate::device::adapter::Adapter;
use crate::device::backend::Backend;
use crate::device::process;
use crate::device::profile::DeviceProfile;
use crate::error::Result;
use opencl3::device::CL_DEVICE_TYPE_ALL;
use std::sync::Arc;

/// A device of the driver that was not opened.
struct Closed {
    reported: DeviceProfile,
    device: Device,
}

impl Adapter for Closed {
    fn reported(&self) -> &DeviceProfile {
        &self.reported
    }

    fn recorded(&self) -> Option<DeviceProfile> {
        Some(probe::recorded(&self.reported)?.complete(&self.reported))
    }

    fn open(&self) -> Result<Arc<dyn Backend>> {
        Ok(Arc::new(OpenCl::open(ClDevice::whole(self.device), &self.reported)?))
    }
}

/// Every usable device of every platform, in the loader's order. None where there is no loader or no driver.
pub(crate) fn devices() -> Vec<Box<dyn Adapter>> {
    process::watch();
    let platforms = match platforms() {
        Ok(platforms) => platforms,
        Err(error) => {
            tracing::debug!(%error, "no OpenCL platform");
            return Vec::new();
        }
    };
    // Loaded now. A child that is forked from here on ends without what they do at the end of a process.
    exit::watch();
    let mut found: Vec<Box<dyn Adapter>> = Vec::new();
    for (platform_index, platform) in platforms.iter().enumerate() {
        let devices = platform.get_devices(CL_DEVICE_TYPE_ALL).unwrap_or_else(|error| {
            tracing::warn!(%error, platform_index, "an OpenCL platform does not list its devices");
            Vec::new()
        });
        for (device_index, device) in devices.into_iter().enumerate() {
            let selector = format!("opencl:{platform_index}:{device_index}");
            match describe::usable(&device)
                .and_then(|usable| usable.then(|| describe::device(platform, &device, selector.clone())).transpose())
            {
                Ok(Some(reported)) => found.push(Box::new(Closed { reported, device })),
                Ok(None) => tracing::debug!(selector, "an OpenCL device is not available, or cannot compile"),
                Err(error) => tracing::warn!(%error, selector, "an OpenCL device cannot be queried"),
            }
        }
    }
    found
}
