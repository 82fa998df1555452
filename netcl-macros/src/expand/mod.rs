//! Generated Rust. Nothing here can fail: every error has been found before.

pub(crate) mod functions;
pub(crate) mod kernel;
pub(crate) mod model;
pub(crate) mod simt;
mod source;
mod stand_in;
mod withheld;
