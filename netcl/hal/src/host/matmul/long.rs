//! Long sums: what a term is added to loses what is below its last digit, so that a running sum of 4·10^6 equal numbers is off in
//! the second one. The library's sums are such across its blocks, and for single rows and columns from end to end.

use super::scalar::Real;

/// The most terms that the library adds up at a time.
const PART: usize = 4096;

/// The most where the result is a row or a column, whose terms it adds one by one.
const PART_OF_VECTOR: usize = 512;

/// Terms of a part of a sum of `k`, of a result with so many rows and columns.
pub(super) fn part(m: usize, n: usize) -> usize {
    if m.min(n) == 1 { PART_OF_VECTOR } else { PART }
}

/// Adds `part` to `total`, and to `lost` what that addition rounds off (two-sum: Knuth, "The Art of Computer Programming" 2,
/// section 4.2.2).
pub(in crate::host) fn add_part<T: Real>(total: &mut T, lost: &mut T, part: T) {
    let before = *total;
    let after = before + part;
    let added = after - before;
    *lost += (before - (after - added)) + (part - added);
    *total = after;
}

/// Adds what was lost. Of a sum that is not finite that is not known.
pub(in crate::host) fn add_lost<T: Real>(total: &mut T, lost: T) {
    if lost.is_finite() {
        *total += lost;
    }
}
