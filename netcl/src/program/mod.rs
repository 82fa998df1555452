//! Built programs: what identifies them, and where they are kept between runs.

pub(crate) mod disk;
mod key;

pub(crate) use key::{Key, checksum};
