//! Runs plans: checks the arguments, picks the objects made for their sizes, launches.
//!
//! What is done when: a plan's text is parsed on first use; its kernels are built once per device ([`loaded`]); the arena
//! and the kernel objects are made once per set of symbol values ([`bind`]); a call sets what changed and launches.

mod bind;
mod check;
pub(crate) mod function;
pub(crate) mod geometry;
mod interface;
pub(crate) mod loaded;
pub(crate) mod prepare;
mod recorded;
mod resolve;
pub(crate) mod scalar;

pub(crate) use loaded::{Call, Loaded};
