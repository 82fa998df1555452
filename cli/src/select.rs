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
    Ok(if selector == "auto" { Device::auto()? } else { Device::select(selector)? })
}

/// Positive sizes with an `x` between them; `None` if there are more, fewer, or something else.
pub(crate) fn sizes<const COUNT: usize>(text: &str) -> Option<[u64; COUNT]> {
    let sizes = text.split('x').map(|size| size.parse().ok().filter(|size| *size > 0)).collect::<Option<Vec<u64>>>()?;
    sizes.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::sizes;

    #[test]
    fn sizes_are_positive_and_as_many_as_wanted() {
        assert_eq!(sizes("512x64x3"), Some([512, 64, 3]));
        for text in ["512x64", "512x64x3x1", "0x1x1", "ax1x1", "-1x1x1", "1 x1x1", "", "99999999999999999999x1x1"] {
            assert_eq!(sizes::<3>(text), None, "{text}");
        }
    }
}
