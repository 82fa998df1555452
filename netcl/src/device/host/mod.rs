//! The host as a device: its memory, native kernels, and products.
#![allow(unsafe_code, reason = "the home of host memory and of native kernels")]

pub mod memory;

/// Entry of a native kernel.
pub type NativeEntry = fn();
