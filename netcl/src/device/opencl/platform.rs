//! What OpenCL devices this machine has.

use crate::device::backend::{DeviceInfo, DeviceKind};
use netcl_kernels::plan::Target;
use opencl3::device::{CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, Device};
use opencl3::platform::{Platform, get_platforms};

/// A device that could be opened.
pub(crate) struct Found {
    pub(crate) info: DeviceInfo,
    pub(super) device: Device,
}

/// Every usable device of every platform, in the loader's order. None where there is no loader or no driver.
pub(crate) fn devices() -> Vec<Found> {
    let platforms = match get_platforms() {
        Ok(platforms) => platforms,
        Err(error) => {
            tracing::debug!(%error, "no OpenCL platform");
            return Vec::new();
        }
    };
    let mut found = Vec::new();
    for (platform_index, platform) in platforms.iter().enumerate() {
        let ids = platform.get_devices(CL_DEVICE_TYPE_ALL).unwrap_or_default();
        for (device_index, id) in ids.into_iter().enumerate() {
            let device = Device::new(id);
            match describe(platform, &device, platform_index, device_index) {
                Ok(Some(info)) => found.push(Found { info, device }),
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(%error, platform_index, device_index, "an OpenCL device cannot be queried")
                }
            }
        }
    }
    found
}

fn describe(
    platform: &Platform,
    device: &Device,
    platform_index: usize,
    device_index: usize,
) -> opencl3::Result<Option<DeviceInfo>> {
    if !device.available()? || !device.compiler_available()? {
        return Ok(None);
    }
    let kind = device.dev_type()?;
    let (kind, target) = if kind & CL_DEVICE_TYPE_GPU != 0 {
        (DeviceKind::Gpu, Target::Gpu)
    } else if kind & CL_DEVICE_TYPE_ACCELERATOR != 0 {
        (DeviceKind::Accelerator, Target::Gpu)
    } else if kind & CL_DEVICE_TYPE_CPU != 0 {
        (DeviceKind::Cpu, Target::Cpu)
    } else {
        return Ok(None);
    };
    let extensions = device.extensions()?;
    let has = |name: &str| extensions.split_whitespace().any(|extension| extension == name);
    let platform_name = platform.name()?;
    // NVIDIA's driver compiles half arithmetic without naming the extension.
    let nvidia = platform_name.contains("NVIDIA");
    Ok(Some(DeviceInfo {
        name: device.name()?.trim().to_owned(),
        selector: format!("opencl:{platform_index}:{device_index}"),
        kind,
        target,
        driver: format!("{} / {}", platform.version()?.trim(), device.driver_version()?.trim()),
        platform: platform_name.trim().to_owned(),
        memory: device.global_mem_size()?,
        compute_units: device.max_compute_units()?,
        fp64: has("cl_khr_fp64") || device.double_fp_config().is_ok_and(|config| config != 0),
        fp16: has("cl_khr_fp16") || nvidia,
    }))
}
