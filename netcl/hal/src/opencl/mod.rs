//! Devices behind an OpenCL driver. The only place that calls OpenCL.
//!
//! One in-order queue per device: commands run in the order in which they were enqueued, so a buffer that was freed may
//! be handed out again while commands that use it are still waiting. A context is one device's, or is shared by the
//! parts of a device or by devices that were asked for together.
#![allow(unsafe_code, reason = "OpenCL is a C interface; every block says what it relies on")]

mod allocate;
mod backend;
mod build;
mod builtins;
mod close;
mod commands;
mod context;
mod describe;
pub mod discover;
mod driver;
mod enqueue;
mod event;
mod exit;
mod finish;
pub mod handles;
mod health;
mod in_flight;
mod kernel;
mod launch;
mod mapped;
mod memory;
mod open;
mod order;
mod pace;
mod peer_copy;
mod pending;
mod pinned;
mod probe;
mod programs;
mod queue_progress;
mod record;
mod retarget;
mod shared;
mod single_kernels;
mod sub_buffers;
mod transfer;
mod widening;

pub use build::{NOT_OPTIMIZED, ROUNDED_DIVISION};
#[doc(hidden)]
pub use open::with_profile;

#[cfg(test)]
mod tests;
