//! Kernels: their text, their verifier, what is emitted for them.

mod alignment;
mod emit;
mod scalars;
mod text;
mod verify;
