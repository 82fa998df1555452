//! The host device's threads.
//!
//! They run pieces of launches and nothing else. On the threads that everybody shares, one that waits for its pieces
//! would meanwhile start whatever task it finds, also one that calls netcl; that call may want the memory that the
//! waiting launch has locked (see [`super::access`]), and would wait for what lies under it on its own stack.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::LazyLock;

/// `None` where the system gives no threads: everything runs where it is called.
static POOL: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let named = ThreadPoolBuilder::new().thread_name(|position| format!("netcl-{position}"));
    named.build().inspect_err(|error| tracing::warn!(%error, "the host device has no threads of its own")).ok()
});

/// How many there are.
pub(crate) fn threads() -> usize {
    POOL.as_ref().map_or(1, ThreadPool::current_num_threads)
}

/// Runs `work` on one of them, where rayon's functions share it among all. The calling thread does nothing meanwhile,
/// whatever it is.
pub(crate) fn run<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let Some(pool) = &*POOL else { return work() };
    if pool.current_thread_index().is_some() {
        return work();
    }
    if rayon::current_thread_index().is_none() {
        return pool.install(work);
    }
    // A thread of another pool would look for other tasks while it waits; one that waits for a thread does not.
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| pool.install(work));
        waiting.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

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
