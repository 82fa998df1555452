//! A checked product without its memory: how it is cut up, and the call of the library.

#![allow(unsafe_code, reason = "the matrix library takes pointers; one call, all extents checked before it")]

use super::scalar::Real;
use crate::device::host::pool;
use gemm_common::Parallelism;
use netcl_kernels::sorted;

/// Fewest rows of `C` that are worth a call of their own: below that, every thread would read all of `B` for little.
const FEWEST_ROWS: usize = 24;

/// Rows are cut at multiples of this, the height of the library's register tile.
const ROW_GRAIN: usize = 8;

/// Shortest side of a product for which turning an operand pays.
const TURN_FROM: usize = 64;

/// Strides of a multiple of this many bytes put a column into few sets of the first-level cache, which makes reading
/// across the grain slow; with other strides the library is as fast as turning.
const TURN_STRIDE_BYTES: usize = 512;

/// Largest operand that is turned, in bytes: what scratch memory keeps.
const TURN_TO_BYTES: usize = 64 << 20;

/// A batch axis.
#[derive(Clone, Copy, Debug)]
struct Axis {
    size: usize,
    a: usize,
    b: usize,
    c: usize,
}

/// A checked product without its memory.
#[derive(Clone, Debug)]
pub(in crate::device::host) struct Layout {
    /// Longest stride in `c` first.
    batch: Vec<Axis>,
    m: usize,
    n: usize,
    k: usize,
    a: [usize; 2],
    b: [usize; 2],
    c: [usize; 2],
}

impl Layout {
    /// `strides` are row and column of `a`, of `b` and of `c`; `batch_strides` gives those three for a batch axis.
    pub(super) fn new(
        batch: &[usize],
        [m, n, k]: [usize; 3],
        strides: [usize; 6],
        batch_strides: impl Fn(usize) -> [usize; 3],
    ) -> Layout {
        let mut axes: Vec<Axis> = (0..batch.len())
            .filter(|&axis| batch[axis] > 1)
            .map(|axis| {
                let [a, b, c] = batch_strides(axis);
                Axis { size: batch[axis], a, b, c }
            })
            .collect();
        sorted::sort_by_key(&mut axes, |axis| std::cmp::Reverse(axis.c));
        let [a_row, a_column, b_row, b_column, c_row, c_column] = strides;
        let mut layout =
            Layout { batch: axes, m, n, k, a: [a_row, a_column], b: [b_row, b_column], c: [c_row, c_column] };
        layout.normalise();
        layout.fold();
        layout
    }

    /// A single product; see [`Layout::new`].
    pub(in crate::device::host) fn matrix(sizes: [usize; 3], strides: [usize; 6]) -> Layout {
        Layout::new(&[], sizes, strides, |_| [0; 3])
    }

    /// Strides that no element uses are 0, so that comparisons of strides and cuts need no exceptions.
    fn normalise(&mut self) {
        if self.m == 1 {
            (self.a[0], self.c[0]) = (0, 0);
        }
        if self.n == 1 {
            (self.b[1], self.c[1]) = (0, 0);
        }
        if self.k == 1 {
            (self.a[1], self.b[0]) = (0, 0);
        }
        if self.k == 0 {
            (self.a, self.b) = ([0; 2], [0; 2]);
            for axis in &mut self.batch {
                (axis.a, axis.b) = (0, 0);
            }
        }
    }

    /// Batches that share `b` and follow each other in `a` and `c` are more rows; the same for columns.
    fn fold(&mut self) {
        while let Some(&axis) = self.batch.last() {
            if axis.b == 0 && self.m == 1 {
                (self.m, self.a[0], self.c[0]) = (axis.size, axis.a, axis.c);
            } else if axis.a == 0 && self.n == 1 {
                (self.n, self.b[1], self.c[1]) = (axis.size, axis.b, axis.c);
            } else if axis.b == 0 && axis.a == self.m * self.a[0] && axis.c == self.m * self.c[0] {
                self.m *= axis.size;
            } else if axis.a == 0 && axis.b == self.n * self.b[1] && axis.c == self.n * self.c[1] {
                self.n *= axis.size;
            } else {
                break;
            }
            self.batch.pop();
        }
    }

    /// As [`Layout::run`] without `accumulate`, for a large single product: an operand across whose grain the library
    /// would read is turned first, once and by all threads, instead of in each of its calls.
    pub(super) fn run_turned<T: Real>(&self, a: &[T], b: &[T], c: &mut [T], threads: usize) {
        let large = self.batch.is_empty() && self.m.min(self.n).min(self.k) >= TURN_FROM;
        let collides = |stride: usize| stride > 1 && (stride * size_of::<T>()).is_multiple_of(TURN_STRIDE_BYTES);
        let fits = |len: usize| size_of::<T>() * len <= TURN_TO_BYTES;
        if large && self.c[1] == 1 && self.b[0] == 1 && collides(self.b[1]) && fits(self.k * self.n) {
            T::scratch(self.k * self.n, |turned| {
                transpose(b, self.b[1], turned, self.n, threads);
                Layout { b: [self.n, 1], ..self.clone() }.run(a, turned, c, false, threads);
            });
        } else if large && self.c[0] == 1 && self.a[1] == 1 && collides(self.a[0]) && fits(self.k * self.m) {
            T::scratch(self.k * self.m, |turned| {
                transpose(a, self.a[0], turned, self.m, threads);
                Layout { a: [1, self.m], ..self.clone() }.run(turned, b, c, false, threads);
            });
        } else {
            self.run(a, b, c, false, threads);
        }
    }

    /// Computes it; the slices are as long as the strides need. `accumulate` adds to what is in `c`.
    pub(in crate::device::host) fn run<T: Real>(
        &self,
        a: &[T],
        b: &[T],
        c: &mut [T],
        accumulate: bool,
        threads: usize,
    ) {
        if threads > 1 && self.split(a, b, c, accumulate, threads) {
            return;
        }
        if self.batch.is_empty() {
            return call(self, a, b, c, accumulate, threads);
        }
        let single = Layout { batch: Vec::new(), ..*self };
        for index in 0..self.batch.iter().map(|axis| axis.size).product() {
            let (mut rest, mut at) = (index, [0; 3]);
            for axis in self.batch.iter().rev() {
                let position = rest % axis.size;
                rest /= axis.size;
                at = [at[0] + position * axis.a, at[1] + position * axis.b, at[2] + position * axis.c];
            }
            call(&single, &a[at[0]..], &b[at[1]..], &mut c[at[2]..], accumulate, 1);
        }
    }

    /// Cuts the work in two for two groups of threads; `false` if `c` does not allow it.
    fn split<T: Real>(&self, a: &[T], b: &[T], c: &mut [T], accumulate: bool, threads: usize) -> bool {
        let first_threads = threads.div_ceil(2);
        let (mut first, mut second) = (self.clone(), self.clone());
        let rows = self.c[0] >= self.c[1];
        let at = match self.batch.first() {
            Some(axis) if axis.c >= self.c[0].max(self.c[1]) => {
                let cut = (axis.size * first_threads / threads).max(1);
                first.shorten(cut);
                second.shorten(axis.size - cut);
                [cut * axis.a, cut * axis.b, cut * axis.c]
            }
            outer => {
                let size = if rows { self.m } else { self.n };
                // A flat product without batches is left to the library's own threads.
                let groups = if outer.is_some() { 2 } else { threads };
                if size < groups * FEWEST_ROWS {
                    return false;
                }
                let cut = (size * first_threads / threads).next_multiple_of(ROW_GRAIN);
                if rows {
                    (first.m, second.m) = (cut, size - cut);
                    [cut * self.a[0], 0, cut * self.c[0]]
                } else {
                    (first.n, second.n) = (cut, size - cut);
                    [0, cut * self.b[1], cut * self.c[1]]
                }
            }
        };
        if self.k == 0 || first.span() > at[2] {
            return false;
        }
        let (c_first, c_second) = c.split_at_mut(at[2]);
        pool::join(
            || first.run(a, b, c_first, accumulate, first_threads),
            || second.run(&a[at[0]..], &b[at[1]..], c_second, accumulate, threads - first_threads),
        );
        true
    }

    /// Leaves `size` of the outermost batch axis.
    fn shorten(&mut self, size: usize) {
        if size == 1 {
            self.batch.remove(0);
        } else {
            self.batch[0].size = size;
        }
    }

    /// How many elements of `c` it spans.
    fn span(&self) -> usize {
        let batch: usize = self.batch.iter().map(|axis| (axis.size - 1) * axis.c).sum();
        batch + (self.m - 1) * self.c[0] + (self.n - 1) * self.c[1] + 1
    }
}

/// One operand as the library takes it: strides along the axis that it shares with the result, along the summed axis, and
/// of the shared axis in the result.
struct Side<T> {
    data: *const T,
    size: usize,
    outer: isize,
    depth: isize,
    in_c: isize,
}

/// One product by the library; `layout` has no batch axes.
fn call<T: Real>(layout: &Layout, a: &[T], b: &[T], c: &mut [T], accumulate: bool, threads: usize) {
    let &Layout { m, n, k, a: [a_row, a_column], b: [b_row, b_column], c: [c_row, c_column], .. } = layout;
    if m == 0 || n == 0 {
        return;
    }
    let reach = |rows: usize, columns: usize, row: usize, column: usize| {
        (rows - 1).checked_mul(row)?.checked_add((columns - 1).checked_mul(column)?)
    };
    let inside = |last: Option<usize>, len: usize| last.is_some_and(|last| last < len);
    assert!(inside(reach(m, n, c_row, c_column), c.len()), "the result's extent has been checked by the caller");
    if k == 0 {
        if !accumulate {
            for row in 0..m {
                for column in 0..n {
                    c[row * c_row + column * c_column] = T::ZERO;
                }
            }
        }
        return;
    }
    assert!(inside(reach(m, k, a_row, a_column), a.len()), "the extent of `a` has been checked by the caller");
    assert!(inside(reach(k, n, b_row, b_column), b.len()), "the extent of `b` has been checked by the caller");
    // The strides of an axis of one element are free: 1 finds the library's contiguous paths, and always fits.
    let stride = |size: usize, stride: usize| if size == 1 { 1 } else { stride as isize };
    let parallelism = if threads > 1 { Parallelism::Rayon(threads) } else { Parallelism::None };
    let product = T::product();
    let rows =
        Side { data: a.as_ptr(), size: m, outer: stride(m, a_row), depth: stride(k, a_column), in_c: stride(m, c_row) };
    let columns = Side {
        data: b.as_ptr(),
        size: n,
        outer: stride(n, b_column),
        depth: stride(k, b_row),
        in_c: stride(n, c_column),
    };
    // `cᵀ = bᵀ·aᵀ` gives the library the contiguous columns that it is made for.
    let (left, right) = if columns.in_c < rows.in_c { (columns, rows) } else { (rows, columns) };
    // SAFETY: the library reads elements `row·a_row + column·a_column` of `a` for `row < m`, `column < k`, those of `b`
    // likewise, and reads and writes those of `c`; all are inside of their slices, as has just been asserted. `c` is
    // borrowed exclusively, so it overlaps neither operand. With more than one thread, each writes other elements of
    // `c`, and `check_distinct` (or a row-major scratch block) has made sure that they are in different places. Strides
    // of axes longer than 1 are below a slice's length, so they fit an `isize`. `T` is `f32` or `f64`, the only
    // implementors of `Real`.
    unsafe {
        product(
            left.size,
            right.size,
            k,
            c.as_mut_ptr(),
            right.in_c,
            left.in_c,
            accumulate,
            left.data,
            left.depth,
            left.outer,
            right.data,
            right.outer,
            right.depth,
            T::ONE,
            T::ONE,
            false,
            false,
            false,
            parallelism,
        );
    }
}

/// `to[i, j] = from[j, i]`: `to` has rows of `width` elements without gaps, rows of `from` are `stride` apart.
pub(in crate::device::host) fn transpose<T: Copy + Send + Sync>(
    from: &[T],
    stride: usize,
    to: &mut [T],
    width: usize,
    threads: usize,
) {
    /// Side of the squares that are turned at a time: a cache line of `f32`.
    const SQUARE: usize = 16;
    let band = |(index, to): (usize, &mut [T])| {
        let first = index * SQUARE;
        for left in (0..width).step_by(SQUARE) {
            let right = (left + SQUARE).min(width);
            for (i, to) in to.chunks_exact_mut(width).enumerate() {
                for (to, j) in to[left..right].iter_mut().zip(left..) {
                    *to = from[j * stride + first + i];
                }
            }
        }
    };
    if threads > 1 {
        pool::share(to.chunks_mut(SQUARE * width), &|index, to| band((index, to)));
    } else {
        to.chunks_mut(SQUARE * width).enumerate().for_each(band);
    }
}
