//! What was made for the arguments of earlier calls: parsed expressions, and the macros that kernels get of them.

use crate::error::Result;
use std::sync::{Arc, Mutex, PoisonError};

/// How many are kept.
const KEPT: usize = 64;

/// Values by key, the latest used first. Keys are looked at one after the other, so that none is made for a look.
pub(super) struct RecentlyUsed<K, V>(Mutex<Vec<(K, Arc<V>)>>);

impl<K, V> RecentlyUsed<K, V> {
    pub(super) const fn new() -> RecentlyUsed<K, V> {
        RecentlyUsed(Mutex::new(Vec::new()))
    }

    /// The value whose key fits, or else what `make` gives.
    pub(super) fn get(&self, fits: impl Fn(&K) -> bool, make: impl FnOnce() -> Result<(K, V)>) -> Result<Arc<V>> {
        let list = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut list = list();
            if let Some(position) = list.iter().position(|(key, _)| fits(key)) {
                list[..=position].rotate_right(1);
                return Ok(list[0].1.clone());
            }
        }
        let (key, value) = make()?;
        let value = Arc::new(value);
        let mut list = list();
        list.truncate(KEPT - 1);
        list.insert(0, (key, value.clone()));
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_lately_is_not_made_again() {
        let recent = RecentlyUsed::new();
        let made = std::cell::Cell::new(0);
        let get = |wanted: usize| {
            let make = || {
                made.set(made.get() + 1);
                Ok((wanted, wanted * 10))
            };
            assert_eq!(*recent.get(|key| *key == wanted, make).unwrap(), wanted * 10);
        };
        (0..KEPT).for_each(get);
        get(0);
        assert_eq!(made.get(), KEPT);
        // Makes room by what was used least recent, which is 1 and not 0.
        get(KEPT);
        get(0);
        assert_eq!(made.get(), KEPT + 1);
        get(1);
        assert_eq!(made.get(), KEPT + 2);
    }
}
