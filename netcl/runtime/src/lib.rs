//! The run time of netcl: devices, memory, programs, kernel selection, tensors, models' memory, and what stands on them.
//!
//! Programs depend on `netcl`, which shows all of this as its own and adds what is written with its macros; the examples
//! here are written so, too. The run time is a crate of its own so that Cargo builds it beside the macros: both need the
//! compiler, neither the other.
#![deny(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
// Who calls a public function must know what can go wrong.
#![warn(clippy::missing_errors_doc)]

#[doc(hidden)]
pub mod __private;
pub mod algorithms;
mod autograd;
pub mod cache;
mod compile;
pub mod data;
mod device;
mod environment;
mod error;
mod event;
mod executor;
mod expression;
mod function;
mod geometry;
mod gradient_check;
mod hash;
pub mod io;
pub mod jit;
mod launch;
pub mod layers;
mod memory;
mod model;
pub mod nn;
pub mod optim;
pub mod profile;
pub mod raw;
mod recording;
mod report;
pub mod select;
pub mod simt;
mod tensor;

pub use autograd::{
    Backward, Differentiable, autocast, checkpoint, custom_vjp, grad, jvp, no_grad, value_and_grad, vjp,
};
pub use compile::{Argument, Arguments, Compilable, Compiled, CompiledResults, Reference, compile};
pub use device::{
    ActiveDevice, AffinityDomain, Architecture, Atomics, Avoid, Device, DeviceKind, DeviceManager, DeviceProfile,
    FloatAtomics, KernelStrategy, LaunchRecord, LocalMemory, OpenClHandles, Partition, Partitions, Ptx, QueueOrder,
    Quirk, SharedVirtualMemory, SubGroups, Vendor,
};
pub use environment::check_environment;
pub use error::{Error, Result};
pub use event::{Event, EventStatus, EventTimes, Interrupt, UserEvent};
pub use function::{DifferentiableTwice, Pullback};
pub use gradient_check::{GradientCheck, GradientElement};
pub use memory::{Bucket, BufferHandle, BufferPool, PinnedBuffer, PinnedBufferPool, PoolStats};
pub use model::{Gradients, Model, ModelCore, Module, Schema, Seed};
pub use netcl_hal::program::ProgramStats;
pub use netcl_kernels::dtype::DType;
pub use netcl_kernels::plan::Target;
pub use netcl_kernels::precision::Precision;
pub use netcl_kernels::template::Axis;
pub use recording::Recording;
pub use tensor::{AsInteger, AsIntegers, AsNumber, AsOperand, AsTensors, Element, HostData, Operand, Tensor, ToHost};
