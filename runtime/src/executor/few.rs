//! Short lists that a call makes and throws away again: without an allocation where they are as short as nearly always.

use std::ops::{Deref, DerefMut};

/// So many values lie in the list itself.
const INLINE: usize = 8;

/// A list whose length is known when it is made.
pub(super) struct Few<T> {
    inline: [T; INLINE],
    /// All of them, where there are more than [`INLINE`].
    more: Vec<T>,
    length: usize,
}

impl<T: Copy> Few<T> {
    /// That many times `value`.
    pub(super) fn of(length: usize, value: T) -> Few<T> {
        let more = if length > INLINE { vec![value; length] } else { Vec::new() };
        Few { inline: [value; INLINE], more, length }
    }
}

impl<T> Deref for Few<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        if self.length > INLINE { &self.more } else { &self.inline[..self.length] }
    }
}

impl<T> DerefMut for Few<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        if self.length > INLINE { &mut self.more } else { &mut self.inline[..self.length] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_any_length_hold_what_is_put_there() {
        for length in [0, 1, INLINE, INLINE + 1, 100] {
            let mut list = Few::of(length, 0);
            assert_eq!(list.len(), length);
            list.iter_mut().enumerate().for_each(|(position, value)| *value = position);
            assert!(list.iter().copied().eq(0..length));
        }
    }
}
