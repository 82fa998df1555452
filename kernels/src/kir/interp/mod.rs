//! The block interpreter: the reference semantics of kernels, and what runs them on the host where no native code was
//! made for them.
//!
//! By hand, and not `cranelift`: this is the definition that generated code is tested against, in safe code for every platform.
//!
//! A work-group at a time (or, where groups do not matter, a block of `BLOCK` values), every expression is evaluated
//! for all work-items at once as a typed vector. Work-items that take different ways are told apart by masks. As
//! statements run in lockstep, barriers need no threads.
//!
//! ```text
//! Verified ─▶ CompiledKernel (made once) ─▶ Launch (arguments and sizes) ─▶ run_groups(range), from any thread
//! ```
//!
//! Errors are values: an access outside of a buffer, a barrier that not all items reach.

mod access;
mod compile;
mod extent;
mod fault;
mod instr;
mod launch;
mod loops;
mod memory;
mod operation;
pub mod ops;
mod place;
mod program;
mod rare;
mod real;
mod run;
mod scope;
mod state;
mod statement;
mod values;
mod wide;

pub use fault::Fault;
pub use launch::{CompiledKernel, Launch, LaunchArg};
pub use memory::{AtomicValue, Bytes, Memory, Slice, SliceMut};
pub use ops::Engine;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_memory;
