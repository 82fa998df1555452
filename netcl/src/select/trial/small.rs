//! Smaller tasks that say as much about a kernel as a large one.

use netcl_kernels::variant::{BatchNorm, Elementwise, Product, Reduction, Task};

/// A task of the same class that takes milliseconds on the slowest device, and yet has several tiles and a remainder
/// along each axis.
pub(super) fn small(task: &Task<u64>) -> Task<u64> {
    match task {
        // Multiples of 4 keep what is aligned aligned.
        Task::Product(product) => {
            Task::Product(Product { m: 140, n: 76, k: 84, batch: product.batch.min(2), ..product.clone() })
        }
        Task::Conv2d(conv) => {
            let mut small = conv.clone();
            let groups = conv.groups.max(1);
            small.images = 3;
            small.channels = groups * 5;
            small.out_channels = groups * 6;
            for axis in 0..2 {
                let window = (conv.filter[axis].max(1) - 1).saturating_mul(conv.dilation[axis]) + 1;
                small.size[axis] = (window + 2 * conv.stride[axis]).max([11, 13][axis]);
            }
            Task::Conv2d(small)
        }
        Task::Elementwise(map) => Task::Elementwise(Elementwise { elements: 1037, ..map.clone() }),
        Task::Reduction(reduction) => Task::Reduction(Reduction { rows: 37, columns: 700, ..reduction.clone() }),
        Task::BatchNorm(norm) => Task::BatchNorm(BatchNorm { images: 5, channels: 7, pixels: 66, ..norm.clone() }),
    }
}

/// About how many operations the task takes.
pub(super) fn operations(task: &Task<u64>) -> u64 {
    let product = |sizes: &[u64]| sizes.iter().fold(2u64, |product, &size| product.saturating_mul(size));
    match task {
        Task::Product(task) => product(&[task.m, task.n, task.k, task.batch]),
        Task::Conv2d(conv) => {
            conv.problem().map_or(0, |problem| product(&[problem.m, problem.n, problem.k, problem.batch]))
        }
        Task::Elementwise(task) => product(&[task.elements, task.reads.into()]),
        Task::Reduction(task) => product(&[task.rows, task.columns]),
        Task::BatchNorm(task) => product(&[task.images, task.channels, task.pixels, 4]),
    }
}

/// The task with its largest sizes halved until it takes at most so many operations: what the host checks in full where
/// the whole would take it too long. Sums keep their length as long as there is another size to halve.
pub(super) fn reduced(task: &Task<u64>, most: u64) -> Task<u64> {
    let mut task = task.clone();
    while operations(&task) > most {
        let (free, sums): (Vec<&mut u64>, Vec<&mut u64>) = match &mut task {
            Task::Product(Product { m, n, k, batch, .. }) => (vec![m, n, batch], vec![k]),
            Task::Conv2d(conv) => (vec![&mut conv.images, &mut conv.out_channels], vec![&mut conv.channels]),
            Task::Elementwise(map) => (vec![&mut map.elements], vec![]),
            Task::Reduction(reduction) => (vec![&mut reduction.rows], vec![&mut reduction.columns]),
            Task::BatchNorm(norm) => (vec![&mut norm.channels, &mut norm.images], vec![&mut norm.pixels]),
        };
        // Halves of multiples of 8 stay multiples of 4, and of the groups as far as there are that many.
        let halve = |sizes: Vec<&mut u64>| match sizes.into_iter().filter(|size| **size % 8 == 0).max() {
            Some(size) => {
                *size /= 2;
                true
            }
            None => false,
        };
        if !halve(free) && !halve(sums) {
            break;
        }
    }
    task
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::shape::class;
    use crate::select::testing::{conv, product};

    #[test]
    fn small_tasks_are_of_the_same_class() {
        for task in [product(4096, 4096, 4096), conv(64, 128, 56, 3), conv(1, 1, 4, 7)] {
            assert_eq!(class(&small(&task)), class(&task));
            assert!(operations(&small(&task)) < 1 << 24, "{task}");
        }
    }

    #[test]
    fn large_tasks_are_reduced_where_sums_do_not_end() {
        let whole = product(4096, 1024, 4096);
        assert_eq!(reduced(&whole, u64::MAX), whole);
        let part = reduced(&whole, 1 << 30);
        assert!(operations(&part) <= 1 << 30);
        let Task::Product(part) = part else { unreachable!() };
        assert_eq!(part.k, 4096);
        assert!(part.m % 4 == 0 && part.n % 4 == 0);
        let odd = product(1001, 1001, 1001);
        assert_eq!(reduced(&odd, 1), odd, "nothing can be halved");
    }
}
