//! Which device a selector means.

use crate::config;
use crate::device::host_backend::Host;
use crate::device::opencl::{OpenCl, platform};
use crate::device::{Device, DeviceInfo, DeviceKind};
use crate::error::{Error, Result};
use netcl_kernels::plan::Target;
use std::sync::{Mutex, OnceLock, PoisonError};

const ACCEPTED: &str = "auto, gpu, cpu, accel, host, null, opencl:P, opencl:P:D or a part of a device's name";

/// An OpenCL device that was found; opened when it is first selected, and then always the same.
struct Entry {
    found: platform::Found,
    opened: Mutex<Option<Device>>,
}

fn entries() -> &'static [Entry] {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        if let Ok(config) = config::get() {
            crate::log::install(config.log);
        }
        platform::devices().into_iter().map(|found| Entry { found, opened: Mutex::default() }).collect()
    })
}

impl Entry {
    fn open(&self) -> Result<Device> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(device) = &*opened {
            return Ok(device.clone());
        }
        let device = Device::of(OpenCl::open(&self.found)?);
        Ok(opened.insert(device).clone())
    }
}

pub(super) fn host() -> Device {
    static HOST: OnceLock<Device> = OnceLock::new();
    HOST.get_or_init(|| Device::of(Host::new())).clone()
}

pub(super) fn all() -> Vec<DeviceInfo> {
    let mut infos: Vec<DeviceInfo> = entries().iter().map(|entry| entry.found.info.clone()).collect();
    infos.push(host().info().clone());
    infos
}

/// A GPU, else an accelerator, else the host. A device that cannot be opened is passed over with a warning.
pub(super) fn best() -> Result<Device> {
    for kind in [DeviceKind::Gpu, DeviceKind::Accelerator] {
        for entry in entries().iter().filter(|entry| entry.found.info.kind == kind) {
            match entry.open() {
                Ok(device) => return Ok(device),
                Err(error) => tracing::warn!(%error, "a device cannot be opened; trying the next"),
            }
        }
    }
    Ok(host())
}

/// What `NETCL_DEVICE` asks for.
pub(super) fn by_variable(selector: &str) -> Result<Device> {
    select(selector).map_err(|error| match error {
        Error::NoDevice { selector, hint, available } => {
            Error::NoDevice { selector, hint: format!("asked for by NETCL_DEVICE; {hint}"), available }
        }
        other => other,
    })
}

pub(super) fn select(selector: &str) -> Result<Device> {
    let wanted = selector.trim().to_lowercase();
    let of_kind = |kind| first(selector, |info| info.kind == kind);
    match wanted.as_str() {
        "auto" => best(),
        "host" => Ok(host()),
        "null" => Ok(Device::null(Target::Gpu, u64::MAX)),
        "gpu" => of_kind(DeviceKind::Gpu),
        "cpu" => of_kind(DeviceKind::Cpu),
        "accel" | "accelerator" => of_kind(DeviceKind::Accelerator),
        "" => Err(none(selector)),
        _ => match wanted.strip_prefix("opencl:") {
            Some(numbers) => {
                let exact = format!("opencl:{numbers}");
                let prefix = format!("{exact}:");
                first(selector, |info| info.selector == exact || info.selector.starts_with(&prefix))
            }
            None => first(selector, |info| {
                info.name.to_lowercase().contains(&wanted) || info.platform.to_lowercase().contains(&wanted)
            }),
        },
    }
}

fn first(selector: &str, fits: impl Fn(&DeviceInfo) -> bool) -> Result<Device> {
    let entry = entries().iter().find(|entry| fits(&entry.found.info)).ok_or_else(|| none(selector))?;
    entry.open()
}

fn none(selector: &str) -> Error {
    let available = all().iter().map(|info| format!("{} = {} ({})", info.selector, info.name, info.kind)).collect();
    Error::NoDevice { selector: selector.to_owned(), hint: format!("accepted: {ACCEPTED}"), available }
}
