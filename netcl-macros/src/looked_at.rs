//! Which parts of a function's body have been looked at, on whichever path through it and in whichever mode.

use std::any::type_name;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The parts of a body that have been looked at, by their places in memory and their types: a part may begin where what it is in does.
#[derive(Default)]
pub(crate) struct LookedAt(RefCell<BTreeSet<(usize, &'static str)>>);

impl LookedAt {
    /// Notes a part; whether it is the first time.
    pub(crate) fn note<T>(&self, part: &T) -> bool {
        self.0.borrow_mut().insert((std::ptr::from_ref(part).addr(), type_name::<T>()))
    }
}

impl Clone for LookedAt {
    /// Of the copy of a body, whose parts are elsewhere.
    fn clone(&self) -> Self {
        LookedAt::default()
    }
}
