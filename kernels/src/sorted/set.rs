//! A set as a sorted list.

use std::borrow::Borrow;
use std::fmt;

/// A set as a vector in order, as [`SortedMap`](super::SortedMap).
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SortedSet<K> {
    /// None twice.
    keys: Vec<K>,
}

impl<K> SortedSet<K> {
    /// Of nothing.
    pub const fn new() -> SortedSet<K> {
        SortedSet { keys: Vec::new() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// In order.
    pub fn iter(&self) -> std::slice::Iter<'_, K> {
        self.keys.iter()
    }

    /// In order.
    pub fn as_slice(&self) -> &[K] {
        &self.keys
    }

    /// Takes all of them out.
    pub fn clear(&mut self) {
        self.keys.clear();
    }
}

impl<K: Ord> SortedSet<K> {
    /// Whether it is one of them.
    pub fn contains<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.keys.binary_search_by(|known| known.borrow().cmp(key)).is_ok()
    }

    /// Adds it; whether it was not there.
    pub fn insert(&mut self, key: K) -> bool {
        let position = self.keys.binary_search(&key);
        if let Err(position) = position {
            self.keys.insert(position, key);
        }
        position.is_err()
    }

    /// Takes it out; whether it was there.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        let position = self.keys.binary_search_by(|known| known.borrow().cmp(key));
        if let Ok(position) = position {
            self.keys.remove(position);
        }
        position.is_ok()
    }

    /// Whether all of them are in `other`.
    pub fn is_subset(&self, other: &SortedSet<K>) -> bool {
        self.keys.iter().all(|key| other.contains(key))
    }

    /// Those that are not less than `key`, in order.
    pub fn at_least(&self, key: &K) -> &[K] {
        &self.keys[self.keys.partition_point(|known| known < key)..]
    }
}

impl<K> Default for SortedSet<K> {
    fn default() -> Self {
        SortedSet::new()
    }
}

impl<K: fmt::Debug> fmt::Debug for SortedSet<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl<K: Ord> Extend<K> for SortedSet<K> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        for key in keys {
            self.insert(key);
        }
    }
}

impl<K: Ord> FromIterator<K> for SortedSet<K> {
    fn from_iter<I: IntoIterator<Item = K>>(keys: I) -> Self {
        let mut set = SortedSet::new();
        set.extend(keys);
        set
    }
}

impl<K> IntoIterator for SortedSet<K> {
    type Item = K;
    type IntoIter = std::vec::IntoIter<K>;

    fn into_iter(self) -> Self::IntoIter {
        self.keys.into_iter()
    }
}

impl<'a, K> IntoIterator for &'a SortedSet<K> {
    type Item = &'a K;
    type IntoIter = std::slice::Iter<'a, K>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::philox;
    use std::collections::BTreeSet;

    #[test]
    fn it_is_the_set_of_the_standard_library() {
        let (mut own, mut other) = (SortedSet::new(), BTreeSet::new());
        for step in 0..2000 {
            let word = philox::word(11, 0, step);
            let key = ((word >> 8) % 64).to_string();
            match word % 3 {
                0 => assert_eq!(own.remove(key.as_str()), other.remove(key.as_str())),
                1 => assert_eq!(own.contains(key.as_str()), other.contains(key.as_str())),
                _ => assert_eq!(own.insert(key.clone()), other.insert(key)),
            }
            assert_eq!((own.len(), own.is_empty()), (other.len(), other.is_empty()));
        }
        assert!(own.len() > 20, "few keys were met");
        assert!(own.iter().eq(&other) && (&own).into_iter().eq(&other));
        assert!((0..64).map(|key| key.to_string()).all(|key| own.at_least(&key).iter().eq(other.range(key..))));
        assert_eq!(format!("{own:?}"), format!("{other:?}"));
        assert!(own.into_iter().eq(other));
    }

    #[test]
    fn what_is_collected_is_sorted_and_distinct() {
        let mut set: SortedSet<u8> = [3, 1, 3, 2, 1].into_iter().collect();
        assert_eq!(format!("{set:?}"), "{1, 2, 3}");
        set.extend([0, 3]);
        assert_eq!(set.as_slice(), [0, 1, 2, 3]);
        assert!(
            SortedSet::default() < set && SortedSet::default().is_subset(&set) && !set.is_subset(&SortedSet::new())
        );
        set.clear();
        assert!(set.is_empty());
    }
}
