//! `--device`, alike for all commands.

use crate::failure::Result;
use netcl::Device;

/// Where to run.
#[derive(clap::Args, Debug)]
pub(crate) struct Select {
    /// auto, gpu, cpu, accel, other, host, null, opencl:P:D, or part of a device's or platform's name; auto also heeds
    /// NETCL_DEVICE
    #[arg(long, value_name = "SELECTOR", default_value = "auto")]
    pub(crate) device: String,
}

impl Select {
    /// The device; an unknown one is an error that lists what there is.
    pub(crate) fn open(&self) -> Result<Device> {
        open(&self.device)
    }
}

/// The device that a selector names.
pub(crate) fn open(selector: &str) -> Result<Device> {
    Ok(if selector.trim().eq_ignore_ascii_case("auto") { Device::auto()? } else { Device::select(selector)? })
}
