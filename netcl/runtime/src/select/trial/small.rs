//! Smaller tasks that say as much about a kernel as a large one.

use netcl_kernels::graph::{AttentionKind, ConvKind};
use netcl_kernels::variant::{AttentionTask, BatchNorm, Conv2dTask, Elementwise, Product, Recurrence, Reduction, Task};

/// Columns of a small reduction: of three parts, the last one short.
const COLUMNS: u64 = 2500;

/// More groups of channels than this have fewer channels each, so that a small convolution of many groups stays small.
const MANY_GROUPS: u64 = 16;

/// A task of the same class that takes milliseconds on the slowest device, and yet has several tiles and a remainder
/// along each axis; with `parts` its sum can be cut into two ([`netcl_kernels::variant::SPLIT_K`]).
pub(super) fn small(task: &Task<u64>, parts: bool) -> Task<u64> {
    match task {
        // Multiples of 8 keep what is aligned aligned, and what tensor maps can describe so.
        Task::Product(product) => {
            let k = if parts { 176 } else { 88 };
            Task::Product(Product { m: 136, n: 72, k, batch: product.batch.clamp(1, 2), ..product.clone() })
        }
        Task::Conv2d(conv) => {
            let mut small = conv.clone();
            let groups = conv.groups.max(1);
            let [channels, out_channels] = if groups > MANY_GROUPS { [1, 2] } else { [5, 6] };
            small.images = 3;
            small.channels = groups.saturating_mul(channels * (u64::from(parts) + 1));
            small.out_channels = groups.saturating_mul(out_channels);
            for axis in 0..2 {
                let window = (conv.filter[axis].max(1) - 1).saturating_mul(conv.dilation[axis]).saturating_add(1);
                let steps = conv.stride[axis].saturating_mul(2);
                small.size[axis] = window.saturating_add(steps).max([11, 13][axis]);
            }
            Task::Conv2d(small)
        }
        Task::Elementwise(map) => Task::Elementwise(Elementwise { elements: 1037, ..map.clone() }),
        Task::Reduction(reduction) => Task::Reduction(Reduction { rows: 37, columns: COLUMNS, ..reduction.clone() }),
        Task::BatchNorm(norm) => Task::BatchNorm(BatchNorm { images: 5, channels: 7, pixels: 66, ..norm.clone() }),
        Task::Recurrence(own) => Task::Recurrence(Recurrence { rows: 37, width: 21, rounds: 11, ..own.clone() }),
        Task::Attention(own) => Task::Attention(AttentionTask { batch: 3, queries: 37, keys: 53, ..own.clone() }),
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
        Task::Recurrence(task) => product(&[task.rows, task.width, task.width, task.rounds]),
        Task::Attention(task) => {
            let width = task.width.saturating_add(task.value_width).saturating_mul(2);
            product(&[task.batch, task.queries, task.keys, width])
        }
    }
}

/// A size that may be halved.
struct Size<'a> {
    size: &'a mut u64,
    /// What it stays a multiple of: the groups of channels.
    of: u64,
    /// What it does not fall below: a filter's window.
    least: u64,
}

impl<'a> Size<'a> {
    fn free(size: &'a mut u64) -> Size<'a> {
        Size { size, of: 1, least: 1 }
    }

    /// Halves of multiples of 8 stay multiples of 4: what is aligned stays so.
    fn can_be_halved(&self) -> bool {
        let half = *self.size / 2;
        self.size.is_multiple_of(8) && half >= self.least && half.is_multiple_of(self.of)
    }
}

/// Sizes that are not summed over, and those that are.
fn sizes<'a>(task: &'a mut Task<u64>) -> [Vec<Size<'a>>; 2] {
    let all = |sizes: Vec<&'a mut u64>| sizes.into_iter().map(Size::free).collect::<Vec<_>>();
    match task {
        Task::Product(Product { m, n, k, batch, .. }) => [all(vec![m, n, batch]), all(vec![k])],
        Task::Conv2d(conv) => {
            let window = |axis: usize| {
                let reach = conv.filter[axis].saturating_sub(1).saturating_mul(conv.dilation[axis]).saturating_add(1);
                reach.saturating_sub(conv.padding[axis].saturating_mul(2)).max(1)
            };
            let least = [window(0), window(1)];
            let of = conv.groups.max(1);
            let Conv2dTask { images, channels, out_channels, size: [height, width], .. } = conv;
            let channels = Size { size: channels, of, least: 1 };
            let out_channels = Size { size: out_channels, of, least: 1 };
            let mut outside = vec![
                Size { size: height, of: 1, least: least[0] },
                Size { size: width, of: 1, least: least[1] },
                Size::free(images),
            ];
            match conv.kind {
                ConvKind::Forward => {
                    outside.push(out_channels);
                    [outside, vec![channels]]
                }
                ConvKind::InputGrad => {
                    outside.push(channels);
                    [outside, vec![out_channels]]
                }
                ConvKind::WeightGrad => [vec![channels, out_channels], outside],
            }
        }
        Task::Elementwise(map) => [all(vec![&mut map.elements]), Vec::new()],
        Task::Reduction(reduction) => [all(vec![&mut reduction.rows]), all(vec![&mut reduction.columns])],
        Task::BatchNorm(norm) => [all(vec![&mut norm.channels, &mut norm.images]), all(vec![&mut norm.pixels])],
        Task::Recurrence(own) => [all(vec![&mut own.rows, &mut own.rounds]), all(vec![&mut own.width])],
        Task::Attention(own) => match own.kind {
            AttentionKind::KeyValueGrad => [all(vec![&mut own.batch, &mut own.keys]), all(vec![&mut own.queries])],
            _ => [all(vec![&mut own.batch, &mut own.queries]), all(vec![&mut own.keys])],
        },
    }
}

/// How much a task is.
pub(super) struct Extent {
    /// As [`operations`] counts them.
    pub(super) operations: u64,
    /// Of operands and result together.
    pub(super) elements: u64,
}

impl Extent {
    fn holds(&self, task: &Task<u64>) -> bool {
        operations(task) <= self.operations && elements(task) <= self.elements
    }
}

/// How many elements operands and result have, about.
fn elements(task: &Task<u64>) -> u64 {
    let product = |sizes: &[u64]| sizes.iter().fold(1u64, |product, &size| product.saturating_mul(size));
    let all = match task {
        Task::Product(Product { m, n, k, batch, .. }) => {
            vec![product(&[*batch, *m, *k]), product(&[*batch, *k, *n]), product(&[*batch, *m, *n])]
        }
        Task::Conv2d(conv) => {
            let [height, width] = conv.conv().0.out_size().unwrap_or([0, 0]);
            vec![
                product(&[conv.images, conv.channels, conv.size[0], conv.size[1]]),
                product(&[conv.out_channels, conv.channels / conv.groups.max(1), conv.filter[0], conv.filter[1]]),
                product(&[conv.images, conv.out_channels, height, width]),
            ]
        }
        Task::Elementwise(task) => vec![product(&[task.elements, u64::from(task.reads).saturating_add(1)])],
        Task::Reduction(task) => vec![product(&[task.rows, task.columns]), task.rows],
        Task::BatchNorm(task) => vec![product(&[2, task.images, task.channels, task.pixels])],
        Task::Attention(task) => vec![
            product(&[2, task.batch, task.queries, task.width.saturating_add(task.value_width)]),
            product(&[2, task.batch, task.keys, task.width.saturating_add(task.value_width)]),
        ],
        Task::Recurrence(Recurrence { rows, width, rounds, .. }) => {
            vec![product(&[*rounds, *rows, *width]), product(&[*width, *width]), product(&[2, *rows, *width])]
        }
    };
    all.into_iter().fold(0, u64::saturating_add)
}

/// The task with its largest sizes halved until it is at most `most`: what the host checks in full where the whole would
/// take it too long. Sums keep their length as long as there is another size to halve. `None` where that leads nowhere.
pub(super) fn reduced(task: &Task<u64>, most: &Extent) -> Option<Task<u64>> {
    let mut task = task.clone();
    while !most.holds(&task) {
        let kinds = sizes(&mut task);
        let largest = |sizes: Vec<Size<'_>>| {
            let found = sizes.into_iter().filter(Size::can_be_halved).max_by_key(|size| *size.size);
            found.map(|found| *found.size /= 2)
        };
        kinds.into_iter().find_map(largest)?;
    }
    Some(task)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::shape::class;
    use crate::select::testing::{conv, product};
    use netcl_kernels::dtype::DType;

    fn reduced_to(task: &Task<u64>, operations: u64) -> Option<Task<u64>> {
        reduced(task, &Extent { operations, elements: u64::MAX })
    }

    #[test]
    fn small_tasks_are_of_the_same_class() {
        for task in [product(4096, 4096, 4096), conv(64, 128, 56, 3), conv(1, 1, 4, 7)] {
            for parts in [false, true] {
                assert_eq!(class(&small(&task, parts)), class(&task));
                assert!(operations(&small(&task, parts)) < 1 << 24, "{task}");
            }
        }
    }

    #[test]
    fn a_batch_of_none_is_tested_with_one() {
        let Task::Product(mut none) = product(8, 8, 8) else { unreachable!() };
        none.batch = 0;
        assert!(operations(&small(&Task::Product(none), false)) > 0);
    }

    #[test]
    fn channels_stay_multiples_of_their_groups() {
        // Depthwise: each channel is a group of its own.
        let Task::Conv2d(mut depthwise) = conv(128, 512, 112, 3) else { unreachable!() };
        (depthwise.out_channels, depthwise.groups) = (512, 512);
        for kind in [ConvKind::Forward, ConvKind::InputGrad, ConvKind::WeightGrad] {
            depthwise.kind = kind;
            let whole = Task::Conv2d(depthwise.clone());
            assert!(operations(&whole) > 1 << 33);
            for most in [1 << 33, 1 << 28] {
                let Some(Task::Conv2d(part)) = reduced_to(&whole, most) else { unreachable!() };
                assert!(operations(&Task::Conv2d(part.clone())) <= most, "{part:?}");
                assert_eq!([part.channels % 512, part.out_channels % 512], [0, 0]);
                assert!(part.problem().is_some_and(|problem| problem.m >= 1), "{part:?}");
            }
        }
        // Two groups leave channels to halve.
        (depthwise.groups, depthwise.kind, depthwise.images) = (2, ConvKind::Forward, 1);
        let Some(Task::Conv2d(part)) = reduced_to(&Task::Conv2d(depthwise), 1 << 30) else { unreachable!() };
        assert!(part.channels.is_multiple_of(2) && part.out_channels.is_multiple_of(2));
        // A window that fills the image is left in it.
        let Some(Task::Conv2d(part)) = reduced_to(&conv(1, 8, 64, 63), 1 << 22) else { unreachable!() };
        assert!(part.problem().is_some(), "{part:?}");
    }

    #[test]
    fn large_tasks_are_reduced_where_sums_do_not_end() {
        let whole = product(4096, 1024, 4096);
        assert_eq!(reduced_to(&whole, u64::MAX), Some(whole.clone()));
        let part = reduced_to(&whole, 1 << 30).unwrap();
        assert!(operations(&part) <= 1 << 30);
        let Task::Product(part) = part else { unreachable!() };
        assert_eq!(part.k, 4096);
        assert!(part.m % 4 == 0 && part.n % 4 == 0);
        assert_eq!(reduced_to(&product(1001, 1001, 1001), 1), None, "nothing can be halved");
    }

    #[test]
    fn tasks_of_many_elements_are_reduced_as_those_of_many_operations_are() {
        let most = Extent { operations: u64::MAX, elements: 1 << 20 };
        let map = Task::Elementwise(Elementwise { elements: 1 << 24, reads: 2, dtype: DType::F32 });
        let part = reduced(&map, &most).unwrap();
        assert_eq!(elements(&part), 3 << 18);
        assert_eq!(reduced(&product(u64::MAX, u64::MAX, u64::MAX), &most), None);
        assert_eq!(reduced(&conv(u64::MAX, 8, 1 << 40, 3), &most), None);
    }
}
