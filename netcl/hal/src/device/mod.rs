//! What a backend is, what it is given, and what is known about a device.

pub mod adapter;
pub mod backend;
pub mod commands;
pub mod dispatch;
pub mod geometry;
pub mod kernels;
pub mod memory;
pub mod parameter;
pub mod partition;
pub mod profile;
pub mod queue;
pub mod quirks;
pub mod scalar;
pub mod selector;
pub mod slots;
pub mod strategy;
pub mod vendor;

pub use partition::Partition;
pub use profile::{
    AffinityDomain, Atomics, DeviceKind, DeviceProfile, FloatAtomics, LocalMemory, Partitions, Ptx,
    SharedVirtualMemory, SubGroups,
};
pub use queue::QueueOrder;
pub use quirks::{Avoid, Quirk};
pub use strategy::KernelStrategy;
pub use vendor::{Architecture, Vendor};
