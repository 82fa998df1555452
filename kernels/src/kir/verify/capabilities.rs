//! What a kernel may ask of a device.

/// What a device can do, as far as it matters to whether a kernel is legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Double precision.
    pub fp64: bool,
    /// Bytes of local memory of one work-group.
    pub local_memory: u64,
    /// Work-items of one work-group.
    pub max_work_group: u64,
    /// Sub-groups, with their reductions and shuffles.
    pub subgroups: bool,
    /// Atomic operations on 64-bit integers (`cl_khr_int64_base_atomics`, `cl_khr_int64_extended_atomics`).
    pub int64_atomics: bool,
}

impl Capabilities {
    /// What every OpenCL device worth running on has: 16 KiB of local memory, groups of 256, no optional feature.
    pub const fn portable() -> Self {
        Capabilities {
            fp64: false,
            local_memory: 16 << 10,
            max_work_group: 256,
            subgroups: false,
            int64_atomics: false,
        }
    }

    /// No limit: for checking a kernel's form alone.
    pub const fn unlimited() -> Self {
        Capabilities {
            fp64: true,
            local_memory: u64::MAX,
            max_work_group: u64::MAX,
            subgroups: true,
            int64_atomics: true,
        }
    }
}
