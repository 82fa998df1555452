//! A map as a sorted list.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;

/// A map as a vector that is sorted by key. What is found, and in which order, is as with a `BTreeMap`; inserting moves
/// what follows. The order of maps is that of their lists.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SortedMap<K, V> {
    /// No key twice.
    entries: Vec<(K, V)>,
}

impl<K, V> SortedMap<K, V> {
    /// Of no entries.
    pub const fn new() -> SortedMap<K, V> {
        SortedMap { entries: Vec::new() }
    }

    /// Of one entry.
    pub fn one(key: K, value: V) -> SortedMap<K, V> {
        SortedMap { entries: vec![(key, value)] }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Takes all of them out.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// By key.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> + ExactSizeIterator {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// In order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.entries.iter().map(|(key, _)| key)
    }

    /// By key.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.iter().map(|(_, value)| value)
    }

    /// By key.
    pub fn into_values(self) -> impl Iterator<Item = V> {
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

    /// The key's value.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.position(key).ok().map(|position| &self.entries[position].1)
    }

    /// Whether the key has a value.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.position(key).is_ok()
    }

    /// The key's value, to be changed.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.position(key).ok().map(|position| &mut self.entries[position].1)
    }

    /// The key's value, which `make` gives where there is none.
    pub fn or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let position = self.position(&key).unwrap_or_else(|position| {
            self.entries.insert(position, (key, make()));
            position
        });
        &mut self.entries[position].1
    }

    /// The key's value, which begins as its type's default.
    pub fn or_default(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        self.or_insert_with(key, V::default)
    }

    /// Gives the key a value; the one that it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.position(&key) {
            Ok(position) => Some(std::mem::replace(&mut self.entries[position].1, value)),
            Err(position) => {
                self.entries.insert(position, (key, value));
                None
            }
        }
    }

    /// Takes the key out; the value that it had.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.position(key).ok().map(|position| self.entries.remove(position).1)
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

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    /// Of two values for one key the later.
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    /// Of two values for one key the later.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = SortedMap::new();
        map.extend(entries);
        map
    }
}

impl<K: Ord + Borrow<Q>, Q: Ord + ?Sized, V> std::ops::Index<&Q> for SortedMap<K, V> {
    type Output = V;

    /// # Panics
    /// Where the key has no value.
    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("the key has a value")
    }
}

impl<K: Serialize, V: Serialize> Serialize for SortedMap<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de, K: Ord + Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for SortedMap<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

/// Reads a map's entries, in any order.
struct Entries<K, V>(PhantomData<(K, V)>);

impl<'de, K: Ord + Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for Entries<K, V> {
    type Value = SortedMap<K, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut map = SortedMap::new();
        while let Some((key, value)) = access.next_entry()? {
            map.insert(key, value);
        }
        Ok(map)
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::philox;
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
    fn entries_are_sorted_and_distinct() {
        let mut terms: SortedMap<u8, char> = [(3, 'c'), (1, 'a'), (2, 'b'), (1, 'z')].into_iter().collect();
        assert_eq!(format!("{terms:?}"), "{1: 'z', 2: 'b', 3: 'c'}");
        assert_eq!(terms.get(&2), Some(&'b'));
        assert_eq!((terms.remove(&2), terms.remove(&9)), (Some('b'), None));
        assert_eq!((terms.get(&2), terms.len(), terms.is_empty()), (None, 2, false));
        assert_eq!(terms.keys().copied().collect::<Vec<_>>(), [1, 3]);
        assert_eq!(terms.values().copied().collect::<String>(), "zc");
        assert!(terms > SortedMap::one(1, 'a') && SortedMap::default() < SortedMap::one(0, 'a'));
    }
}
