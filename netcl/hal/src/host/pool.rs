//! The host device's threads.
//!
//! They run pieces of launches and nothing else. On the threads that everybody shares, one that waits for its pieces
//! would meanwhile start whatever task it finds, also one that calls netcl; that call may want the memory that the
//! waiting launch has locked (see `access`), and would wait for what lies under it on its own stack.

use crate::process;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::num::NonZero;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread::Builder;

/// `None` where the system gives no threads: everything runs where it is called.
static POOL: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let named = ThreadPoolBuilder::new().thread_name(|position| format!("netcl-{position}"));
    // 0 leaves the number to rayon.
    named
        .num_threads(most_threads().unwrap_or(0))
        .build()
        .inspect_err(|error| tracing::warn!(%error, "the host device has no threads of its own"))
        .ok()
});

/// How many threads there are at most for each processor, and in any case: far more only wait for each other.
const THREADS_PER_PROCESSOR: usize = 4;
const ALWAYS_ALLOWED: usize = 64;

/// The most threads there may be, if more are asked for.
fn most_threads() -> Option<usize> {
    // That rayon looks at them is documented; a number that it does not understand is left to it.
    let asked = ["RAYON_NUM_THREADS", "RAYON_RS_NUM_CPUS"].map(|name| std::env::var(name).ok()?.parse::<usize>().ok());
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let most = capped(asked.into_iter().flatten().max()?, processors)?;
    tracing::warn!(most, "RAYON_NUM_THREADS asks for more threads than the host device has use for");
    Some(most)
}

/// The most threads there may be, if so many are more.
fn capped(asked: usize, processors: usize) -> Option<usize> {
    let most = processors.saturating_mul(THREADS_PER_PROCESSOR).max(ALWAYS_ALLOWED);
    (asked > most).then_some(most)
}

/// How many there are.
pub(crate) fn threads() -> usize {
    POOL.as_ref().map_or(1, ThreadPool::current_num_threads)
}

/// The threads, unless there are none: this process is a forked child, whose parent has them, or the system gives none.
fn pool() -> Option<&'static ThreadPool> {
    if process::is_forked() { None } else { POOL.as_ref() }
}

/// Whether the caller is one of them.
fn is_inside() -> bool {
    pool().is_some_and(|pool| pool.current_thread_index().is_some())
}

/// How many threads share what the caller starts: all of them inside [`run`], else the caller alone.
pub(crate) fn threads_here() -> usize {
    if is_inside() { threads() } else { 1 }
}

/// Noted on each thread that asks, and gone once the thread destroys its values.
struct Alive;

impl Drop for Alive {
    fn drop(&mut self) {}
}

/// Whether the calling thread has begun to destroy its thread-local values: the library for products keeps some there and
/// panics without them, so that its work is for other threads. To be asked before that library is called, so that what tells
/// is destroyed after the library's values.
pub(crate) fn caller_is_ending() -> bool {
    thread_local! {
        static ALIVE: Alive = const { Alive };
    }
    ALIVE.try_with(|_| ()).is_err()
}

/// Runs `work` on one of them, where [`each`] and [`share`] use all of them. The calling thread does nothing meanwhile,
/// whatever it is. Where there are no threads, the caller does everything itself.
pub fn run<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let Some(pool) = pool() else { return work() };
    if pool.current_thread_index().is_some() {
        return work();
    }
    if rayon::current_thread_index().is_none() {
        return pool.install(work);
    }
    // A thread of another pool would look for other tasks while it waits; one that waits for a thread does not.
    let work = Mutex::new(Some(work));
    let take = || work.lock().unwrap_or_else(PoisonError::into_inner).take();
    let result = std::thread::scope(|scope| {
        let waiting = Builder::new().spawn_scoped(scope, || take().map(|work| pool.install(work)));
        waiting.ok()?.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    match result {
        Some(result) => result,
        // There is no thread to wait for.
        None => {
            take().map(|work| work()).unwrap_or_else(|| unreachable!("taken by a thread that has given its result"))
        }
    }
}

/// Runs `work` for every number below `count`, by all threads.
///
/// This is netcl's one parallel loop: those of rayon are generated for each use and each type of elements, an eighth of
/// all code of this crate. It never starts rayon's global pool, which would be a second set of threads, and panics where
/// there are none.
pub fn each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    if count <= 1 {
        return (0..count).for_each(work);
    }
    run(|| if is_inside() { (0..count).into_par_iter().for_each(work) } else { (0..count).for_each(work) });
}

/// Runs both, side by side where the caller is one of several threads.
pub fn join(first: impl FnOnce() + Send, second: impl FnOnce() + Send) {
    if is_inside() {
        rayon::join(first, second);
    } else {
        first();
        second();
    }
}

/// Sorts by all threads; elements that are equal may change places.
pub fn sort<T: Ord + Send>(list: &mut [T]) {
    run(|| if is_inside() { list.par_sort_unstable() } else { list.sort_unstable() });
}

/// Hands every item and its position to `work`, by all threads: chunks of a slice that is written, for instance.
pub fn share<T: Send>(items: impl Iterator<Item = T>, work: &(dyn Fn(usize, T) + Sync)) {
    let items: Vec<Mutex<Option<T>>> = items.map(|item| Mutex::new(Some(item))).collect();
    each(items.len(), &|position| {
        let item = items[position].lock().unwrap_or_else(PoisonError::into_inner).take();
        item.into_iter().for_each(|item| work(position, item));
    });
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    #[test]
    fn every_item_is_handed_out_once_with_its_position() {
        let mut values = [0usize; 1000];
        super::share(values.chunks_mut(7), &|position, chunk| {
            for (offset, value) in chunk.iter_mut().enumerate() {
                *value += position * 7 + offset + 1;
            }
        });
        assert!(values.iter().zip(1..).all(|(value, expected)| *value == expected));
        super::share(std::iter::empty::<usize>(), &|_, _| panic!("there is none"));
    }

    #[test]
    fn as_many_threads_as_there_is_use_for() {
        for (asked, processors, most) in [
            (0, 2, None),
            (64, 2, None),
            (65, 2, Some(64)),
            (2000, 2, Some(64)),
            (400, 128, None),
            (usize::MAX, 128, Some(512)),
        ] {
            assert_eq!(super::capped(asked, processors), most, "{asked} on {processors}");
        }
    }

    #[test]
    fn whoever_waits_starts_no_other_task() {
        use std::cell::Cell;
        thread_local!(static INSIDE: Cell<bool> = const { Cell::new(false) });
        (0..200).into_par_iter().for_each(|_| {
            assert!(!INSIDE.replace(true), "a task was started under another that waits");
            let sum: u64 = super::run(|| (0..10_000u64).into_par_iter().sum());
            assert_eq!(sum, 49_995_000);
            INSIDE.set(false);
        });
    }
}
