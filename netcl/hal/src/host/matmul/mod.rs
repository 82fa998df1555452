//! Matrix products of the host device: `C = A·B` over any strides and any number of batch axes.
//!
//! One product on one thread is a call of the `gemm` crates (in `layout`, the only unsafe code here). Larger work is cut in
//! two, again and again, along whichever axis of `C` has the longest stride, because there its memory can be cut in two
//! slices; a product that is too flat for that is left to `gemm`'s own threads. `f16` and `bf16` are widened to `f32`,
//! multiplied and rounded once.
//!
//! The same call on the same number of threads adds in the same order, so results repeat bit for bit.

mod layout;
mod long;
mod scalar;
#[cfg(test)]
mod tests;

use super::pool;
use layout::{Sides, View};

pub(super) use layout::{MatMulDescriptor, transpose};
pub(super) use long::{add_lost, add_part};
pub(crate) use scalar::{Real, Scalar};

/// Multiply-adds below which a second thread costs more than it brings.
const PARALLEL_WORK: usize = 1 << 21;

/// Why a product or a convolution was not computed. Nothing is written then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum ProductError {
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
        strides: Vec<isize>,
    },
    /// An operand's element, or one that a negative stride leads to, lies before its memory.
    #[error(
        "`{operand}` starts at element {start}, and its sizes {sizes:?} and strides {strides:?} lead {before} elements back"
    )]
    BeforeStart {
        /// `a` or `b`.
        operand: &'static str,
        /// Its first element.
        start: usize,
        /// How far the strides lead before it.
        before: usize,
        /// Batch sizes, then rows and columns.
        sizes: Vec<usize>,
        /// In the same order.
        strides: Vec<isize>,
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
pub(super) type ProductResult<T = ()> = std::result::Result<T, ProductError>;

/// An operand that is read: element `(batch.., row, column)` is at
/// `start + Σ batch·stride + row·self.row + column·self.column`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strided<'a, T> {
    /// All of its memory.
    pub(crate) data: &'a [T],
    /// Where its element 0 of all axes lies.
    pub(crate) start: usize,
    /// One stride per batch axis, in elements; 0 repeats, negative ones read a flipped axis.
    pub(crate) batch: &'a [isize],
    /// From one row to the next.
    pub(crate) row: isize,
    /// From one column to the next.
    pub(crate) column: isize,
}

/// The result: as [`Strided`], but no two elements in one place, and no axis flipped.
#[derive(Debug)]
pub(crate) struct StridedMut<'a, T> {
    /// From its first element on; elements between those of the result are left as they are.
    pub(crate) data: &'a mut [T],
    /// One stride per batch axis, in elements.
    pub(crate) batch: &'a [usize],
    /// From one row to the next.
    pub(crate) row: usize,
    /// From one column to the next.
    pub(crate) column: usize,
}

/// `C = A·B` for every batch: `A` is `m × k`, `B` is `k × n`, `C` is `m × n`; `k = 0` gives zeros.
///
/// `threads` is how many may work on it at once, 0 for all of rayon's current pool; small products stay on the caller's
/// thread whatever it is.
///
/// # Errors
/// [`ProductError`] if an operand's strides lead out of its slice, if two elements of `C` share memory, or if the batch
/// strides are not as many as the batch axes.
#[allow(clippy::too_many_arguments, reason = "the customary arguments of a matrix product")]
pub(crate) fn matmul<T: Scalar>(
    batch: &[usize],
    m: usize,
    n: usize,
    k: usize,
    left: Strided<'_, T>,
    right: Strided<'_, T>,
    c: StridedMut<'_, T>,
    threads: usize,
) -> ProductResult {
    for (operand, found) in [("a", left.batch.len()), ("b", right.batch.len()), ("c", c.batch.len())] {
        if found != batch.len() {
            return Err(ProductError::BatchRank { operand, found, expected: batch.len() });
        }
    }
    if m == 0 || n == 0 || batch.contains(&0) {
        return Ok(());
    }
    let (a, a_start) = if k == 0 { (&left.data[..0], 0) } else { part("a", batch, &left, [m, k])? };
    let (b, b_start) = if k == 0 { (&right.data[..0], 0) } else { part("b", batch, &right, [k, n])? };
    let c_needed = extent(batch, c.batch, [(m, c.row), (n, c.column)], c.data.len())?;
    check_distinct(batch, c.batch, [(m, c.row), (n, c.column)])?;

    let work = batch.iter().product::<usize>().saturating_mul(m).saturating_mul(n).saturating_mul(k);
    let threads = threads_for(work, threads);
    let sides = Sides {
        a: View { start: a_start, row: left.row, column: left.column },
        b: View { start: b_start, row: right.row, column: right.column },
        c: [c.row, c.column],
    };
    let layout =
        MatMulDescriptor::new(batch, [m, n, k], sides, |axis| (left.batch[axis], right.batch[axis], c.batch[axis]));
    let c = &mut c.data[..c_needed];
    match (T::as_wide(a), T::as_wide(b)) {
        (Some(wide_a), Some(wide_b)) => {
            if let Some(wide_c) = T::as_wide_mut(c) {
                layout.run_turned(wide_a, wide_b, wide_c, threads);
            }
        }
        _ => T::Wide::scratch(a.len() + b.len() + c_needed, |scratch| {
            let (wide_a, rest) = scratch.split_at_mut(a.len());
            let (wide_b, wide_c) = rest.split_at_mut(b.len());
            T::widen(a, wide_a);
            T::widen(b, wide_b);
            // What lies between the elements of `c` goes there and back unchanged.
            T::widen(c, wide_c);
            layout.run_turned(wide_a, wide_b, wide_c, threads);
            T::narrow(wide_c, c);
        }),
    }
    Ok(())
}

/// Whether `work` multiply-adds are worth more than one thread.
pub(crate) fn pays(work: usize) -> bool {
    work >= PARALLEL_WORK
}

/// How many threads `work` multiply-adds are worth, of the `threads` allowed (0: those that share what the caller starts).
pub(super) fn threads_for(work: usize, threads: usize) -> usize {
    if !pays(work) {
        return 1;
    }
    let allowed = if threads == 0 { pool::threads_here() } else { threads };
    allowed.min(work / (PARALLEL_WORK / 2)).max(1)
}

/// The memory between the first and the last element of an operand that is read, sizes not 0, and where in it the operand
/// starts.
fn part<'a, T>(
    operand: &'static str,
    batch: &[usize],
    view: &Strided<'a, T>,
    [rows, columns]: [usize; 2],
) -> ProductResult<(&'a [T], usize)> {
    let axes =
        || batch.iter().copied().zip(view.batch.iter().copied()).chain([(rows, view.row), (columns, view.column)]);
    // How far the axes lead behind the first element, or before it.
    let reach = |back: bool| {
        axes()
            .filter(|&(_, stride)| (stride < 0) == back)
            .try_fold(0usize, |sum, (size, stride)| sum.checked_add((size - 1).checked_mul(stride.unsigned_abs())?))
    };
    let (sizes, strides) = axes().unzip();
    let before = reach(true).unwrap_or(usize::MAX);
    let Some(first) = view.start.checked_sub(before) else {
        return Err(ProductError::BeforeStart { operand, start: view.start, before, sizes, strides });
    };
    let needed = reach(false).and_then(|behind| view.start.checked_add(behind)?.checked_add(1));
    match needed.and_then(|end| view.data.get(first..end)) {
        Some(data) => Ok((data, before)),
        None => {
            let (found, needed) = (view.data.len(), needed.unwrap_or(usize::MAX));
            Err(ProductError::TooShort { operand, found, needed, sizes, strides })
        }
    }
}

/// How many elements the result spans, sizes not 0, if that is within `found`.
fn extent(batch: &[usize], batch_strides: &[usize], matrix: [(usize, usize); 2], found: usize) -> ProductResult<usize> {
    let axes = || batch.iter().copied().zip(batch_strides.iter().copied()).chain(matrix);
    let last = axes().try_fold(0usize, |last, (size, stride)| last.checked_add((size - 1).checked_mul(stride)?));
    match last.and_then(|last| last.checked_add(1)) {
        Some(needed) if needed <= found => Ok(needed),
        needed => {
            let (sizes, strides) = axes().map(|(size, stride)| (size, signed(stride))).unzip();
            Err(ProductError::TooShort { operand: "c", found, needed: needed.unwrap_or(usize::MAX), sizes, strides })
        }
    }
}

/// A stride for a message.
fn signed(stride: usize) -> isize {
    isize::try_from(stride).unwrap_or(isize::MAX)
}

/// That each axis steps over all of the axes with shorter strides, which makes all elements distinct. (Layouts that are
/// distinct in another way exist, but none is a view of a row-major tensor.) Extents have been checked.
fn check_distinct(batch: &[usize], batch_strides: &[usize], matrix: [(usize, usize); 2]) -> ProductResult {
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
        axes.sort_by_key(|&(_, stride)| stride);
        nested(&mut axes.into_iter())
    };
    if distinct {
        return Ok(());
    }
    let (sizes, strides) = batch.iter().copied().zip(batch_strides.iter().copied()).chain(matrix).unzip();
    Err(ProductError::Overlap { sizes, strides })
}
