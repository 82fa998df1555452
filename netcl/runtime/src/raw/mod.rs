//! Kernels in OpenCL C that you bring yourself: built, checked, tuned and run with netcl's tensors.
//!
//! | what | for |
//! |---|---|
//! | [`KernelSpec`] | a kernel's text, from parameters and a body or as a whole, with macros and build options |
//! | [`RawKernel`] | the built kernel; its arguments are checked against the program's own parameters |
//! | [`elementwise`], [`PrimitiveBuilder`] | a kernel from an expression: `MUL(ADD(v0, v1), 2.0f)` |
//! | [`WorkGroupTuner`] | the size of work-groups: a rule, and measurements that later runs remember |
//!
//! Programs go through the same cache as all others, in memory and on disk. OpenCL C needs an OpenCL device: on the host
//! and the null device building is an [`crate::Error::Unsupported`]. What is written with `netcl::kernel!`, or as an
//! expression for [`crate::algorithms`], runs everywhere.

mod argument;
mod elementwise;
mod grid;
mod kernel;
mod launch;
mod measurement;
mod spec;
mod tuner;

pub use argument::{Arg, Value};
pub use elementwise::{Elementwise, PrimitiveBuilder, elementwise};
pub use grid::Grid;
pub use kernel::RawKernel;
pub use netcl_hal::device::parameter::{AddressSpace, Parameter};
pub use spec::KernelSpec;
pub use tuner::WorkGroupTuner;

/// Macros that generated and hand-written bodies share: `LOAD(p, i)`, `STORE(p, i, v)`, `ADD`, `SUB`, `MUL`, `DIV`, `MIN`,
/// `MAX` and `RELU`. For elements that are stored in half precision define `NETCL_HALF` before it (as
/// [`KernelSpec::dtype`] with [`crate::DType::F16`] does): `LOAD` and `STORE` then convert from and to `float`, which
/// needs no `cl_khr_fp16`. Of bf16 they do so in a spec whose types are all [`crate::DType::BF16`].
pub const PRIMITIVE_PREAMBLE: &str = include_str!("preamble.cl");
