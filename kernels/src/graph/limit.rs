//! Bounds of what symbols decide: ends of slices, sizes that are not negative, elements that can be counted.

use crate::dim::Dim;
use serde::{Deserialize, Serialize};
use std::fmt::Display;

/// A value that must not be larger than another: each call is checked. A slice ends inside an axis, and 0 is not more than a size.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Limit {
    /// Where the slice ends; 0, of what may not be negative.
    pub end: Dim,
    /// The axis; the most that there may be; what may not be negative.
    pub size: Dim,
    /// What is said before the end, and between it and the size.
    pub words: [String; 2],
}

impl Limit {
    /// What is wrong, the end and the axis written like that.
    pub fn beyond(&self, end: &dyn Display, size: &dyn Display) -> String {
        let [before, between] = &self.words;
        format!("{before}{end}{between} {size}")
    }
}
