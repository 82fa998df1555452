//! What crosses crates, on every device that computes: generated code, whole models, drivers that fail.
#![allow(missing_docs, unreachable_pub, reason = "models and kernels stand here as users write them")]

mod blocks;
mod bodies;
mod branches;
mod called_kernels;
mod common;
mod composed;
mod constants;
mod crates;
mod digits;
mod drivers;
mod events;
mod fields;
mod functions;
mod generic;
mod generic_images;
mod generic_numbers;
mod higher;
mod images;
mod kernels;
mod launches;
mod layers;
mod lists;
mod loops;
mod macros;
mod names;
mod numbers;
mod positions;
mod rust_twins;
mod simt;
mod simt_rust;
mod sizes;
mod soak;
mod taken_names;
mod twins;
mod zeros;
