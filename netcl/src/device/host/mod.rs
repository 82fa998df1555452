//! The host: memory, native kernels, the interpreter's arithmetic for this processor.

mod isa;
pub(crate) mod lanes;
pub(crate) mod math;
pub(crate) mod memory;
pub(crate) mod native;
pub(crate) mod view;

pub use isa::engine;
pub use native::NativeEntry;

#[cfg(test)]
mod tests;
