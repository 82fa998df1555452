//! Ends of slices that symbols decide.

use crate::dim::Dim;
use serde::{Deserialize, Serialize};
use std::fmt::Display;

/// A slice that must end inside an axis: each call is checked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Limit {
    /// Where the slice ends.
    pub end: Dim,
    /// The axis.
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
