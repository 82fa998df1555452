//! Sorting, stable.

use std::cmp::Ordering;

/// So many are sorted where they are, each moved before those that are greater.
const FEW: usize = 20;

/// As the standard library's `sort`: equal values stay in their order.
pub fn sort<T: Ord>(list: &mut [T]) {
    sort_by(list, T::cmp);
}

/// As the standard library's `sort_by_key`: what has equal keys stays in its order. The key is asked for anew with each
/// comparison.
pub fn sort_by_key<T, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(list, |left, right| key(left).cmp(&key(right)));
}

/// As the standard library's `sort_by`: what compares equal stays in its order.
pub fn sort_by<T>(list: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    if list.len() <= FEW {
        for end in 1..list.len() {
            let mut at = end;
            while at > 0 && compare(&list[at - 1], &list[at]).is_gt() {
                list.swap(at - 1, at);
                at -= 1;
            }
        }
        return;
    }
    let mut sources = positions(list.len(), &|left, right| compare(&list[left], &list[right]));
    for start in 0..sources.len() {
        // Along a cycle of positions, each of which takes the value of the next.
        let mut at = start;
        loop {
            let source = std::mem::replace(&mut sources[at], at);
            if source == start {
                break;
            }
            list.swap(at, source);
            at = source;
        }
    }
}

/// Which position's value belongs at each. The only sort of all of these that is compiled.
fn positions(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..count).collect();
    positions.sort_by(|&left, &right| compare(left, right));
    positions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::philox;

    #[test]
    fn they_are_the_sorts_of_the_standard_library() {
        for count in [0, 1, 2, 3, 8, FEW, FEW + 1, 100, 1000] {
            let list: Vec<(u32, usize)> = (0..count).map(|at| (philox::word(5, 0, at as u64) % 50, at)).collect();
            let sorted = |own: fn(&mut [(u32, usize)]), other: fn(&mut [(u32, usize)])| {
                let (mut left, mut right) = (list.clone(), list.clone());
                own(&mut left);
                other(&mut right);
                assert_eq!(left, right, "{count} values");
            };
            sorted(sort, |list| list.sort());
            sorted(|list| sort_by_key(list, |pair| pair.0), |list| list.sort_by_key(|pair| pair.0));
            sorted(
                |list| sort_by(list, |a, b| b.0.cmp(&a.0)),
                |list| list.sort_by_key(|pair| std::cmp::Reverse(pair.0)),
            );
        }
    }
}
