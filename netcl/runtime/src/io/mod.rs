//! Weights, and training that goes on later, on disk.

mod checkpoint;
mod file;
mod reader;
mod weights;

pub use checkpoint::{load_checkpoint, load_scaled_checkpoint, save_checkpoint, save_scaled_checkpoint};
pub use weights::{load, load_foreign, save};
