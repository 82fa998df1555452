//! Scatter-adds on GPUs: the updates are put in the order of their rows, those of one row in their own order, and each row's
//! stretch of that order is summed.
//!
//! 1. A stable radix sort ([`sort`]), `DIGIT_BITS` of the row number at a time. Each work-group takes a part of the updates,
//!    [`count`]s how often each digit comes, and [`place`]s its updates behind all of smaller digits and those of equal digits
//!    in the groups before it. The first count also fills the result with zeros.
//! 2. [`sum()`]: a work-group takes `BLOCK` updates in that order, `STRETCH` by each work-item. Rows that begin and end
//!    within the block are done. What the block has of the rows at its two ends is kept: its *head* and its *tail*.
//! 3. [`join`]: each row that reaches the end of a block adds the heads of the blocks that it goes on in.
//!
//! However often a row is hit, no work-item adds more than a few dozen updates and a head for each block. Which additions are
//! made in which order depends on the indices alone, so that a run repeats.

mod intermediates;
mod sort;
mod sum;

pub(crate) use intermediates::{Intermediates, LOCAL_BYTES};
pub(crate) use sort::{count, place};
pub(crate) use sum::{join, sum};
