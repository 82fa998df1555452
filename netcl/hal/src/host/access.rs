//! Who may touch host memory when: a reader/writer lock for each allocation.
//!
//! Tensors are shared between threads, and views of a model's memory stay alive while an optimizer or a function that
//! updates running statistics writes it. On an OpenCL device the queue puts such calls in an order; here a call holds
//! the locks of all the memory it was given, for reading or for writing, while it works.
//!
//! Nobody waits for ever: a call takes its locks in the order of addresses, all at once, and while it holds them waits
//! for nothing but its own pieces, which take none ([`super::pool`]).

use super::memory::HostBuffer;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The locks that a call holds.
pub(crate) struct Access<'a>(#[allow(dead_code, reason = "held for its `Drop`")] Vec<Guard<'a>>);

#[allow(dead_code, reason = "held for its `Drop`")]
enum Guard<'a> {
    Read(RwLockReadGuard<'a, ()>),
    Write(RwLockWriteGuard<'a, ()>),
}

impl<'a> Access<'a> {
    /// Waits until nobody writes what is among these buffers, and nobody reads those that are to be written (`true`).
    pub(crate) fn new(buffers: impl IntoIterator<Item = (&'a HostBuffer, bool)>) -> Access<'a> {
        let mut wanted: Vec<(&RwLock<()>, bool)> = Vec::new();
        for (buffer, write) in buffers {
            let lock = buffer.lock();
            // Parameters of one model follow each other and are one allocation.
            match wanted.last_mut() {
                Some((last, writes)) if std::ptr::eq(*last, lock) => *writes |= write,
                _ => wanted.push((lock, write)),
            }
        }
        wanted.sort_by_key(|(lock, write)| (std::ptr::from_ref(*lock).addr(), !write));
        // Of one that is both read and written, the writer comes first and stays.
        wanted.dedup_by_key(|(lock, _)| std::ptr::from_ref(*lock).addr());
        let guard = |(lock, write): (&'a RwLock<()>, bool)| match write {
            // A lock guards nothing of its own: after a panic there is nothing to be mended.
            true => Guard::Write(lock.write().unwrap_or_else(PoisonError::into_inner)),
            false => Guard::Read(lock.read().unwrap_or_else(PoisonError::into_inner)),
        };
        Access(wanted.into_iter().map(guard).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_buffer_several_times_is_locked_once() {
        let buffer = HostBuffer::new(256).unwrap();
        let (first, second) = (buffer.view(0, 64).unwrap(), buffer.view(64, 64).unwrap());
        let other = HostBuffer::new(64).unwrap();
        let access = Access::new([(&first, false), (&other, false), (&second, true), (&buffer, false)]);
        assert!(buffer.lock().try_read().is_err(), "a part of it is written");
        assert!(other.lock().try_read().is_ok() && other.lock().try_write().is_err());
        drop(access);
        assert!(buffer.lock().try_write().is_ok());
    }

    #[test]
    fn threads_that_want_the_same_in_another_order_do_not_wait_for_ever() {
        let buffers: Vec<HostBuffer> = (0..4).map(|_| HostBuffer::new(64).unwrap()).collect();
        std::thread::scope(|scope| {
            for first in 0..4 {
                let buffers = &buffers;
                scope.spawn(move || {
                    for round in 0..500 {
                        let order = (0..4).map(|step| (first + step) % 4);
                        let _access = Access::new(order.map(|at| (&buffers[at], (at + round) % 3 == 0)));
                    }
                });
            }
        });
    }
}
