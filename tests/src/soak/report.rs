//! What a soak found.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// What a process may grow by in bytes, but for what its pools keep and its allocator has free: stacks of the threads, what
/// drivers keep.
const GROWTH: u64 = 96 << 20;

/// Scratch memory in bytes that the functions of a small model keep for each call that ran beside others.
const SCRATCH: i64 = 16 << 10;

/// What happened.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// How many threads worked.
    pub threads: u64,
    /// Operations that were done.
    pub operations: u64,
    /// How often each of them was, by name.
    pub each: Vec<(&'static str, u64)>,
    /// Bytes that were compared with what they must be.
    pub checked: u64,
    /// Bytes that were wrong.
    pub wrong: u64,
    /// Where they were found.
    pub mistakes: Vec<String>,
    /// Bytes of device memory in use at the end, beyond those at the beginning.
    pub device_bytes_left: i64,
    /// The same of page-locked memory.
    pub pinned_bytes_left: i64,
    /// The process's memory in bytes after a quarter of the time, and at the end; 0 where the system does not tell.
    pub resident: [u64; 2],
    /// The same before the first and after the last operation, when the pools have given back what is idle, and the C library
    /// what is free. What is left is in use or lost.
    pub resident_bare: [u64; 2],
    /// Bytes that pools of the device, of the host and of page-locked memory hold, at the same times as `resident`.
    pub pooled: [u64; 2],
    /// Programs that were built or loaded after the first of each kind.
    pub late_programs: u64,
}

impl Report {
    /// What is wrong, in words; nothing if all is well.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = self.mistakes.clone();
        let mut check = |is_bad: bool, text: String| problems.extend(is_bad.then_some(text));
        check(self.wrong > 0, format!("{} bytes were wrong", self.wrong));
        let left = (self.device_bytes_left, self.pinned_bytes_left);
        let kept = SCRATCH * self.threads as i64;
        check(
            !(0..=kept).contains(&left.0) || left.1 != 0,
            format!("{} bytes of the device and {} page-locked ones are still in use", left.0, left.1),
        );
        check(self.late_programs > 0, format!("{} programs were built or loaded again", self.late_programs));
        let [before, after] = self.resident_bare;
        let growth = after.saturating_sub(before);
        check(growth >= GROWTH, format!("the process grew by {} MiB that nothing keeps for reuse", growth >> 20));
        problems
    }
}

/// What all workers add to.
#[derive(Default)]
pub(super) struct Totals {
    pub(super) checked: AtomicU64,
    pub(super) wrong: AtomicU64,
    mistakes: Mutex<Vec<String>>,
}

impl Totals {
    pub(super) fn mistake(&self, text: String) {
        self.mistakes.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    pub(super) fn take_mistakes(&self) -> Vec<String> {
        std::mem::take(&mut *self.mistakes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// `what` tells how the elements were made and read.
    pub(super) fn compare(&self, what: &str, found: &[u32], wanted: &[u32]) {
        let differ = |(found, wanted): &(&u32, &u32)| found != wanted;
        let wrong = found.iter().zip(wanted).filter(differ).count() + found.len().abs_diff(wanted.len());
        if wrong > 0 {
            let first = found.iter().zip(wanted).position(|pair| differ(&pair)).unwrap_or(0);
            let (is, was) = (found.get(first).copied(), wanted.get(first).copied());
            let text = format!("{what}: {wrong} of {} from {first} on: {is:?}, not {was:?}", wanted.len());
            self.mistake(text);
        }
        self.checked.fetch_add(4 * wanted.len() as u64, Ordering::Relaxed);
        self.wrong.fetch_add(4 * wrong as u64, Ordering::Relaxed);
    }
}
