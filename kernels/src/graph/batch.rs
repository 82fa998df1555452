//! Batches that are normalised by their own statistics, and the elements that takes.

use crate::dim::{Dim, Shape};
use serde::{Deserialize, Serialize};

/// A batch whose every channel (axis 1) is normalised by its own mean and variance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Batch {
    /// The name of the layer that does it.
    pub layer: String,
    /// Of the batch: `[n, channels]` or `[n, channels, h, w]`.
    pub shape: Shape,
}

impl Batch {
    /// How many elements a channel has: all axes but the channels'.
    pub fn count(&self) -> Dim {
        let axes = self.shape.0.iter().enumerate().filter(|(axis, _)| *axis != 1);
        axes.fold(Dim::constant(1), |count, (_, size)| count * size.clone())
    }

    /// What is wrong if the channels of a batch of `shape` have one element or none, which have no variance.
    pub fn too_small(&self, shape: &dyn std::fmt::Display) -> String {
        format!("`{}` expects more than 1 element for each channel while training, found {shape}", self.layer)
    }
}
