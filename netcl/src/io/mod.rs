//! Weights on disk.

mod replace;
mod weights;

pub(crate) use replace::{Durable, replace_file};
pub use weights::{load, save};
