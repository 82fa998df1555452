//! Kernels: their text, their verifier, what is emitted for them.

mod emit;
mod scalars;
mod text;
mod verify;
