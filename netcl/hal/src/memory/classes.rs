//! Sizes that memory is allocated in, so that what one tensor leaves fits the next.

use std::ops::Range;

/// The smallest bucket.
pub const SMALLEST: usize = 1 << 10;
/// The bucket table ends here; larger buffers have buckets too, which are found by the same rule.
#[cfg(test)]
const LARGEST: usize = 256 << 20;
/// Buckets up to this size have one size, the power of two itself.
const COARSE: usize = 1 << 20;
/// How many sizes a larger bucket has, so that at most an eighth of a buffer is lost.
const STEPS: usize = 8;

/// How many classes there are on any device: those of every power of two that an address may have.
pub const COUNT: usize = (usize::BITS as usize - SMALLEST.ilog2() as usize) * STEPS;

/// A size that memory is really allocated in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// In the table of classes.
    pub index: usize,
    /// How many bytes that are.
    pub bytes: usize,
}

/// The smallest class that holds `bytes`; `None` if that is more than can be addressed.
#[inline]
pub fn of(bytes: usize) -> Option<Class> {
    let bytes = bytes.max(SMALLEST);
    let bytes = if bytes <= COARSE {
        bytes.next_power_of_two()
    } else {
        bytes.checked_next_multiple_of((1 << bytes.ilog2()) / STEPS)?
    };
    if bytes > isize::MAX as usize {
        return None;
    }
    let power = bytes.ilog2();
    let step = (bytes >> (power as usize - STEPS.ilog2() as usize)) - STEPS;
    Some(Class { index: (power - SMALLEST.ilog2()) as usize * STEPS + step, bytes })
}

/// The bucket (a power of two) of a class.
pub fn bucket(index: usize) -> usize {
    SMALLEST << (index / STEPS)
}

/// The classes of the bucket that a class is in.
pub fn of_bucket(index: usize) -> Range<usize> {
    let first = index / STEPS * STEPS;
    first..first + STEPS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_waste_little_and_never_shrink() {
        for bytes in [0, 1, 1023, 1024, 1025, 4097, 1 << 20, (1 << 20) + 1, 3_000_000, 1 << 33, (1 << 33) + 5] {
            let class = of(bytes).unwrap();
            assert!(
                class.bytes >= bytes && class.bytes.is_multiple_of(crate::memory::ALIGNMENT),
                "{bytes} → {class:?}"
            );
            assert_eq!(of(class.bytes), Some(class), "a class is its own class");
            assert!(class.index < COUNT);
            assert!(bucket(class.index) <= class.bytes && class.bytes < 2 * bucket(class.index), "{class:?}");
            if bytes > COARSE {
                assert!(class.bytes - bytes <= bytes / 8, "{bytes} → {class:?}");
            }
        }
        for too_large in [usize::MAX, isize::MAX as usize + 1] {
            assert_eq!(of(too_large), None);
        }
    }

    #[test]
    fn buckets_are_the_powers_of_two_from_1_kib_to_256_mib() {
        let mut bytes = SMALLEST;
        while bytes <= LARGEST {
            let class = of(bytes).unwrap();
            assert_eq!((class.bytes, bucket(class.index)), (bytes, bytes));
            bytes *= 2;
        }
    }

    #[test]
    fn classes_are_numbered_by_size() {
        let mut last = of(1).unwrap();
        for bytes in (1..20_000_000).step_by(777) {
            let class = of(bytes).unwrap();
            assert!(class == last || class.index > last.index && class.bytes > last.bytes, "{last:?} {class:?}");
            last = class;
        }
    }
}
