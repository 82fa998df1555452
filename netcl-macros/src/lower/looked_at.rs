//! Which parts of a body have been looked at.

use std::collections::BTreeSet;

/// The parts of a body that have been looked at, by their places in memory.
#[derive(Clone, Default)]
pub(super) struct LookedAt(BTreeSet<usize>);

impl LookedAt {
    /// Notes a part; whether it is the first time.
    pub(super) fn note<T>(&mut self, part: &T) -> bool {
        self.0.insert(std::ptr::from_ref(part).addr())
    }
}
