//! The host as a device: its memory, native kernels, and products.

pub mod memory;
