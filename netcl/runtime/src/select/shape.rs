//! How alike two tasks are: buckets of sizes, classes of tasks, distances between shapes.

use netcl_kernels::variant::Task;
use std::convert::Infallible;

/// Sizes up to this are told apart exactly: a batch of 1 wants another kernel than one of 2.
const EXACT: u64 = 8;

/// Tasks further apart in one size than this many octaves do not learn from each other.
const REACH: f64 = 2.0;

/// The task that stands for all that share its measurements: each size is replaced by its bucket's. Filters of
/// convolutions stay as they are, since variants depend on them.
pub(crate) fn bucket(task: &Task<u64>) -> Task<u64> {
    with_sizes(task, bucket_of)
}

/// Sizes up to 8 are buckets of their own; beyond, a bucket holds what is nearest to one of 8, 12, 16, 24, 32, 48, …, two to
/// an octave.
fn bucket_of(size: u64) -> u64 {
    if size <= EXACT {
        return size;
    }
    let power = 1u64 << size.ilog2();
    // Past 2^62 the marks leave 64 bits; no memory holds such an axis.
    let marks = [Some(power), power.checked_add(power / 2), power.checked_mul(2)];
    let far = |mark: u64| (size as f64 / mark as f64).ln().abs();
    marks.into_iter().flatten().min_by(|a, b| far(*a).total_cmp(&far(*b))).unwrap_or(power)
}

/// What must be equal for measurements of one task to say anything about another: everything but sizes.
pub(crate) fn class(task: &Task<u64>) -> Task<u64> {
    with_sizes(task, |_| 0)
}

/// How far apart two shapes of one class are: the distance of their sizes on a logarithmic scale, in octaves. `None` where
/// they are of two classes, or too far apart.
pub(crate) fn distance(a: &Task<u64>, b: &Task<u64>) -> Option<f64> {
    if class(a) != class(b) {
        return None;
    }
    let mut sum = 0.0;
    for (a, b) in sizes(a).into_iter().zip(sizes(b)) {
        let octaves = (a.max(1) as f64 / b.max(1) as f64).log2().abs();
        if octaves > REACH {
            return None;
        }
        sum += octaves * octaves;
    }
    Some(sum.sqrt())
}

fn with_sizes(task: &Task<u64>, map: impl Fn(u64) -> u64) -> Task<u64> {
    let changed: Result<Task<u64>, Infallible> = task.try_map(|size| Ok(map(*size)));
    let Ok(mut changed) = changed;
    if let (Task::Conv2d(changed), Task::Conv2d(task)) = (&mut changed, task) {
        changed.filter = task.filter;
    }
    changed
}

/// The sizes in the order of the task's fields.
fn sizes(task: &Task<u64>) -> Vec<u64> {
    let mut sizes = Vec::new();
    let copied: Result<Task<u64>, Infallible> = task.try_map(|size| {
        sizes.push(*size);
        Ok(*size)
    });
    let Ok(_) = copied;
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::testing::{conv, product};

    #[test]
    fn buckets_are_two_to_an_octave_past_eight() {
        let marks = [1, 2, 3, 7, 8, 9, 10, 11, 13, 14, 20, 28, 100, 784, 1000];
        assert_eq!(marks.map(bucket_of), [1, 2, 3, 7, 8, 8, 12, 12, 12, 16, 24, 32, 96, 768, 1024]);
        assert_eq!(bucket_of(u64::MAX), 3 << 62, "the next mark leaves 64 bits");
        for mark in [8, 12, 16, 24, 768, 1 << 40] {
            assert_eq!(bucket_of(mark), mark, "a bucket's mark is in it");
        }
    }

    #[test]
    fn filters_are_no_sizes() {
        let (three, five) = (conv(64, 16, 28, 3), conv(64, 16, 28, 5));
        assert_ne!(class(&three), class(&five));
        assert_eq!(distance(&three, &five), None);
        let Task::Conv2d(bucket) = bucket(&conv(65, 17, 29, 5)) else { unreachable!() };
        assert_eq!((bucket.images, bucket.channels, bucket.size, bucket.filter), (64, 16, [32, 32], [5, 5]));
    }

    #[test]
    fn distances_are_in_octaves_and_bounded() {
        let one = product(128, 512, 784);
        assert_eq!(distance(&one, &one), Some(0.0));
        assert_eq!(distance(&one, &product(256, 512, 784)), Some(1.0));
        assert_eq!(distance(&one, &product(512, 2048, 784)), Some(8.0f64.sqrt()));
        assert_eq!(distance(&one, &product(1024, 512, 784)), None, "3 octaves");
        assert_eq!(distance(&one, &conv(1, 1, 8, 3)), None, "another family");
    }
}
