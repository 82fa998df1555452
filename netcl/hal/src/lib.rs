//! The hardware abstraction layer of netcl: devices as their drivers know them.
//!
//! [`device::backend::Backend`] is the seam: an open device, which has memory, copies, events and programs. Three backends
//! stand behind it: [`opencl`] calls a driver, [`host`] computes on this process's own threads, [`null`] records what it is
//! given and computes nothing. A [`device::adapter::Adapter`] is a device that was found and is not open yet.
//!
//! A backend is given regions of memory ([`device::memory::Region`]) and dispatches whose sizes are numbers
//! ([`device::dispatch`]). It knows no tensors, no models, no plans, and does not choose kernels: `netcl-runtime`, which does
//! all of that, stands above it.
//!
//! # What is checked where
//!
//! Arguments are checked above the seam and never below it: that a region is large enough, is of this device, and that nothing
//! on another queue still uses it, that a kernel's parameters have the types of its arguments. A backend reports what the
//! machine says, as [`Error`], and nothing else. So its functions may be called only by who has made these checks:
//! programs use the crate `netcl`.
//!
//! # Stability
//!
//! There is none. The crate is published because `netcl-runtime` needs it; any release may change anything here.
#![deny(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod config;
pub mod device;
pub mod element;
mod error;
pub mod event;
pub mod files;
pub mod host;
pub mod memory;
pub mod null;
pub mod opencl;
mod panics;
pub mod process;
pub mod profile;
pub mod program;
pub mod recent;

pub use error::{Error, Result, text};
