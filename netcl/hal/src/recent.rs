//! A bounded cache: what was made before, kept by when it was used.

/// Up to so many values, the latest used first; the least recently used makes room.
///
/// Values are looked at one after the other, so that no key is made for a look. That is fast for what is asked for again and
/// again, which stands in front, and for some hundred values that are told apart by a number or a short text.
#[derive(Clone, Debug)]
pub struct Recent<T> {
    values: Vec<T>,
    most: usize,
}

impl<T> Recent<T> {
    /// Of `most` values.
    pub const fn new(most: usize) -> Recent<T> {
        Recent { values: Vec::new(), most }
    }

    /// The value that fits, which is now the latest used.
    pub fn find(&mut self, fits: impl FnMut(&T) -> bool) -> Option<&mut T> {
        let position = self.values.iter().position(fits)?;
        self.values[..=position].rotate_right(1);
        self.values.first_mut()
    }

    /// Takes out the latest used value that fits.
    pub fn take(&mut self, fits: impl FnMut(&T) -> bool) -> Option<T> {
        let position = self.values.iter().position(fits)?;
        Some(self.values.remove(position))
    }

    /// Adds a value as the latest used; gives the one that makes room.
    pub fn add(&mut self, value: T) -> Option<T> {
        self.add_with(value, 0, |_| true).pop()
    }

    /// As [`Recent::add`], where only values that `may_go` make room, and then `more` of them at once. If none may, there are more
    /// than so many.
    pub fn add_with(&mut self, value: T, more: usize, may_go: impl Fn(&T) -> bool) -> Vec<T> {
        self.values.insert(0, value);
        let mut gone = Vec::new();
        if self.values.len() <= self.most {
            return gone;
        }
        let surplus = self.values.len() - self.most + more;
        // The one that was added stays.
        for position in (1..self.values.len()).rev() {
            if gone.len() == surplus {
                break;
            }
            if may_go(&self.values[position]) {
                gone.push(self.values.remove(position));
            }
        }
        gone
    }

    /// Drops the values that are not to be kept.
    pub fn retain(&mut self, keep: impl FnMut(&T) -> bool) {
        self.values.retain(keep);
    }

    /// Takes out all values.
    pub fn clear(&mut self) -> Vec<T> {
        std::mem::take(&mut self.values)
    }

    /// The values, the latest used first.
    pub fn values(&self) -> &[T] {
        &self.values
    }
}

#[cfg(test)]
mod tests {
    use super::Recent;

    #[test]
    fn the_least_recently_used_makes_room() {
        let mut recent = Recent::new(3);
        assert!([1, 2, 3].into_iter().all(|value| recent.add(value).is_none()));
        assert_eq!(recent.find(|value| *value == 1), Some(&mut 1));
        assert_eq!(recent.find(|value| *value == 7), None);
        assert_eq!((recent.add(4), recent.values()), (Some(2), [4, 1, 3].as_slice()));
        assert_eq!((recent.take(|value| *value == 1), recent.add(5)), (Some(1), None));
        recent.retain(|value| *value != 4);
        assert_eq!((recent.clear(), recent.values().len()), (vec![5, 3], 0));
    }

    #[test]
    fn what_must_stay_makes_no_room() {
        let mut recent = Recent::new(4);
        (0..4).for_each(|value| assert!(recent.add(value).is_none()));
        assert_eq!(recent.add_with(4, 1, |value| *value != 0), [1, 2]);
        assert_eq!(recent.values(), [4, 3, 0]);
        recent.add(5);
        assert!(recent.add_with(6, 0, |_| false).is_empty() && recent.values().len() == 5);
    }
}
