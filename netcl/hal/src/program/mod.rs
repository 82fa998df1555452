//! Built programs: what identifies them, and where they are kept between runs.

pub mod disk;
pub mod file;
mod includes;
mod key;
pub mod limit;
mod stats;

pub use includes::blank;
pub(crate) use includes::{literal, reads_files};
pub use key::{Key, Kind, file_name};
pub use stats::ProgramStats;
pub(crate) use stats::{Counters, count};
