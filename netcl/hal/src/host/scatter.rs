//! Scatter-adds of the host device: zeros with rows of updates added at rows by number.
//!
//! Threads own ranges of rows. Each looks at all indices and adds the updates of its own rows, in their order: the result is
//! the same on any number of threads, and costs what the updates and the result do, with a look at each index by each thread.
//! The ranges are cut so that rows which are hit often, as those of common words, do not all fall to one thread.

#![allow(unsafe_code, reason = "memory shared between threads is accessed through raw pointers, see memory.rs")]

use super::matmul;
use super::memory::HostBuffer;
use super::pool;
use crate::device::dispatch::ScatterAdd;
use netcl_kernels::dtype::DType;
use std::ops::Range;

/// Ranges of rows whose hits are counted to cut the rows among threads.
const BUCKETS: usize = 1 << 10;
/// Ranges for each thread: one that is done early takes another.
const RANGES_PER_THREAD: usize = 4;

/// Types that are added: integers wrap.
trait Addend: Copy + Default + Send + Sync {
    fn plus(self, other: Self) -> Self;
}

macro_rules! addend {
    ($($type:ty, $a:ident, $b:ident => $sum:expr;)*) => {$(
        impl Addend for $type {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $sum
            }
        }
    )*};
}
addend! {
    f32, a, b => a + b;
    f64, a, b => a + b;
    u8, a, b => a.wrapping_add(b);
    i32, a, b => a.wrapping_add(b);
    u32, a, b => a.wrapping_add(b);
    i64, a, b => a.wrapping_add(b);
}

impl ScatterAdd {
    /// Runs it on row numbers, updates and result, on all threads where that pays. The caller has their locks.
    pub(crate) fn run(&self, buffers: [&HostBuffer; 3]) -> Result<(), String> {
        let work = self.rows.saturating_add(self.count).saturating_mul(self.features);
        if matmul::pays(work) { pool::run(|| self.here(buffers, pool::threads())) } else { self.here(buffers, 1) }
    }

    fn here(&self, buffers: [&HostBuffer; 3], threads: usize) -> Result<(), String> {
        match self.dtype {
            DType::F32 => self.typed::<f32>(buffers, threads),
            DType::F64 => self.typed::<f64>(buffers, threads),
            DType::U8 => self.typed::<u8>(buffers, threads),
            DType::I32 => self.typed::<i32>(buffers, threads),
            DType::U32 => self.typed::<u32>(buffers, threads),
            DType::I64 => self.typed::<i64>(buffers, threads),
            DType::Bool | DType::F16 | DType::BF16 => Err(format!("the host adds no {}", self.dtype)),
        }
    }

    fn typed<T: Addend>(&self, [indices, updates, result]: [&HostBuffer; 3], threads: usize) -> Result<(), String> {
        let range = |buffer: &HostBuffer| (buffer.pointer() as usize, buffer.pointer() as usize + buffer.bytes());
        let apart = |buffer: &HostBuffer| range(buffer).1 <= range(result).0 || range(result).1 <= range(buffer).0;
        if !(apart(indices) && apart(updates)) {
            return Err("its result lies in the memory of an operand".to_owned());
        }
        let elements = |count: usize| count.checked_mul(self.features).ok_or("its sizes are too large");
        let (added, all) = (elements(self.count)?, elements(self.rows)?);
        let fits = |buffer: &HostBuffer, count: usize, size: usize| count <= buffer.bytes() / size;
        let size = size_of::<T>();
        if !(fits(indices, self.count, size_of::<u32>()) && fits(updates, added, size) && fits(result, all, size)) {
            return Err("a buffer is smaller than its sizes say".to_owned());
        }
        // SAFETY: the pointers are valid for as many elements (just checked) and aligned for any; the memory is initialised
        // (it was allocated zeroed) and any bytes are a number. `result` shares no byte with the other two (checked above).
        // Nobody writes these buffers meanwhile, nor reads `result`: a plan's steps run one after another, its scratch memory
        // is its own, and of all other memory the launch holds the locks (`access.rs`), for writing where it writes.
        let (indices, updates, result) = unsafe {
            (
                std::slice::from_raw_parts(indices.pointer().cast::<u32>(), self.count),
                std::slice::from_raw_parts(updates.pointer().cast::<T>(), added),
                std::slice::from_raw_parts_mut(result.pointer().cast::<T>(), all),
            )
        };
        scatter_add(self.features, indices, updates, result, threads);
        Ok(())
    }
}

/// `result`, rows of `features`, as zeros with `updates` added at the rows `indices`; those that do not exist are left out.
fn scatter_add<T: Addend>(features: usize, indices: &[u32], updates: &[T], result: &mut [T], threads: usize) {
    if features == 0 {
        return;
    }
    if threads <= 1 {
        return add(features, indices, updates, result, 0);
    }
    let ranges = ranges(result.len() / features, indices, threads * RANGES_PER_THREAD);
    let mut left = result;
    let mut parts = Vec::with_capacity(ranges.len());
    for range in ranges {
        let (own, rest) = left.split_at_mut(range.len() * features);
        parts.push((range.start, own));
        left = rest;
    }
    pool::share(parts.into_iter(), &|_, (first, own)| add(features, indices, updates, own, first));
}

/// The rows of `own`, of which the first is number `first`.
fn add<T: Addend>(features: usize, indices: &[u32], updates: &[T], own: &mut [T], first: usize) {
    own.fill(T::default());
    let rows = own.len() / features;
    for (&index, update) in indices.iter().zip(updates.chunks_exact(features)) {
        let row = (index as usize).wrapping_sub(first);
        if row < rows {
            let sums = &mut own[row * features..][..features];
            sums.iter_mut().zip(update).for_each(|(sum, update)| *sum = sum.plus(*update));
        }
    }
}

/// About `parts` ranges that make up all rows, of about equal cost: one for a row, and two for each time that it is hit.
fn ranges(rows: usize, indices: &[u32], parts: usize) -> Vec<Range<usize>> {
    let each = rows.div_ceil(BUCKETS).max(1);
    let mut costs = vec![each; rows.div_ceil(each)];
    for &index in indices {
        if let Some(cost) = costs.get_mut(index as usize / each) {
            *cost += 2;
        }
    }
    let most = costs.iter().sum::<usize>().div_ceil(parts.max(1));
    let mut ranges = Vec::with_capacity(parts + 1);
    let (mut start, mut cost) = (0, 0);
    for (bucket, own) in costs.iter().enumerate() {
        cost += own;
        let end = ((bucket + 1) * each).min(rows);
        if cost >= most || end == rows {
            ranges.push(start..end);
            (start, cost) = (end, 0);
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sums as the definition says.
    fn expected(rows: usize, features: usize, indices: &[u32], updates: &[i64]) -> Vec<i64> {
        let mut sums = vec![0; rows * features];
        for (at, &index) in indices.iter().enumerate().filter(|(_, index)| (**index as usize) < rows) {
            (0..features).for_each(|f| sums[index as usize * features + f] += updates[at * features + f]);
        }
        sums
    }

    #[test]
    fn rows_are_cut_among_threads_however_they_are_hit() {
        let spread = |at: usize| (at * 7919) as u32;
        let patterns: [fn(usize) -> u32; 3] = [|at| (at * 7919 % 1200) as u32, |_| 3, |at| [0, u32::MAX, 999][at % 3]];
        for rows in [1, 7, 1000, 1025, 5000] {
            for (count, features) in [(0, 3), (1, 1), (500, 3), (2000, 1)] {
                for pattern in patterns.into_iter().chain([spread as fn(usize) -> u32]) {
                    let indices: Vec<u32> = (0..count).map(pattern).collect();
                    let updates: Vec<i64> = (0..count * features).map(|at| at as i64 - 100).collect();
                    for threads in [1, 2, 5] {
                        let mut sums = vec![-1; rows * features];
                        scatter_add(features, &indices, &updates, &mut sums, threads);
                        assert_eq!(sums, expected(rows, features, &indices, &updates), "{rows} {count} {threads}");
                    }
                }
            }
        }
    }

    #[test]
    fn rows_that_are_hit_often_are_shared_out() {
        // Half of the hits in the first tenth of the rows.
        let indices: Vec<u32> = (0..20_000).map(|at| if at % 2 == 0 { at % 1000 } else { at % 10_000 }).collect();
        let ranges = ranges(10_000, &indices, 8);
        assert_eq!((ranges[0].start, ranges.last().unwrap().end), (0, 10_000));
        assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start), "{ranges:?}");
        assert!(ranges.len() >= 7 && ranges[0].len() < 1000, "{ranges:?}");
    }
}
