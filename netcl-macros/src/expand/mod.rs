//! Generated Rust. Nothing here can fail: every error has been found before.

mod fields;
pub(crate) mod functions;
mod gradients;
pub(crate) mod instance;
pub(crate) mod kernel;
mod least;
pub(crate) mod meant;
pub(crate) mod model;
mod rust;
mod schema;
pub(crate) mod simt;
mod source;
mod stand_in;
mod withheld;

pub(crate) use rust::{dtype, known};
