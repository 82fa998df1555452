//! Weights on disk.

mod weights;

pub use weights::{load, save};
