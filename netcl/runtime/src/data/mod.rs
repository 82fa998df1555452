//! Data for training: batches of host arrays, shuffled and on the device.

mod loader;

pub use loader::{Batches, DataLoader};
