//! The host: its memory, native kernels, products and convolutions, the interpreter's arithmetic for this processor.

pub(crate) mod access;
#[cfg(target_arch = "x86_64")]
mod avx;
pub mod backend;
mod cells;
mod conv;
mod elements;
mod entry;
mod faults;
mod isa;
mod lanes;
mod launch;
mod library;
pub(crate) mod loops;
mod math;
#[allow(unsafe_code, reason = "calls of the matrix library")]
mod matmul;
pub mod memory;
mod multiversion;
pub(crate) mod native;
mod operations;
#[allow(unsafe_code, reason = "elements as bytes and back")]
pub mod plain;
pub mod pool;
#[allow(unsafe_code, reason = "slices of host memory for the matrix library")]
mod product;
mod scatter;
mod tracks;
mod view;

pub use entry::NativeEntry;

/// What the text of native kernels calls, and what runs them.
pub mod exports {
    pub use super::entry::{EntryPoint, NativeEntry, entry, interpreted, wide_entry};
    pub use super::faults::Faults;
    pub use super::isa::Isa;
    pub use super::lanes::V;
    pub use super::math::*;
    pub use super::memory::HostBuffer;
    pub use super::multiversion::engine;
    pub use super::native::{Args, NativeKernel, Passed};
    pub use super::operations::{LaneElement, select};
    pub use super::view::{Bf16, F16, NativeElement, View, array_at, array_put};
    pub use netcl_kernels::kir::AtomicOp;
}
