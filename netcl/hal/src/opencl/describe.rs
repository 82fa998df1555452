//! What a driver says about a device. What it says of features that drivers misreport is checked in `probe`.

use super::driver::{Device, Platform};
use crate::device::profile::{AffinityDomain, DeviceKind, DeviceProfile, LocalMemory, Partitions, SharedVirtualMemory};
use crate::device::quirks;
use crate::device::vendor::{Architecture, Vendor};
use netcl_kernels::plan::Target;
use opencl3::device::{
    CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE,
    CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, CL_DEVICE_AFFINITY_DOMAIN_NUMA,
    CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_PARTITION_BY_COUNTS, CL_DEVICE_PARTITION_EQUALLY,
    CL_DEVICE_SVM_ATOMICS, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER, CL_DEVICE_SVM_FINE_GRAIN_BUFFER,
    CL_DEVICE_SVM_FINE_GRAIN_SYSTEM, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU,
};

/// Of `CL_DEVICE_LOCAL_MEM_TYPE`: local memory is its own.
const CL_LOCAL: u32 = 1;
/// Of `CL_DEVICE_SINGLE_FP_CONFIG`.
const CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT: u64 = 1 << 7;
/// Of `CL_DEVICE_QUEUE_ON_HOST_PROPERTIES`.
const OUT_OF_ORDER: u64 = 1;

/// The affinity domains, each with its flag.
pub(super) const DOMAINS: [(u64, AffinityDomain); 6] = [
    (CL_DEVICE_AFFINITY_DOMAIN_NUMA, AffinityDomain::Numa),
    (CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, AffinityDomain::L4Cache),
    (CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, AffinityDomain::L3Cache),
    (CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, AffinityDomain::L2Cache),
    (CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, AffinityDomain::L1Cache),
    (CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, AffinityDomain::NextPartitionable),
];

/// Whether it can run kernels from source.
pub(super) fn usable(device: &Device) -> opencl3::Result<bool> {
    Ok(device.available()? && device.compiler_available()?)
}

/// The profile of a device, as far as its driver tells.
pub(super) fn device(platform: &Platform, device: &Device, selector: String) -> opencl3::Result<DeviceProfile> {
    let (kind, target) = kind(device.dev_type()?);
    let name = device.name()?.trim().to_owned();
    let platform_name = platform.name()?.trim().to_owned();
    let vendor = Vendor::of(&platform_name, &platform.vendor()?, &name);
    let driver = device.driver_version()?.trim().to_owned();
    let mut extensions: Vec<String> = device.extensions()?.split_whitespace().map(str::to_owned).collect();
    extensions.sort();
    let svm = device.svm_capabilities().unwrap_or(0);
    let local = device.local_mem_size()?;
    let mut profile = DeviceProfile {
        selector,
        vendor,
        quirks: quirks::of(vendor, &driver),
        architecture: architecture(vendor, kind, &name, device),
        driver: format!("{} / {driver}", platform.version()?.trim()),
        platform: platform_name,
        opencl: version(&device.version()?),
        extensions,
        memory: device.global_mem_size()?,
        max_allocation: device.max_mem_alloc_size()?,
        // The driver says bits.
        buffer_alignment: (device.mem_base_addr_align()? as usize / 8).max(1),
        unified_memory: unified(vendor, device),
        shared_virtual_memory: SharedVirtualMemory {
            coarse: svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER != 0,
            fine: svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER != 0,
            system: svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM != 0,
            atomics: svm & CL_DEVICE_SVM_ATOMICS != 0,
        },
        local_memory: LocalMemory {
            reported: local,
            usable: local,
            dedicated: device.local_mem_type().is_ok_and(|kind| kind == CL_LOCAL),
        },
        max_work_group: device.max_work_group_size()?,
        simd_width: simd_width(vendor, device),
        vector_lanes: device.native_vector_width_float().unwrap_or(0),
        // There is nothing to ask. CUDA's own scans rely on it on all of NVIDIA's GPUs; there it is tried (`probe`).
        independent_progress: vendor == Vendor::Nvidia && kind == DeviceKind::Gpu,
        rounded_division: device
            .single_fp_config()
            .is_ok_and(|config| config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT != 0),
        out_of_order: device.queue_on_host_properties().is_ok_and(|properties| properties & OUT_OF_ORDER != 0),
        ..DeviceProfile::unknown(&name, kind, target)
    };
    for (size, axis) in device.max_work_item_sizes()?.into_iter().zip(&mut profile.max_work_items) {
        *axis = size;
    }
    profile.command_buffers = profile.advertises("cl_khr_command_buffer");
    profile.fp64 = profile.advertises("cl_khr_fp64") || device.double_fp_config().is_ok_and(|config| config != 0);
    if profile.ends_loops().is_some() {
        // Plans for GPUs have many work-items with short loops, where those for processors have few with long ones.
        profile.target = Target::Gpu;
    }
    divisible(&mut profile, device)?;
    Ok(profile)
}

/// The profile of a part: its parent's, but for what a part has of its own.
pub(super) fn part(parent: &DeviceProfile, device: &Device, number: usize) -> opencl3::Result<DeviceProfile> {
    let mut profile = DeviceProfile { selector: format!("{}/{number}", parent.selector), ..parent.clone() };
    divisible(&mut profile, device)?;
    Ok(profile)
}

fn divisible(profile: &mut DeviceProfile, device: &Device) -> opencl3::Result<()> {
    profile.compute_units = device.max_compute_units()?;
    // Drivers older than OpenCL 1.2 cannot be asked, nor divided.
    let ways = device.partition_properties().unwrap_or_default();
    let domains = device.partition_affinity_domain().unwrap_or(0);
    let by_affinity = ways.contains(&CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN);
    let domains = DOMAINS.iter().filter(|(flag, _)| by_affinity && domains & flag != 0);
    profile.partitions = Partitions {
        equally: ways.contains(&CL_DEVICE_PARTITION_EQUALLY),
        by_counts: ways.contains(&CL_DEVICE_PARTITION_BY_COUNTS),
        by_affinity: domains.map(|(_, domain)| *domain).collect(),
        most: device.partition_max_sub_devices().unwrap_or(0),
    };
    Ok(())
}

fn kind(flags: u64) -> (DeviceKind, Target) {
    if flags & CL_DEVICE_TYPE_GPU != 0 {
        (DeviceKind::Gpu, Target::Gpu)
    } else if flags & CL_DEVICE_TYPE_ACCELERATOR != 0 {
        (DeviceKind::Accelerator, Target::Gpu)
    } else if flags & CL_DEVICE_TYPE_CPU != 0 {
        (DeviceKind::Cpu, Target::Cpu)
    } else {
        (DeviceKind::Other, Target::Gpu)
    }
}

/// `OpenCL 3.0 PoCL ...` is (3, 0).
fn version(text: &str) -> (u32, u32) {
    let number = text.strip_prefix("OpenCL ").unwrap_or(text).split_whitespace().next().unwrap_or_default();
    let (major, minor) = number.split_once('.').unwrap_or((number, "0"));
    (major.parse().unwrap_or(0), minor.parse().unwrap_or(0))
}

fn architecture(vendor: Vendor, kind: DeviceKind, name: &str, device: &Device) -> Architecture {
    let known = match vendor {
        Vendor::Nvidia => match (device.compute_capability_major_nv(), device.compute_capability_minor_nv()) {
            (Ok(major), Ok(minor)) => Some(Architecture::Nvidia { major, minor }),
            _ => None,
        },
        Vendor::Amd => Architecture::amd(name),
        Vendor::Intel if kind == DeviceKind::Gpu => device.device_ip_version_intel().ok().and_then(Architecture::intel),
        _ => None,
    };
    known.unwrap_or_else(|| match kind {
        DeviceKind::Cpu => Architecture::this_processor(),
        _ => Architecture::Unknown,
    })
}

/// NVIDIA says by an extension of its own whether a GPU is integrated.
fn unified(vendor: Vendor, device: &Device) -> bool {
    let nvidia = (vendor == Vendor::Nvidia).then(|| device.integrated_memory_nv().ok()).flatten();
    nvidia.map_or_else(|| device.host_unified_memory().is_ok_and(|unified| unified != 0), |integrated| integrated != 0)
}

fn simd_width(vendor: Vendor, device: &Device) -> u32 {
    let width = match vendor {
        Vendor::Nvidia => device.wrap_size_nv(),
        Vendor::Amd => device.wavefront_width_amd(),
        _ => return 0,
    };
    width.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(version("OpenCL 3.0 PoCL HSTR: pthread-x86_64"), (3, 0));
        assert_eq!(version("OpenCL 1.2"), (1, 2));
        assert_eq!(version("OpenCL 3.1 (Build 0)"), (3, 1));
        assert_eq!(version("nonsense"), (0, 0));
    }

    #[test]
    fn types_are_mapped() {
        assert_eq!(kind(CL_DEVICE_TYPE_GPU), (DeviceKind::Gpu, Target::Gpu));
        // The default flag (1) may stand beside any other.
        assert_eq!(kind(CL_DEVICE_TYPE_CPU | 1), (DeviceKind::Cpu, Target::Cpu));
        assert_eq!(kind(CL_DEVICE_TYPE_ACCELERATOR), (DeviceKind::Accelerator, Target::Gpu));
        assert_eq!(kind(1 << 4), (DeviceKind::Other, Target::Gpu), "a custom device");
    }
}
