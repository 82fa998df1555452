//! A checked product without its memory: how it is cut up, and the call of the library.

#![allow(unsafe_code, reason = "the matrix library takes pointers; one call, all extents checked before it")]

use super::long::{add_lost, add_part, part};
use super::scalar::Real;
use crate::host::pool;
use gemm_common::Parallelism;

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
    a: isize,
    b: isize,
    c: usize,
}

/// Where an operand that is read begins in its slice, and its strides, which are negative along flipped axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub(super) start: usize,
    pub(super) row: isize,
    pub(super) column: isize,
}

impl View {
    /// Whether all elements of `rows` by `columns` (neither is 0) are among the first `len` of the slice.
    fn is_inside(self, rows: usize, columns: usize, len: usize) -> bool {
        let reach = |size: usize, stride: isize| isize::try_from(size - 1).ok()?.checked_mul(stride);
        let last = || {
            let (row, column) = (reach(rows, self.row)?, reach(columns, self.column)?);
            self.start.checked_add_signed(row.min(0).checked_add(column.min(0))?)?;
            self.start.checked_add_signed(row.max(0).checked_add(column.max(0))?)
        };
        last().is_some_and(|last| last < len)
    }

    /// The view that starts `by` elements further.
    fn moved(self, by: isize) -> View {
        // A sum that left the memory would be found by the check before the library's call.
        View { start: self.start.wrapping_add_signed(by), ..self }
    }
}

/// How the three matrices of a product lie in their slices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sides {
    pub(super) a: View,
    pub(super) b: View,
    /// Strides of rows and columns; it starts where its slice does.
    pub(super) c: [usize; 2],
}

/// A checked product without its memory.
#[derive(Clone, Debug)]
pub(in crate::host) struct MatMulDescriptor {
    /// Longest stride in `c` first.
    batch: Vec<Axis>,
    m: usize,
    n: usize,
    k: usize,
    a: View,
    b: View,
    c: [usize; 2],
}

impl MatMulDescriptor {
    /// `batch_strides` gives the strides of `a`, `b` and `c` for a batch axis.
    pub(super) fn new(
        batch: &[usize],
        [m, n, k]: [usize; 3],
        Sides { a, b, c }: Sides,
        batch_strides: impl Fn(usize) -> (isize, isize, usize),
    ) -> MatMulDescriptor {
        let mut axes: Vec<Axis> = (0..batch.len())
            .filter(|&axis| batch[axis] > 1)
            .map(|axis| {
                let (a, b, c) = batch_strides(axis);
                Axis { size: batch[axis], a, b, c }
            })
            .collect();
        axes.sort_by_key(|axis| std::cmp::Reverse(axis.c));
        let mut layout = MatMulDescriptor { batch: axes, m, n, k, a, b, c };
        layout.normalise();
        layout.fold();
        layout
    }

    /// A single product; `strides` are row and column of `a`, of `b` and of `c`, each at the start of its slice.
    pub(in crate::host) fn matrix(sizes: [usize; 3], strides: [usize; 6]) -> MatMulDescriptor {
        let [a_row, a_column, b_row, b_column, c_row, c_column] = strides;
        // Those of slices, which are shorter than `isize::MAX`.
        let view = |row: usize, column: usize| View { start: 0, row: row as isize, column: column as isize };
        let sides = Sides { a: view(a_row, a_column), b: view(b_row, b_column), c: [c_row, c_column] };
        MatMulDescriptor::new(&[], sizes, sides, |_| (0, 0, 0))
    }

    /// Strides that no element uses are 0, so that comparisons of strides and cuts need no exceptions.
    fn normalise(&mut self) {
        if self.m == 1 {
            (self.a.row, self.c[0]) = (0, 0);
        }
        if self.n == 1 {
            (self.b.column, self.c[1]) = (0, 0);
        }
        if self.k == 1 {
            (self.a.column, self.b.row) = (0, 0);
        }
        if self.k == 0 {
            let nothing = View { start: 0, row: 0, column: 0 };
            (self.a, self.b) = (nothing, nothing);
            for axis in &mut self.batch {
                (axis.a, axis.b) = (0, 0);
            }
        }
    }

    /// Batches that share `b` and follow each other in `a` and `c` are more rows; the same for columns.
    fn fold(&mut self) {
        while let Some(&axis) = self.batch.last() {
            if axis.b == 0 && self.m == 1 {
                (self.m, self.a.row, self.c[0]) = (axis.size, axis.a, axis.c);
            } else if axis.a == 0 && self.n == 1 {
                (self.n, self.b.column, self.c[1]) = (axis.size, axis.b, axis.c);
            } else if axis.b == 0 && axis.a == self.m as isize * self.a.row && axis.c == self.m * self.c[0] {
                self.m *= axis.size;
            } else if axis.a == 0 && axis.b == self.n as isize * self.b.column && axis.c == self.n * self.c[1] {
                self.n *= axis.size;
            } else {
                break;
            }
            self.batch.pop();
        }
    }

    /// As [`MatMulDescriptor::run`] without `accumulate`, for a large single product: an operand across whose grain the library
    /// would read is turned first, once and by all threads, instead of in each of its calls.
    pub(super) fn run_turned<T: Real>(&self, a: &[T], b: &[T], c: &mut [T], threads: usize) {
        let large = self.batch.is_empty() && self.m.min(self.n).min(self.k) >= TURN_FROM;
        let collides =
            |stride: isize| stride > 1 && (stride as usize * size_of::<T>()).is_multiple_of(TURN_STRIDE_BYTES);
        let turned_view = |row: usize, column: usize| View { start: 0, row: row as isize, column: column as isize };
        let fits = |len: usize| size_of::<T>() * len <= TURN_TO_BYTES;
        if large && self.c[1] == 1 && self.b.row == 1 && collides(self.b.column) && fits(self.k * self.n) {
            T::scratch(self.k * self.n, |turned| {
                transpose(&b[self.b.start..], self.b.column as usize, turned, self.n, threads);
                MatMulDescriptor { b: turned_view(self.n, 1), ..self.clone() }.run(a, turned, c, false, threads);
            });
        } else if large && self.c[0] == 1 && self.a.column == 1 && collides(self.a.row) && fits(self.k * self.m) {
            T::scratch(self.k * self.m, |turned| {
                transpose(&a[self.a.start..], self.a.row as usize, turned, self.m, threads);
                MatMulDescriptor { a: turned_view(1, self.m), ..self.clone() }.run(turned, b, c, false, threads);
            });
        } else {
            self.run(a, b, c, false, threads);
        }
    }

    /// Computes it; the slices are as long as the strides need. `accumulate` adds to what is in `c`.
    pub(in crate::host) fn run<T: Real>(&self, a: &[T], b: &[T], c: &mut [T], accumulate: bool, threads: usize) {
        if threads > 1 && self.split(a, b, c, accumulate, threads) {
            return;
        }
        if self.batch.is_empty() {
            return self.in_parts(a, b, c, accumulate, threads);
        }
        for index in 0..self.batch.iter().map(|axis| axis.size).product() {
            let (mut rest, mut of_a, mut of_b, mut of_c) = (index, 0isize, 0isize, 0);
            for axis in self.batch.iter().rev() {
                let position = rest % axis.size;
                rest /= axis.size;
                of_a += position as isize * axis.a;
                of_b += position as isize * axis.b;
                of_c += position * axis.c;
            }
            let one = MatMulDescriptor { a: self.a.moved(of_a), b: self.b.moved(of_b), batch: Vec::new(), ..*self };
            one.in_parts(a, b, &mut c[of_c..], accumulate, 1);
        }
    }

    /// A product without batch axes: a long sum in parts, whose sum keeps what adding them loses.
    fn in_parts<T: Real>(&self, a: &[T], b: &[T], c: &mut [T], accumulate: bool, threads: usize) {
        let &MatMulDescriptor { m, n, k, c: [c_row, c_column], .. } = self;
        let length = part(m, n);
        if k <= length || m == 0 || n == 0 {
            return call(self, a, b, c, accumulate, threads);
        }
        // The parts lie as the result does, which is what the library's paths depend on.
        let rows_inside = c_row < c_column && n > 1;
        let (strides, [lines, line_step, line, step]) =
            if rows_inside { ([1, m], [n, c_column, m, c_row]) } else { ([n, 1], [m, c_row, n, c_column]) };
        let places = || (0..lines).flat_map(|at| (0..line).map(move |place| at * line_step + place * step));
        T::scratch(2 * m * n, |scratch| {
            let (own, lost) = scratch.split_at_mut(m * n);
            lost.fill(T::ZERO);
            for first in (0..k).step_by(length) {
                let one = MatMulDescriptor {
                    k: length.min(k - first),
                    a: self.a.moved(first as isize * self.a.column),
                    b: self.b.moved(first as isize * self.b.row),
                    ..self.clone()
                };
                if first == 0 && !accumulate {
                    call(&one, a, b, c, false, threads);
                    continue;
                }
                call(&MatMulDescriptor { c: strides, ..one }, a, b, own, false, threads);
                for ((place, lost), &part) in places().zip(lost.iter_mut()).zip(own.iter()) {
                    add_part(&mut c[place], lost, part);
                }
            }
            places().zip(lost.iter()).for_each(|(place, &lost)| add_lost(&mut c[place], lost));
        });
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
                second.a = self.a.moved(cut as isize * axis.a);
                second.b = self.b.moved(cut as isize * axis.b);
                cut * axis.c
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
                    second.a = self.a.moved(cut as isize * self.a.row);
                    cut * self.c[0]
                } else {
                    (first.n, second.n) = (cut, size - cut);
                    second.b = self.b.moved(cut as isize * self.b.column);
                    cut * self.c[1]
                }
            }
        };
        if self.k == 0 || first.span() > at {
            return false;
        }
        let (c_first, c_second) = c.split_at_mut(at);
        pool::join(
            || first.run(a, b, c_first, accumulate, first_threads),
            || second.run(a, b, c_second, accumulate, threads - first_threads),
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
fn call<T: Real>(layout: &MatMulDescriptor, a: &[T], b: &[T], c: &mut [T], accumulate: bool, threads: usize) {
    let &MatMulDescriptor { m, n, k, a: of_a, b: of_b, c: [c_row, c_column], .. } = layout;
    if m == 0 || n == 0 {
        return;
    }
    let last = (m - 1).checked_mul(c_row).and_then(|row| row.checked_add((n - 1).checked_mul(c_column)?));
    let c_fits = last.is_some_and(|last| last < c.len());
    assert!(c_fits, "the result's extent has been checked by the caller");
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
    assert!(of_a.is_inside(m, k, a.len()), "the extent of `a` has been checked by the caller");
    assert!(of_b.is_inside(k, n, b.len()), "the extent of `b` has been checked by the caller");
    // The strides of an axis of one element are free: 1 finds the library's contiguous paths, and always fits.
    let stride = |size: usize, stride: isize| if size == 1 { 1 } else { stride };
    let parallelism = if threads > 1 { Parallelism::Rayon(threads) } else { Parallelism::None };
    let product = T::product();
    let rows = Side {
        data: a.as_ptr().wrapping_add(of_a.start),
        size: m,
        outer: stride(m, of_a.row),
        depth: stride(k, of_a.column),
        in_c: stride(m, c_row as isize),
    };
    let columns = Side {
        data: b.as_ptr().wrapping_add(of_b.start),
        size: n,
        outer: stride(n, of_b.column),
        depth: stride(k, of_b.row),
        in_c: stride(n, c_column as isize),
    };
    // `cᵀ = bᵀ·aᵀ` gives the library the contiguous columns that it is made for.
    let (left, right) = if columns.in_c < rows.in_c { (columns, rows) } else { (rows, columns) };
    // SAFETY: the library reads elements `start + row·a_row + column·a_column` of `a` for `row < m`, `column < k`, those of
    // `b` likewise (negative strides included: it steps from the pointer by `isize`s), and reads and writes those of `c`; all are inside of their slices, as has just been asserted. `c` is
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
pub(in crate::host) fn transpose<T: Copy + Send + Sync>(
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
