//! netcl: deep learning for every OpenCL device, with gradients generated while your crate compiles.
#![deny(unsafe_code)]
// Who calls a public function must know what can go wrong.
#![warn(clippy::missing_errors_doc)]

// What the macros generate says `::netcl`, here as in users' crates.
extern crate self as netcl;

#[doc(hidden)]
pub mod __private;
pub mod algorithms;
mod config;
pub mod data;
mod device;
mod error;
mod event;
mod executor;
mod expression;
mod files;
mod gradient_check;
pub mod io;
pub mod jit;
mod log;
mod memory;
mod model;
pub mod nn;
pub mod optim;
pub mod prelude;
pub mod profile;
mod program;
pub mod raw;
mod recording;
mod report;
pub mod select;
pub mod simt;
mod tensor;

pub use config::check_environment;
pub use device::{
    ActiveDevice, AffinityDomain, Architecture, Atomics, Avoid, Device, DeviceKind, DeviceManager, DeviceProfile,
    FloatAtomics, KernelStrategy, LaunchRecord, LocalMemory, OpenClHandles, Partition, Partitions, Ptx, QueueOrder,
    Quirk, SharedVirtualMemory, SubGroups, Vendor,
};
pub use error::{Error, Result};
pub use event::{Event, EventStatus, EventTimes, Interrupt, UserEvent};
pub use gradient_check::{GradientCheck, GradientElement};
pub use memory::{Bucket, BufferHandle, BufferPool, PinnedBuffer, PinnedBufferPool, PoolStats};
pub use model::{Gradients, Model, ModelCore, Schema, Seed};
pub use netcl_kernels::dtype::DType;
pub use netcl_kernels::plan::Target;
pub use netcl_kernels::template::Axis;
pub use netcl_macros::{constant, dynamic, function, kernel, model};
pub use program::{ProgramStats, cache};
pub use recording::Recording;
pub use tensor::{Element, HostData, Operand, Tensor, ToHost};

#[cfg(test)]
mod tests_from_python;

/// The programs in pages of `docs/` are compiled and run with the other examples.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../docs/algorithms.md")]
    mod algorithms {}
    #[doc = include_str!("../../docs/from-python.md")]
    mod from_python {}
    #[doc = include_str!("../../docs/kernels.md")]
    mod kernels {}
    #[doc = include_str!("../../docs/memory.md")]
    mod memory {}
    #[doc = include_str!("../../docs/models.md")]
    mod models {}
    #[doc = include_str!("../../docs/programs.md")]
    mod programs {}
    #[doc = include_str!("../../docs/raw-kernels.md")]
    mod raw_kernels {}
    #[doc = include_str!("../../docs/selection.md")]
    mod selection {}
}
