//! Small sorted maps: the terms of sums, of which there are one or two nearly always.

use std::fmt;

/// A map as a sorted list. Equal maps are equal lists; the order of maps is that of their lists.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Terms<K, V>(Vec<(K, V)>);

impl<K, V> Default for Terms<K, V> {
    fn default() -> Self {
        Terms(Vec::new())
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Terms<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Ord, V> Terms<K, V> {
    fn place(&self, key: &K) -> Result<usize, usize> {
        self.0.binary_search_by(|(own, _)| own.cmp(key))
    }

    /// The value of `key`.
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.place(key).ok().map(|place| &self.0[place].1)
    }

    /// Sets the value of `key`.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        match self.place(&key) {
            Ok(place) => self.0[place].1 = value,
            Err(place) => self.0.insert(place, (key, value)),
        }
    }

    /// Takes `key` and its value out.
    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        self.place(key).ok().map(|place| self.0.remove(place).1)
    }
}

impl<K, V> Terms<K, V> {
    /// A map of one entry.
    pub(crate) fn one(key: K, value: V) -> Self {
        Terms(vec![(key, value)])
    }

    /// How many entries there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entries in the keys' order.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> + ExactSizeIterator {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// The keys in order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.iter().map(|(key, _)| key)
    }

    /// The values in the keys' order.
    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Terms<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut terms = Terms::default();
        entries.into_iter().for_each(|(key, value)| terms.insert(key, value));
        terms
    }
}

impl<K, V> IntoIterator for Terms<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_sorted_and_distinct() {
        let mut terms: Terms<u8, char> = [(3, 'c'), (1, 'a'), (2, 'b'), (1, 'z')].into_iter().collect();
        assert_eq!(format!("{terms:?}"), "{1: 'z', 2: 'b', 3: 'c'}");
        assert_eq!(terms.get(&2), Some(&'b'));
        assert_eq!((terms.remove(&2), terms.remove(&9)), (Some('b'), None));
        assert_eq!((terms.get(&2), terms.len(), terms.is_empty()), (None, 2, false));
        assert_eq!(terms.keys().copied().collect::<Vec<_>>(), [1, 3]);
        assert_eq!(terms.values().copied().collect::<String>(), "zc");
        assert!(terms > Terms::one(1, 'a') && Terms::default() < Terms::one(0, 'a'));
    }
}
