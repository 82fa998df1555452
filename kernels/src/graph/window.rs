//! Windows of poolings and convolutions, and the room they need.

use crate::dim::Dim;
use serde::{Deserialize, Serialize};

/// Stride, padding, dilation and groups of a two-dimensional convolution, `[height, width]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ConvGeometry {
    /// Step between output positions, in input elements.
    pub stride: [u64; 2],
    /// Zeros added on either side.
    pub padding: [u64; 2],
    /// Step between kernel taps, in input elements.
    pub dilation: [u64; 2],
    /// Channel groups that do not mix.
    pub groups: u64,
}

impl Default for ConvGeometry {
    fn default() -> Self {
        ConvGeometry { stride: [1, 1], padding: [0, 0], dilation: [1, 1], groups: 1 }
    }
}

/// A window along one axis.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Window {
    /// Of the axis, in elements.
    pub size: Dim,
    /// From the window's first element to its last, in elements.
    pub reach: i64,
    /// Added on either side, in elements.
    pub padding: i64,
    /// The layer or the operation that slides it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
}

impl Window {
    /// The window of `kernel` elements along one spatial axis, 0 or 1, of `size`.
    pub fn new(size: &Dim, kernel: u64, axis: usize, geometry: &ConvGeometry) -> Window {
        let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        let reach = signed(geometry.dilation[axis]).saturating_mul(signed(kernel).saturating_sub(1)).saturating_add(1);
        Window { size: size.clone(), reach, padding: signed(geometry.padding[axis]), of: None }
    }

    /// How many elements the axis and its padding have beyond the window.
    pub fn spare(&self) -> Dim {
        self.size.clone() + Dim::constant(self.padding.saturating_mul(2).saturating_sub(self.reach))
    }

    /// Whether it is the same window, whoever slides it.
    pub fn is(&self, other: &Window) -> bool {
        (&self.size, self.reach, self.padding) == (&other.size, other.reach, other.padding)
    }

    /// What is wrong if it does not fit into an axis of `size`.
    pub fn misfit(&self, size: &dyn std::fmt::Display) -> String {
        let of = self.of.as_ref().map(|name| format!("`{name}`: ")).unwrap_or_default();
        // Of no padding there is nothing that anybody wrote.
        let padded = if self.padding == 0 { String::new() } else { format!(" with padding {}", self.padding) };
        format!("{of}a window of {} does not fit into {size}{padded}", self.reach)
    }
}
