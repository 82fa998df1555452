//! What is known of sizes that symbols decide.

use crate::dim::{Dim, Shape, WIDE_LIMIT};
use std::collections::BTreeSet;

/// What is known of sizes.
#[derive(Clone, Debug, Default)]
pub(super) struct Bounds {
    /// The operation that the user has called, which is what appends.
    pub(super) operation: Option<&'static str>,
    /// Sizes that are not negative: axes of what callers supply, what calls are checked for, and what has been seen not to be.
    pub(super) sizes: BTreeSet<Dim>,
    /// Numbers of elements that can be counted, of what callers supply and what calls are checked for.
    pub(super) elements: BTreeSet<Dim>,
    /// Numbers of elements that have been seen to be few beside those: most tensors have as many as others.
    few: BTreeSet<Dim>,
}

/// How many times the elements of a tensor that is there, or of one that is checked, are counted without being looked at, and how
/// many beside them: both are fewer than 2^57, so that these are fewer than 2^63.
const TIMES: i64 = 1 << 5;
const BESIDE: i64 = 1 << 24;

impl Bounds {
    /// What a caller supplies is there: no size of it is negative, and its elements lie in memory.
    pub(super) fn supplied(&mut self, shape: &Shape) {
        self.sizes.extend(shape.0.iter().filter(|size| size.as_constant().is_none()).cloned());
        self.elements.insert(shape.elements());
    }

    /// Whether so many elements can be counted in any call that is not refused.
    pub(super) fn can_count(&mut self, elements: &Dim) -> bool {
        if self.elements.contains(elements) || self.few.contains(elements) {
            return true;
        }
        let beside = Dim::constant(BESIDE) - elements.clone();
        let fewer = |known: &Dim| (known.clone() * Dim::constant(TIMES) + beside.clone()).never_negative();
        let few = elements.as_constant().is_some_and(|elements| elements <= WIDE_LIMIT as i64)
            || beside.never_negative()
            || self.elements.iter().any(fewer);
        if few {
            self.few.insert(elements.clone());
        }
        few
    }
}
