//! Hashes of what is found again in this process, and compared then.

use std::hash::{Hash, Hasher};

/// Of a value. Quick rather than safe from those who choose values: it only says which one to compare.
pub(crate) fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = QuickHasher(0);
    value.hash(&mut hasher);
    hasher.finish()
}

/// A multiplication for every eight bytes or number.
struct QuickHasher(u64);

impl QuickHasher {
    #[inline]
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for QuickHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.mix(u64::from_le_bytes(*word)));
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.mix(u64::from_le_bytes(word));
        }
    }

    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.mix(u64::from(value));
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.mix(u64::from(value));
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        self.mix(value);
    }

    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        // The upper bits are the mixed ones.
        self.0 ^ (self.0 >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::hash;
    use std::collections::BTreeSet;

    #[test]
    fn other_values_have_other_hashes() {
        let mut hashes = BTreeSet::new();
        let mut count = 0;
        for rows in 0..100usize {
            for columns in 0..100i64 {
                for name in ["add", "softmax", "reshape"] {
                    hashes.insert(hash(&(name, [rows, 3].as_slice(), columns)));
                    count += 1;
                }
            }
        }
        assert_eq!(hashes.len(), count);
        assert_eq!(hash("matmul"), hash(&String::from("matmul")));
        assert_ne!(hash([1u64, 0].as_slice()), hash([1u64].as_slice()));
    }
}
