//! A program of its own, one test at a time: counts of the process's allocations, of its pools and of its launches, and a fork,
//! which takes over what other threads have locked.

mod allocations;
mod lazy;
mod lost;
mod memory;
mod mlp;
mod recording;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Each test of this program holds it.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
