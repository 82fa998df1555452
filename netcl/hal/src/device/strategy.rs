//! How far a kernel may lean on what a device has beyond the standard.

use crate::device::profile::{DeviceKind, DeviceProfile};
use crate::device::vendor::Vendor;
use std::fmt;

/// Which kernels a device is given: those that any device runs well, or those that use local memory, sub-groups and
/// wide types as GPUs like them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KernelStrategy {
    /// Plain OpenCL C: few assumptions, little local memory.
    Portable,
    /// Tiles in local memory, sub-groups, half precision and vendor paths where they are there.
    Optimized,
}

/// Local memory under this size (bytes) holds no useful tile: two of 32 × 32 floats take 8 KiB.
const SMALL_LOCAL_MEMORY: u64 = 16 << 10;

impl KernelStrategy {
    /// The value of `NETCL_KERNEL_STRATEGY`; `Some(None)` is `auto`.
    #[doc(hidden)]
    pub fn parse(value: &str) -> Option<Option<KernelStrategy>> {
        match value.to_lowercase().as_str() {
            "auto" => Some(None),
            "portable" => Some(Some(KernelStrategy::Portable)),
            "optimized" => Some(Some(KernelStrategy::Optimized)),
            _ => None,
        }
    }
}

impl DeviceProfile {
    /// Which kernels suit it: portable ones on processors and with little local memory; else optimized ones if it has
    /// sub-groups or half precision, or is NVIDIA's or AMD's. `Device::kernel_strategy` also heeds
    /// `NETCL_KERNEL_STRATEGY`.
    pub fn kernel_strategy(&self) -> KernelStrategy {
        let processor = matches!(self.kind, DeviceKind::Cpu | DeviceKind::Host);
        if processor || self.local_memory.usable < SMALL_LOCAL_MEMORY {
            KernelStrategy::Portable
        } else if self.sub_groups.is_some() || self.fp16 || matches!(self.vendor, Vendor::Nvidia | Vendor::Amd) {
            KernelStrategy::Optimized
        } else {
            KernelStrategy::Portable
        }
    }
}

impl fmt::Display for KernelStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            KernelStrategy::Portable => "portable",
            KernelStrategy::Optimized => "optimized",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::profile::SubGroups;
    use netcl_kernels::plan::Target;

    #[test]
    fn each_reason_for_optimized_kernels_counts() {
        let mut profile = DeviceProfile::unknown("device", DeviceKind::Gpu, Target::Gpu);
        profile.local_memory.usable = 32 << 10;
        assert_eq!(profile.kernel_strategy(), KernelStrategy::Portable);
        for reason in [
            |profile: &mut DeviceProfile| profile.fp16 = true,
            |profile: &mut DeviceProfile| profile.vendor = Vendor::Amd,
            |profile: &mut DeviceProfile| profile.vendor = Vendor::Nvidia,
            |profile: &mut DeviceProfile| profile.sub_groups = Some(SubGroups { sizes: vec![16] }),
        ] {
            let mut able = profile.clone();
            reason(&mut able);
            assert_eq!(able.kernel_strategy(), KernelStrategy::Optimized);
            able.local_memory.usable = 8 << 10;
            assert_eq!(able.kernel_strategy(), KernelStrategy::Portable, "too little local memory");
            able.local_memory.usable = 1 << 20;
            able.kind = DeviceKind::Cpu;
            assert_eq!(able.kernel_strategy(), KernelStrategy::Portable, "a processor");
        }
    }
}
