//! A map for some hundreds of entries.

use std::borrow::Borrow;
use std::fmt;

/// A map as a vector that is sorted by key. What is found, and in which order, is as with a `BTreeMap`; inserting moves
/// what follows, which is nothing at the sizes of netcl's own tables.
///
/// The code of a `BTreeMap` is generated for each pair of types, several thousand lines at a time: with one for each
/// table they were a tenth of what is compiled for this crate. This is some dozen lines.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SortedMap<K, V> {
    /// No key twice.
    entries: Vec<(K, V)>,
}

impl<K, V> SortedMap<K, V> {
    pub(crate) const fn new() -> SortedMap<K, V> {
        SortedMap { entries: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
    }

    /// By key.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// In order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> {
        self.entries.iter().map(|(key, _)| key)
    }

    /// By key.
    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.iter().map(|(_, value)| value)
    }

    /// By key.
    pub(crate) fn into_values(self) -> impl Iterator<Item = V> {
        self.entries.into_iter().map(|(_, value)| value)
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    /// Where the key is, or where it would go.
    fn position<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.entries.binary_search_by(|(known, _)| known.borrow().cmp(key))
    }

    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.position(key).ok().map(|position| &self.entries[position].1)
    }

    pub(crate) fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.position(key).ok().map(|position| &mut self.entries[position].1)
    }

    /// The key's value, which `make` gives where there is none.
    pub(crate) fn or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let position = self.position(&key).unwrap_or_else(|position| {
            self.entries.insert(position, (key, make()));
            position
        });
        &mut self.entries[position].1
    }

    /// The value that the key had.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.position(&key) {
            Ok(position) => Some(std::mem::replace(&mut self.entries[position].1, value)),
            Err(position) => {
                self.entries.insert(position, (key, value));
                None
            }
        }
    }

    /// The value that the key had.
    pub(crate) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.position(key).ok().map(|position| self.entries.remove(position).1)
    }
}

impl<K: Ord> SortedMap<K, ()> {
    /// Whether the key was not there.
    pub(crate) fn add(&mut self, key: K) -> bool {
        self.insert(key, ()).is_none()
    }
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        SortedMap::new()
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for SortedMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use netcl_kernels::philox;
    use std::collections::BTreeMap;

    #[test]
    fn it_is_the_map_of_the_standard_library() {
        let (mut own, mut other) = (SortedMap::new(), BTreeMap::new());
        for step in 0..2000 {
            let word = philox::word(7, 0, step);
            let (key, value) = (((word >> 8) % 64).to_string(), word);
            match word % 4 {
                0 => assert_eq!(own.remove(key.as_str()), other.remove(key.as_str())),
                1 => assert_eq!(own.or_insert_with(key.clone(), || value), other.entry(key).or_insert(value)),
                2 => assert_eq!(own.get_mut(&key), other.get_mut(&key)),
                _ => assert_eq!(own.insert(key.clone(), value), other.insert(key, value)),
            }
            assert_eq!(own.len(), other.len());
        }
        assert!(own.len() > 20, "few keys were met");
        assert!(own.iter().eq(&other) && own.keys().eq(other.keys()) && own.values().eq(other.values()));
        assert!((0..64).map(|key| key.to_string()).all(|key| own.get(&key) == other.get(&key)));
        assert_eq!(format!("{own:?}"), format!("{other:?}"));
        assert!(own.clone().into_values().eq(other.into_values()));
        own.clear();
        assert!(own.is_empty());
    }

    #[test]
    fn a_set_says_what_is_new() {
        let mut set = SortedMap::default();
        assert_eq!([3, 1, 3, 2, 1].map(|key| set.add(key)), [true, true, false, true, false]);
        assert!(set.keys().eq(&[1, 2, 3]));
    }
}
