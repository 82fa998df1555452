//! The host as a device: its memory, native kernels, and products.
#![allow(unsafe_code, reason = "the home of host memory and of native kernels")]

mod matmul;
pub(crate) mod memory;
pub(crate) mod product;

/// Entry of a native kernel.
pub type NativeEntry = fn();
