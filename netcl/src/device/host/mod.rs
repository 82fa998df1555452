//! The host: memory, native kernels, the block interpreter, matrix products and convolutions.

pub(crate) mod memory;

/// Native code of one loop step, made by the macro.
pub type NativeEntry = fn();
