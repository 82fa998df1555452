//! The netcl compiler as a library. Pure: no OpenCL, no files, no `syn`, no `unsafe`.
//!
//! ```text
//! graph ─▶ autodiff ─▶ precision ─▶ fuse ─▶ schedule (kernel IR) ─▶ verify ─▶ emit (OpenCL C, Rust) ─▶ plan
//! ```
//!
//! `netcl-macros` runs it while a user's crate compiles, `netcl::jit` runs it on graphs that are known only at run
//! time; both get the same kernels.
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
// Who calls a public function must know what can go wrong.
#![warn(clippy::missing_errors_doc)]

pub mod autodiff;
mod binding;
pub mod compile;
mod decompose;
pub mod dim;
pub mod dtype;
pub mod emit;
pub mod equality;
pub mod fold;
mod fuse;
pub mod graph;
pub mod identifier;
mod index;
pub mod kir;
pub mod layers;
mod numeric;
pub mod ops;
pub mod philox;
pub mod plan;
mod policy;
pub mod precision;
mod quotient;
mod rewrite;
pub mod scalar;
mod schedule;
mod sign;
pub mod span;
mod target;
pub mod template;
mod text;
mod trend;
pub mod variant;

pub use schedule::scalars;
