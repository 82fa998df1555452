//! Windows of poolings and convolutions, and the room they need.

use super::ConvGeometry;
use crate::dim::Dim;
use serde::{Deserialize, Serialize};

/// A window along one axis.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Window {
    /// Of the axis, in elements.
    pub size: Dim,
    /// From the window's first element to its last, in elements.
    pub reach: i64,
    /// Added on either side, in elements.
    pub padding: i64,
}

impl Window {
    /// The window of `kernel` elements along one spatial axis, 0 or 1, of `size`.
    pub fn new(size: &Dim, kernel: u64, axis: usize, geometry: &ConvGeometry) -> Window {
        let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        let reach = signed(geometry.dilation[axis]).saturating_mul(signed(kernel).saturating_sub(1)).saturating_add(1);
        Window { size: size.clone(), reach, padding: signed(geometry.padding[axis]) }
    }

    /// How many elements the axis and its padding have beyond the window.
    pub fn spare(&self) -> Dim {
        self.size.clone() + Dim::constant(self.padding.saturating_mul(2).saturating_sub(self.reach))
    }

    /// What is wrong if it does not fit into an axis of `size`.
    pub fn misfit(&self, size: &dyn std::fmt::Display) -> String {
        format!("a window of {} does not fit into {size} with padding {}", self.reach, self.padding)
    }
}
