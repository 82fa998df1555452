//! Sizes that must be equal where symbols decide it.

use crate::dim::Dim;
use serde::{Deserialize, Serialize};
use std::fmt::Display;

/// Two sizes that an operation wants equal, and that are but for what divisions round off: rows of a picture that was halved
/// and doubled, and of the picture itself. Each call is checked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Agreement {
    /// Who wants it, up to the first size.
    pub what: String,
    /// The sizes.
    pub sizes: [Dim; 2],
    /// What is said behind each: where it came from.
    pub notes: [String; 2],
    /// What stands between the two.
    pub joint: String,
}

impl Agreement {
    /// What is wrong where they differ, the sizes written like that.
    pub fn differ(&self, sizes: [&dyn Display; 2]) -> String {
        let ([first, second], [note, other]) = (sizes, &self.notes);
        format!("{} {first}{note} {} {second}{other}", self.what, self.joint)
    }
}
