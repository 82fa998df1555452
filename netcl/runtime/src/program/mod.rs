//! Built programs: what identifies them, and where they are kept between runs.

pub mod cache;
pub(crate) mod disk;
mod file;
mod includes;
mod key;
mod limit;
mod stats;

pub(crate) use includes::{blank, reads_files};
pub(crate) use key::Key;
pub use stats::ProgramStats;
pub(crate) use stats::{Counters, count};
