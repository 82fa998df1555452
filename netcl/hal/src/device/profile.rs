//! What a device is and what it can do.

use crate::device::quirks::{Avoid, Quirk};
use crate::device::vendor::{Architecture, Vendor};
use netcl_kernels::plan::Target;
use std::fmt;

/// What kind of device it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeviceKind {
    /// An OpenCL GPU.
    Gpu,
    /// An OpenCL accelerator.
    Accelerator,
    /// An OpenCL CPU device.
    Cpu,
    /// An OpenCL device that says it is none of these.
    Other,
    /// This process's own threads; needs no driver.
    Host,
    /// Records launches and computes nothing.
    Null,
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DeviceKind::Gpu => "gpu",
            DeviceKind::Accelerator => "accel",
            DeviceKind::Cpu => "cpu",
            DeviceKind::Other => "other",
            DeviceKind::Host => "host",
            DeviceKind::Null => "null",
        })
    }
}

/// What a device is and what it can do: read from the driver and, where drivers are known to say too little or too
/// much, tried with a small kernel whose numbers are checked. What was tried is kept on disk by device and driver, so
/// that it is tried once. A profile does not change.
///
/// ```
/// let profile = netcl::Device::auto()?.profile().clone();
/// println!("{} ({}, {}): fp16 {}, fp64 {}", profile.name, profile.kind, profile.architecture, profile.fp16, profile.fp64);
/// # Ok::<(), netcl::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[doc(alias = "ExtendedDeviceProfile")]
pub struct DeviceProfile {
    /// Its own name.
    #[doc(alias = "device_name")]
    pub name: String,
    /// How `Device::select` finds exactly this one: `host`, `null`, `opencl:0:1`. A sub-device has its
    /// parent's, a slash and its number (`opencl:0:1/0`), and cannot be selected.
    pub selector: String,
    /// GPU, CPU, ...
    #[doc(alias("backend", "_device_type"))]
    pub kind: DeviceKind,
    /// For which kind of device its plans are made.
    pub target: Target,
    /// Who makes the driver.
    pub vendor: Vendor,
    /// What the driver compiles for.
    pub architecture: Architecture,
    /// The driver's platform; empty where there is none.
    #[doc(alias = "platform_name")]
    pub platform: String,
    /// The driver's version; empty where there is none.
    pub driver: String,
    /// The OpenCL version, major and minor; (0, 0) where there is none.
    pub opencl: (u32, u32),
    /// The extensions that the driver names, sorted. Not all that it has: see [`DeviceProfile::fp16`].
    pub extensions: Vec<String>,

    /// Bytes of memory; 0 where not known.
    pub memory: u64,
    /// The most bytes that one buffer may have; 0 where not known.
    pub max_allocation: u64,
    /// Parts of buffers start at multiples of this many bytes.
    pub buffer_alignment: usize,
    /// Whether it works in the host's own memory, so that a copy between the two is wasted.
    pub unified_memory: bool,
    /// What memory host and device can address by the same pointers.
    pub shared_virtual_memory: SharedVirtualMemory,
    /// Memory that a work-group shares.
    pub local_memory: LocalMemory,

    /// Cores or multiprocessors.
    pub compute_units: u32,
    /// The most work-items a work-group may have; 0 where there are no work-groups.
    pub max_work_group: usize,
    /// The most work-items a work-group may have along each axis.
    pub max_work_items: [usize; 3],
    /// How many work-items run in step (warp, wavefront); 0 where not known.
    pub simd_width: u32,
    /// How many `f32` its vector registers have; 1 where work-items are the lanes, 0 where not known.
    pub vector_lanes: u32,
    /// Whether work-groups that have begun go on while others wait for them. OpenCL does not promise it: processors run one
    /// after the other, and some GPUs stop those that began for others. It is taken for so on NVIDIA's GPUs alone, whose own
    /// libraries rely on it, and there only if it came out so when it was tried.
    pub independent_progress: bool,
    /// Whether the driver rounds quotients and square roots of `f32` correctly if it is told to (of
    /// `CL_DEVICE_SINGLE_FP_CONFIG`). Then netcl's own kernels are built so, and give what Rust gives. Elsewhere they may be
    /// 2.5 and 3 units in the last place off (OpenCL C 1.2, 7.4): GPUs use it, processors' drivers that name nothing divide
    /// correctly all the same.
    pub rounded_division: bool,
    /// Sub-group functions, tried; `None` where kernels cannot use them.
    #[doc(alias = "has_subgroups")]
    pub sub_groups: Option<SubGroups>,
    /// Which atomics there are beyond those on 32-bit integers.
    #[doc(alias = "fast_atomics")]
    pub atomics: Atomics,

    /// Whether kernels may use `f64`.
    pub fp64: bool,
    /// Whether kernels may use `half` arithmetic, tried (storing it is always possible). A driver may have it without
    /// naming `cl_khr_fp16`, as NVIDIA's does.
    #[doc(alias("has_fp16", "supports_fp16", "cl_khr_fp16"))]
    pub fp16: bool,
    /// What inline PTX gives, tried; `None` where there is none.
    pub ptx: Option<Ptx>,

    /// Whether launches can be recorded by the driver (`cl_khr_command_buffer`).
    pub command_buffers: bool,
    /// Whether queues may run commands out of order.
    pub out_of_order: bool,
    /// How it can be divided with `Device::partition`.
    pub partitions: Partitions,
    /// What is not to be used with this driver, and why.
    pub quirks: Vec<&'static Quirk>,
}

/// Which kinds of shared virtual memory there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SharedVirtualMemory {
    /// Buffers that are mapped before the host touches them.
    pub coarse: bool,
    /// Buffers that need no mapping.
    pub fine: bool,
    /// All of the host's memory.
    pub system: bool,
    /// Atomics of one side are seen by the other.
    pub atomics: bool,
}

/// Bytes of local memory for one work-group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalMemory {
    /// What the driver says; kernel *arguments* in local memory are bounded by it.
    pub reported: u64,
    /// What `__local` arrays declared in a kernel may take, tried where it may be more than what is reported.
    pub usable: u64,
    /// Whether it is memory of its own; on processors it is mostly cached global memory.
    pub dedicated: bool,
}

/// Sub-groups of work-items that exchange values without local memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubGroups {
    /// The sizes that kernels may have, ascending.
    pub sizes: Vec<u32>,
}

/// Atomics on global memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Atomics {
    /// On 64-bit integers: add, compare and exchange, minimum and maximum. Tried.
    pub int64: bool,
    /// How `f32` values are added, tried. A loop of compare and exchange works everywhere.
    pub float_add: FloatAtomics,
}

/// How a kernel adds `f32` values atomically.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FloatAtomics {
    /// Not directly.
    #[default]
    None,
    /// `atomic_fetch_add_explicit` on `atomic_float` (`cl_ext_float_atomics`, OpenCL C 3.0).
    Extension,
    /// `atom.global.add.f32` in inline PTX.
    Ptx,
}

/// Tensor-core products (`mma.sync`, `wgmma`) that inline PTX gives, accumulated in f32. Each was run and its numbers checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ptx {
    /// 16 × 8 × 16, f16.
    pub mma_f16: bool,
    /// 16 × 8 × 16, bf16.
    pub mma_bf16: bool,
    /// 16 × 8 × 8, TF32.
    pub mma_tf32: bool,
    /// 64 × N × 16 by four sub-groups together, of operands in local memory; f16 and bf16. (Compute capability 9.0.)
    pub wgmma: bool,
}

impl Ptx {
    /// Whether there are tensor cores at all.
    pub fn tensor_cores(&self) -> bool {
        self.mma_f16 || self.mma_bf16 || self.mma_tf32
    }
}

/// How a device can be divided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partitions {
    /// Into parts of as many compute units each.
    pub equally: bool,
    /// Into parts of given numbers of compute units.
    pub by_counts: bool,
    /// By what its compute units share.
    pub by_affinity: Vec<AffinityDomain>,
    /// Into how many parts at most.
    pub most: u32,
}

/// What compute units may share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AffinityDomain {
    /// A memory node (NUMA).
    Numa,
    /// A level 4 cache.
    L4Cache,
    /// A level 3 cache.
    L3Cache,
    /// A level 2 cache.
    L2Cache,
    /// A level 1 cache.
    L1Cache,
    /// The next of these along which the device can be divided.
    NextPartitionable,
}

impl fmt::Display for AffinityDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AffinityDomain::Numa => "NUMA node",
            AffinityDomain::L4Cache => "L4 cache",
            AffinityDomain::L3Cache => "L3 cache",
            AffinityDomain::L2Cache => "L2 cache",
            AffinityDomain::L1Cache => "L1 cache",
            AffinityDomain::NextPartitionable => "next partitionable domain",
        })
    }
}

impl DeviceProfile {
    /// The same, but for a change: of devices that tests make up.
    #[doc(hidden)]
    pub fn with(mut self, change: impl FnOnce(&mut DeviceProfile)) -> DeviceProfile {
        change(&mut self);
        self
    }

    /// A device of which nothing is known but this.
    #[doc(hidden)]
    pub fn unknown(name: &str, kind: DeviceKind, target: Target) -> DeviceProfile {
        DeviceProfile {
            name: name.to_owned(),
            selector: name.to_owned(),
            kind,
            target,
            vendor: Vendor::Other,
            architecture: Architecture::Unknown,
            platform: String::new(),
            driver: String::new(),
            opencl: (0, 0),
            extensions: Vec::new(),
            memory: 0,
            max_allocation: 0,
            buffer_alignment: 1,
            unified_memory: false,
            shared_virtual_memory: SharedVirtualMemory::default(),
            local_memory: LocalMemory::default(),
            compute_units: 1,
            max_work_group: 0,
            max_work_items: [0; 3],
            simd_width: 0,
            vector_lanes: 0,
            independent_progress: false,
            rounded_division: false,
            sub_groups: None,
            atomics: Atomics::default(),
            fp64: false,
            fp16: false,
            ptx: None,
            command_buffers: false,
            out_of_order: false,
            partitions: Partitions::default(),
            quirks: Vec::new(),
        }
    }

    /// Whether the driver names an extension: `profile.advertises("cl_khr_fp16")`.
    pub fn advertises(&self, extension: &str) -> bool {
        self.extensions.binary_search_by(|name| name.as_str().cmp(extension)).is_ok()
    }

    /// Whether device and host share their memory: integrated GPUs, OpenCL on a processor, the host.
    #[doc(alias = "is_integrated_gpu")]
    pub fn is_integrated(&self) -> bool {
        self.unified_memory
    }

    /// Whether there is any shared virtual memory.
    pub fn has_svm_support(&self) -> bool {
        let SharedVirtualMemory { coarse, fine, system, .. } = self.shared_virtual_memory;
        coarse || fine || system
    }

    /// Whether something is not to be used with its driver.
    #[doc(hidden)]
    pub fn avoids(&self, what: Avoid) -> bool {
        self.quirks.iter().any(|quirk| quirk.avoid == what)
    }

    /// The driver's defect of ending long loops early, if it has that.
    pub fn ends_loops(&self) -> Option<&'static Quirk> {
        self.quirks.iter().copied().find(|quirk| matches!(quirk.avoid, Avoid::LoopsBeyond(_)))
    }

    /// The most bytes that one fill command may cover.
    pub(crate) fn max_fill(&self) -> usize {
        let limits = self.quirks.iter().filter_map(|quirk| match quirk.avoid {
            Avoid::FillsAbove(bytes) => usize::try_from(bytes).ok(),
            _ => None,
        });
        limits.min().unwrap_or(usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_found_by_their_whole_name() {
        let mut profile = DeviceProfile::unknown("device", DeviceKind::Gpu, Target::Gpu);
        profile.extensions = vec!["cl_khr_fp16".into(), "cl_khr_subgroups".into()];
        assert!(profile.advertises("cl_khr_fp16") && profile.advertises("cl_khr_subgroups"));
        assert!(!profile.advertises("cl_khr_fp") && !profile.advertises("fp16"));
    }

    #[test]
    fn any_kind_of_shared_virtual_memory_counts() {
        let mut profile = DeviceProfile::unknown("device", DeviceKind::Gpu, Target::Gpu);
        assert!(!profile.has_svm_support());
        profile.shared_virtual_memory.atomics = true;
        assert!(!profile.has_svm_support(), "atomics alone share nothing");
        profile.shared_virtual_memory.coarse = true;
        assert!(profile.has_svm_support());
    }
}
