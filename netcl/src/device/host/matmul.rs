//! Matrix products of the host device: `C = A·B` over any strides and any number of batch axes.
//!
//! One product on one thread is a call of the `gemm` crate ([`call`], the only unsafe code here). Larger work is cut in
//! two, again and again, along whichever axis of `C` has the longest stride, because there its memory can be cut in two
//! slices; a product that is too flat for that is left to `gemm`'s own threads. `f16` and `bf16` are widened to `f32`,
//! multiplied and rounded once.
//!
//! The same call on the same number of threads adds in the same order, so results repeat bit for bit.

use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use std::cell::RefCell;

/// Multiply-adds below which a second thread costs more than it brings.
const PARALLEL_WORK: usize = 1 << 21;

/// Fewest rows of `C` that are worth a call of their own: below that, every thread would read all of `B` for little.
const FEWEST_ROWS: usize = 24;

/// Rows are cut at multiples of this, the height of the library's register tile.
const ROW_GRAIN: usize = 8;

/// Why a product or a convolution was not computed. Nothing is written then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProductError {
    /// The strides lead out of the memory.
    #[error(
        "`{operand}` has {found} elements, but its sizes {sizes:?} and strides {strides:?} need {needed}; pass a longer \
         buffer or smaller strides"
    )]
    TooShort {
        /// `a`, `b` or `c`; for a convolution also `input`, `weight` or `output`.
        operand: &'static str,
        /// Of the slice.
        found: usize,
        /// At least; `usize::MAX` if it does not fit a `usize`.
        needed: usize,
        /// Batch sizes, then rows and columns.
        sizes: Vec<usize>,
        /// In the same order.
        strides: Vec<usize>,
    },
    /// Two elements of the result share memory.
    #[error("the result's sizes {sizes:?} and strides {strides:?} put two of its elements in one place")]
    Overlap {
        /// Batch sizes, then rows and columns.
        sizes: Vec<usize>,
        /// In the same order.
        strides: Vec<usize>,
    },
    /// An operand's batch strides are not one per batch axis.
    #[error("`{operand}` has {found} batch strides, expected one for each of {expected} batch axes")]
    BatchRank {
        /// `a`, `b` or `c`.
        operand: &'static str,
        /// How many it has.
        found: usize,
        /// How many batch axes there are.
        expected: usize,
    },
    /// The sizes of a convolution contradict each other.
    #[error("convolution: {0}")]
    Shape(String),
}

/// Shorthand of this file and of `conv`.
pub type Result<T = ()> = std::result::Result<T, ProductError>;

/// An operand that is read: element `(batch.., row, column)` is at `Σ batch·stride + row·self.row + column·self.column`.
#[derive(Clone, Copy, Debug)]
pub struct Strided<'a, T> {
    /// From its first element on.
    pub data: &'a [T],
    /// One stride per batch axis, in elements; 0 repeats.
    pub batch: &'a [usize],
    /// From one row to the next.
    pub row: usize,
    /// From one column to the next.
    pub column: usize,
}

/// The result: as [`Strided`], but no two elements in one place.
#[derive(Debug)]
pub struct StridedMut<'a, T> {
    /// From its first element on; elements between those of the result are left as they are.
    pub data: &'a mut [T],
    /// One stride per batch axis, in elements.
    pub batch: &'a [usize],
    /// From one row to the next.
    pub row: usize,
    /// From one column to the next.
    pub column: usize,
}

/// Element types of products; what they do beyond `Copy` is private to the host device.
pub trait Scalar: Copy + Send + Sync + Default + std::fmt::Debug + 'static {
    /// The type in which they are multiplied and added: `f32`, or `f64` for itself.
    type Wide: Real;

    /// Rounds to nearest, ties to even.
    fn round(wide: Self::Wide) -> Self;

    /// `Ok` with the slice itself where storage and arithmetic are one type, `Err` where it must be converted.
    fn as_wide(data: &[Self]) -> Option<&[Self::Wide]>;

    /// As [`Scalar::as_wide`].
    fn as_wide_mut(data: &mut [Self]) -> Option<&mut [Self::Wide]>;

    /// Converts exactly; both of one length.
    fn widen(from: &[Self], to: &mut [Self::Wide]);

    /// Rounds each; both of one length.
    fn narrow(from: &[Self::Wide], to: &mut [Self]);
}

/// `f32` and `f64`, the types of which the library makes products.
pub trait Real: Scalar<Wide = Self> + std::ops::AddAssign + std::ops::Mul<Output = Self> {
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;

    /// Lends `len` elements of this thread's scratch memory, contents unspecified. Nested loans are separate memory.
    fn scratch<R>(len: usize, body: impl FnOnce(&mut [Self]) -> R) -> R;
}

/// Scratch memory that a thread keeps between calls, in bytes; longer pieces are given back.
const KEPT_BYTES: usize = 64 << 20;

macro_rules! real {
    ($ty:ident) => {
        impl Scalar for $ty {
            type Wide = $ty;
            fn round(wide: $ty) -> $ty {
                wide
            }
            fn as_wide(data: &[$ty]) -> Option<&[$ty]> {
                Some(data)
            }
            fn as_wide_mut(data: &mut [$ty]) -> Option<&mut [$ty]> {
                Some(data)
            }
            fn widen(from: &[$ty], to: &mut [$ty]) {
                to.copy_from_slice(from);
            }
            fn narrow(from: &[$ty], to: &mut [$ty]) {
                to.copy_from_slice(from);
            }
        }

        impl Real for $ty {
            const ZERO: $ty = 0.0;
            const ONE: $ty = 1.0;

            fn scratch<R>(len: usize, body: impl FnOnce(&mut [$ty]) -> R) -> R {
                thread_local! {
                    static POOL: RefCell<Vec<Vec<$ty>>> = const { RefCell::new(Vec::new()) };
                }
                // The longest piece is taken out of the pool for the loan: a thread that waits in rayon may start
                // another task that borrows as well.
                let mut piece = POOL.with_borrow_mut(Vec::pop).unwrap_or_default();
                if piece.len() < len {
                    piece.resize(len, 0.0);
                }
                let result = body(&mut piece[..len]);
                if size_of_val(piece.as_slice()) <= KEPT_BYTES {
                    POOL.with_borrow_mut(|pool| pool.push(piece));
                }
                result
            }
        }
    };
}
real!(f32);
real!(f64);

macro_rules! half_precision {
    ($ty:ident) => {
        impl Scalar for $ty {
            type Wide = f32;
            fn round(wide: f32) -> $ty {
                $ty::from_f32(wide)
            }
            fn as_wide(_: &[$ty]) -> Option<&[f32]> {
                None
            }
            fn as_wide_mut(_: &mut [$ty]) -> Option<&mut [f32]> {
                None
            }
            fn widen(from: &[$ty], to: &mut [f32]) {
                from.convert_to_f32_slice(to);
            }
            fn narrow(from: &[f32], to: &mut [$ty]) {
                to.convert_from_f32_slice(from);
            }
        }
    };
}
half_precision!(f16);
half_precision!(bf16);

/// `C = A·B` for every batch: `A` is `m × k`, `B` is `k × n`, `C` is `m × n`; `k = 0` gives zeros.
///
/// `threads` is how many may work on it at once, 0 for all of rayon's current pool; small products stay on the caller's
/// thread whatever it is.
///
/// # Errors
/// [`ProductError`] if an operand's strides lead out of its slice, if two elements of `C` share memory, or if the batch
/// strides are not as many as the batch axes.
#[allow(clippy::too_many_arguments, reason = "the customary arguments of a matrix product")]
pub fn matmul<T: Scalar>(
    batch: &[usize],
    m: usize,
    n: usize,
    k: usize,
    a: Strided<'_, T>,
    b: Strided<'_, T>,
    c: StridedMut<'_, T>,
    threads: usize,
) -> Result {
    for (operand, found) in [("a", a.batch.len()), ("b", b.batch.len()), ("c", c.batch.len())] {
        if found != batch.len() {
            return Err(ProductError::BatchRank { operand, found, expected: batch.len() });
        }
    }
    if m == 0 || n == 0 || batch.contains(&0) {
        return Ok(());
    }
    let a_needed = if k == 0 { 0 } else { extent("a", batch, a.batch, [(m, a.row), (k, a.column)], a.data.len())? };
    let b_needed = if k == 0 { 0 } else { extent("b", batch, b.batch, [(k, b.row), (n, b.column)], b.data.len())? };
    let c_needed = extent("c", batch, c.batch, [(m, c.row), (n, c.column)], c.data.len())?;
    check_distinct(batch, c.batch, [(m, c.row), (n, c.column)])?;

    let work = batch.iter().product::<usize>().saturating_mul(m).saturating_mul(n).saturating_mul(k);
    let threads = threads_for(work, threads);
    let layout = Layout::new(batch, [m, n, k], [a.row, a.column, b.row, b.column, c.row, c.column], |axis| {
        [a.batch[axis], b.batch[axis], c.batch[axis]]
    });
    let (a, b, c) = (&a.data[..a_needed], &b.data[..b_needed], &mut c.data[..c_needed]);
    match (T::as_wide(a), T::as_wide(b)) {
        (Some(wide_a), Some(wide_b)) => {
            if let Some(wide_c) = T::as_wide_mut(c) {
                layout.run(wide_a, wide_b, wide_c, false, threads);
            }
        }
        _ => T::Wide::scratch(a_needed + b_needed + c_needed, |scratch| {
            let (wide_a, rest) = scratch.split_at_mut(a_needed);
            let (wide_b, wide_c) = rest.split_at_mut(b_needed);
            T::widen(a, wide_a);
            T::widen(b, wide_b);
            // What lies between the elements of `c` goes there and back unchanged.
            T::widen(c, wide_c);
            layout.run(wide_a, wide_b, wide_c, false, threads);
            T::narrow(wide_c, c);
        }),
    }
    Ok(())
}

/// How many threads `work` multiply-adds are worth, of the `threads` allowed (0: rayon's current pool).
pub(super) fn threads_for(work: usize, threads: usize) -> usize {
    if work < PARALLEL_WORK {
        return 1;
    }
    let allowed = if threads == 0 { rayon::current_num_threads() } else { threads };
    allowed.min(work / (PARALLEL_WORK / 2)).max(1)
}

/// How many elements `sizes` (none 0) by `strides` span, if that is within `found`.
fn extent(
    operand: &'static str,
    batch: &[usize],
    batch_strides: &[usize],
    matrix: [(usize, usize); 2],
    found: usize,
) -> Result<usize> {
    let axes = || batch.iter().copied().zip(batch_strides.iter().copied()).chain(matrix);
    let last = axes().try_fold(0usize, |last, (size, stride)| last.checked_add((size - 1).checked_mul(stride)?));
    match last.and_then(|last| last.checked_add(1)) {
        Some(needed) if needed <= found => Ok(needed),
        needed => {
            let (sizes, strides) = axes().unzip();
            Err(ProductError::TooShort { operand, found, needed: needed.unwrap_or(usize::MAX), sizes, strides })
        }
    }
}

/// That each axis steps over all of the axes with shorter strides, which makes all elements distinct. (Layouts that are
/// distinct in another way exist, but none is a view of a row-major tensor.) Extents have been checked.
fn check_distinct(batch: &[usize], batch_strides: &[usize], matrix: [(usize, usize); 2]) -> Result {
    let nested = |axes: &mut dyn Iterator<Item = (usize, usize)>| {
        let mut span = 0;
        axes.filter(|&(size, _)| size > 1).all(|(size, stride)| {
            let distinct = stride > span;
            span += (size - 1) * stride;
            distinct
        })
    };
    let [row, column] = matrix;
    let distinct = if batch.is_empty() {
        let inner_first = if row.1 < column.1 { [row, column] } else { [column, row] };
        nested(&mut inner_first.into_iter())
    } else {
        let mut axes: Vec<_> = batch.iter().copied().zip(batch_strides.iter().copied()).chain(matrix).collect();
        axes.sort_unstable_by_key(|&(_, stride)| stride);
        nested(&mut axes.into_iter())
    };
    if distinct {
        return Ok(());
    }
    let (sizes, strides) = batch.iter().copied().zip(batch_strides.iter().copied()).chain(matrix).unzip();
    Err(ProductError::Overlap { sizes, strides })
}

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
pub(super) struct Layout {
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
    fn new(
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
        axes.sort_by_key(|axis| std::cmp::Reverse(axis.c));
        let [a_row, a_column, b_row, b_column, c_row, c_column] = strides;
        let mut layout =
            Layout { batch: axes, m, n, k, a: [a_row, a_column], b: [b_row, b_column], c: [c_row, c_column] };
        layout.fold();
        layout
    }

    /// A single product; see [`Layout::new`].
    pub(super) fn matrix(sizes: [usize; 3], strides: [usize; 6]) -> Layout {
        Layout::new(&[], sizes, strides, |_| [0; 3])
    }

    /// Batches that share `b` and follow each other in `a` and `c` are more rows; the same for columns.
    fn fold(&mut self) {
        while let Some(&axis) = self.batch.last() {
            if axis.b == 0 && axis.a == self.m * self.a[0] && axis.c == self.m * self.c[0] {
                self.m *= axis.size;
            } else if axis.a == 0 && axis.b == self.n * self.b[1] && axis.c == self.n * self.c[1] {
                self.n *= axis.size;
            } else {
                break;
            }
            self.batch.pop();
        }
    }

    /// Computes it; the slices are as long as the strides need. `accumulate` adds to what is in `c`.
    pub(super) fn run<T: Real>(&self, a: &[T], b: &[T], c: &mut [T], accumulate: bool, threads: usize) {
        if threads > 1 && self.split(a, b, c, accumulate, threads) {
            return;
        }
        let Some((&axis, inner)) = self.batch.split_first() else {
            return call(self, a, b, c, accumulate, threads);
        };
        let mut layout = Layout { batch: inner.to_vec(), ..*self };
        if let [last] = inner {
            // The two innermost levels in one loop, so that no list is made for each product.
            layout.batch.clear();
            for outer in 0..axis.size {
                for index in 0..last.size {
                    let [at_a, at_b, at_c] = [
                        axis.a * outer + last.a * index,
                        axis.b * outer + last.b * index,
                        axis.c * outer + last.c * index,
                    ];
                    call(&layout, &a[at_a.min(a.len())..], &b[at_b.min(b.len())..], &mut c[at_c..], accumulate, 1);
                }
            }
            return;
        }
        for index in 0..axis.size {
            let (at_a, at_b) = ((index * axis.a).min(a.len()), (index * axis.b).min(b.len()));
            layout.run(&a[at_a..], &b[at_b..], &mut c[index * axis.c..], accumulate, 1);
        }
    }

    /// Cuts the work in two for two groups of threads; `false` if `c` does not allow it.
    fn split<T: Real>(&self, a: &[T], b: &[T], c: &mut [T], accumulate: bool, threads: usize) -> bool {
        let first_threads = threads.div_ceil(2);
        let (mut first, mut second) = (self.clone(), self.clone());
        let outer = self.batch.first().map_or(0, |axis| axis.c);
        let [at_a, at_b, at_c] = if outer >= self.c[0].max(self.c[1]) && !self.batch.is_empty() {
            let axis = self.batch[0];
            let cut = (axis.size * first_threads / threads).max(1);
            first.batch[0].size = cut;
            second.batch[0].size = axis.size - cut;
            [cut * axis.a, cut * axis.b, cut * axis.c]
        } else {
            let rows = self.c[0] >= self.c[1];
            let size = if rows { self.m } else { self.n };
            if size < 2 * FEWEST_ROWS || (size < threads * FEWEST_ROWS && self.batch.is_empty()) {
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
        };
        if self.k == 0 || first.span() > at_c {
            return false;
        }
        let (c_first, c_second) = c.split_at_mut(at_c);
        rayon::join(
            || first.run(a, b, c_first, accumulate, first_threads),
            || second.run(&a[at_a..], &b[at_b..], c_second, accumulate, threads - first_threads),
        );
        true
    }

    /// How many elements of `c` it spans.
    fn span(&self) -> usize {
        let batch: usize = self.batch.iter().map(|axis| (axis.size - 1) * axis.c).sum();
        batch + (self.m - 1) * self.c[0] + (self.n - 1) * self.c[1] + 1
    }
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
    let parallelism = if threads > 1 { gemm::Parallelism::Rayon(threads) } else { gemm::Parallelism::None };
    // SAFETY: the library reads elements `row·a_row + column·a_column` of `a` for `row < m`, `column < k`, those of `b`
    // likewise, and reads and writes those of `c`; all are inside of their slices, as has just been asserted. `c` is
    // borrowed exclusively, so it overlaps neither operand. With more than one thread, each writes other elements of
    // `c`, and `check_distinct` (or a row-major scratch block) has made sure that they are in different places. Strides
    // of axes longer than 1 are below a slice's length, so they fit an `isize`. `T` is `f32` or `f64`, the only
    // implementors of `Real`.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            c.as_mut_ptr(),
            stride(n, c_column),
            stride(m, c_row),
            accumulate,
            a.as_ptr(),
            stride(k, a_column),
            stride(m, a_row),
            b.as_ptr(),
            stride(n, b_column),
            stride(k, b_row),
            T::ONE,
            T::ONE,
            false,
            false,
            false,
            parallelism,
        );
    }
}
