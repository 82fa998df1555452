//! Work of the same kind on several threads, such as building programs.

use crate::error::{Error, Result};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

/// How many threads the machine runs at a time.
pub(crate) fn threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}

/// What `work` gives for each number below `count`, in their order, with as many threads as the machine runs. Where there are
/// errors, the first by number, once all are done.
pub(crate) fn each<T: Send>(count: usize, work: impl Fn(usize) -> Result<T> + Sync) -> Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new((0..count).map(|_| None).collect::<Vec<Option<T>>>());
    let failed = Mutex::new(None::<(usize, Error)>);
    let run = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return;
            }
            match work(number) {
                Ok(value) => done.lock().unwrap_or_else(PoisonError::into_inner)[number] = Some(value),
                Err(error) => {
                    let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                    if failed.as_ref().is_none_or(|(before, _)| number < *before) {
                        *failed = Some((number, error));
                    }
                }
            }
        }
    };
    // The calling thread is one of them.
    let others = threads().min(count).saturating_sub(1);
    thread::scope(|scope| {
        for number in 0..others {
            let builder = thread::Builder::new().name(format!("netcl-build-{number}"));
            if let Err(error) = builder.spawn_scoped(scope, run) {
                tracing::debug!(%error, "no thread to build with");
            }
        }
        run();
    });
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, error)) => Err(error),
        None => Ok(done.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten().collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_the_first_error_is_given() {
        assert_eq!(each(100, Ok).unwrap(), (0..100).collect::<Vec<_>>());
        assert!(each(0, Ok).unwrap().is_empty());
        let fail = |number: usize| match number {
            3 | 7 => Err(Error::Plan { function: number.to_string(), problem: "test".to_owned() }),
            _ => Ok(()),
        };
        let error = each(10, fail).unwrap_err();
        assert!(matches!(&error, Error::Plan { function, .. } if function == "3"), "{error}");
    }
}
