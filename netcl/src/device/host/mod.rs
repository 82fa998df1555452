//! The host: memory, native kernels, the block interpreter, matrix products and convolutions.

#[allow(unsafe_code, reason = "raw memory that threads share; every block says what it relies on")]
pub(crate) mod memory;

/// Native code of one loop step, made by the macro.
pub type NativeEntry = fn();
