//! What OpenCL devices this machine has.

use super::context::ClDevice;
use super::driver::{Device, platforms};
use super::shared::OpenCl;
use super::{describe, exit, probe};
use crate::device::adapter::Adapter;
use crate::device::backend::Backend;
use crate::device::profile::DeviceProfile;
use crate::error::Result;
use crate::process;
use cl3::ext::CL_PLATFORM_NOT_FOUND_KHR;
use opencl3::device::CL_DEVICE_TYPE_ALL;
use opencl3::error_codes::{ClError, DLOPEN_RUNTIME_LOAD_FAILED};
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

/// What the loader and its drivers list.
#[derive(Default)]
pub struct Listed {
    /// Every usable device of every platform, in the loader's order.
    pub devices: Vec<Box<dyn Adapter>>,
    /// What failed meanwhile, for people.
    pub problems: Vec<String>,
}

impl Listed {
    fn note(&mut self, what: &str, error: ClError) {
        tracing::warn!(%error, "{what}");
        self.problems.push(format!("{what}: {error}"));
    }
}

/// What there is. Nothing where there is no loader or no driver.
pub fn devices() -> Listed {
    process::watch();
    let mut listed = Listed::default();
    let platforms = match platforms() {
        Ok(platforms) => platforms,
        // There is no loader, or it knows no driver.
        Err(error @ ClError(DLOPEN_RUNTIME_LOAD_FAILED | CL_PLATFORM_NOT_FOUND_KHR)) => {
            tracing::debug!(%error, "no OpenCL platform");
            return listed;
        }
        Err(error) => {
            listed.note("the OpenCL loader does not list its platforms", error);
            return listed;
        }
    };
    // Loaded now. A child that is forked from here on ends without what they do at the end of a process.
    exit::watch();
    for (platform_index, platform) in platforms.iter().enumerate() {
        let devices = platform.get_devices(CL_DEVICE_TYPE_ALL).unwrap_or_else(|error| {
            listed.note(&format!("the OpenCL platform opencl:{platform_index} does not list its devices"), error);
            Vec::new()
        });
        if devices.is_empty() {
            // Drivers for what is not in the machine have none, and such as could not start.
            let name = platform.name().unwrap_or_default();
            tracing::debug!(platform_index, name, "an OpenCL platform has no devices");
            listed.problems.push(format!("the OpenCL platform opencl:{platform_index} ({name}) has no devices"));
        }
        for (device_index, device) in devices.into_iter().enumerate() {
            let selector = format!("opencl:{platform_index}:{device_index}");
            match describe::usable(&device)
                .and_then(|usable| usable.then(|| describe::device(platform, &device, selector.clone())).transpose())
            {
                Ok(Some(reported)) => listed.devices.push(Box::new(Closed { reported, device })),
                Ok(None) => tracing::debug!(selector, "an OpenCL device is not available, or cannot compile"),
                Err(error) => listed.note(&format!("the OpenCL device {selector} cannot be queried"), error),
            }
        }
    }
    listed
}
