//! What becomes of devices when the process forks or ends.
//!
//! A forked child has the parent's memory and none of its threads: a driver's queue, or a thread pool, that was made
//! before the fork never answers there. The child gets errors instead, and leaves what the parent owns alone.

use crate::error::{Error, Result};
use std::io::Write;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError, TryLockError};
use tracing::subscriber::NoSubscriber;

/// Set in a child that was forked after drivers were looked for, or a device was made.
static FORKED: AtomicBool = AtomicBool::new(false);

/// Set once a driver was loaded, which has threads and destructors of its own.
static HAS_DRIVER: AtomicBool = AtomicBool::new(false);

/// What to do before the process ends.
static AT_EXIT: Mutex<Vec<fn() -> Rest>> = Mutex::new(Vec::new());

/// What is left when an action before the end of the process is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// Nothing runs any more.
    Idle,
    /// A driver's threads still work. To take down what they use would crash.
    Busy,
}

/// Whether devices belong to a parent process.
#[inline]
pub fn is_forked() -> bool {
    FORKED.load(Ordering::Relaxed)
}

/// An error in a forked child.
#[inline]
pub fn check() -> Result<()> {
    if is_forked() { Err(Error::Forked) } else { Ok(()) }
}

/// The lock, if nobody holds it. That a thread panicked under it does not matter.
pub(crate) fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// The lock, for what a forked child may ask: there, `None` if somebody holds it, who may be a thread of the parent's that
/// never lets go.
pub fn lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    if is_forked() { try_lock(mutex) } else { Some(mutex.lock().unwrap_or_else(PoisonError::into_inner)) }
}

/// Notices forks from now on. To be called before a driver is loaded, or a device is made.
pub fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(system::watch);
}

/// Drivers are loaded: from now on a forked child ends without their destructors, which would wait for threads that it
/// does not have.
pub(crate) fn has_driver() {
    HAS_DRIVER.store(true, Ordering::Relaxed);
}

/// Calls `action` once when the process ends on its own, before whatever was loaded until now is torn down. To be called
/// for each device, once its driver is loaded, and again when the driver has loaded more: what was registered last is done
/// first.
pub(crate) fn at_exit(action: fn() -> Rest) {
    system::at_exit();
    let mut actions = AT_EXIT.lock().unwrap_or_else(PoisonError::into_inner);
    if !actions.contains(&action) {
        actions.push(action);
    }
}

/// The number of the user as whom the process runs, by whose rights files are opened.
#[cfg(unix)]
pub(crate) fn user() -> u32 {
    system::user()
}

extern "C" fn forked() {
    FORKED.store(true, Ordering::Relaxed);
}

/// Does what is to be done, once; says whether something is still at work.
fn exiting() -> Rest {
    static DONE: AtomicBool = AtomicBool::new(false);
    if is_forked() {
        // The drivers' threads stayed with the parent, and what waits for them would wait for ever.
        return if HAS_DRIVER.load(Ordering::Relaxed) { Rest::Busy } else { Rest::Idle };
    }
    if DONE.swap(true, Ordering::AcqRel) {
        return Rest::Idle;
    }
    // Whoever holds the lock while the process ends is not waited for.
    let actions = try_lock(&AT_EXIT).map(|actions| actions.clone()).unwrap_or_default();
    let mut rest = Rest::Idle;
    for action in actions {
        // Nothing may unwind into the C library. Thread-local values are gone, without which subscribers panic.
        let unheard = || tracing::subscriber::with_default(NoSubscriber::default(), action);
        if let Some(Rest::Busy) = crate::panics::caught(unheard) {
            rest = Rest::Busy;
        }
    }
    rest
}

/// Says on standard error what nobody hears who listens to the process.
pub(crate) fn say_at_exit(what: std::fmt::Arguments<'_>) {
    // Where that is closed there is nobody left to be told.
    let _ = writeln!(std::io::stderr(), "netcl: {what}");
}

#[cfg(unix)]
#[allow(unsafe_code, reason = "functions of the C library, which the standard library does not offer")]
mod system {
    pub(super) fn user() -> u32 {
        // SAFETY: it has no arguments, touches no memory and cannot fail.
        unsafe { libc::geteuid() }
    }

    pub(super) fn watch() {
        // SAFETY: the hook is a function that lives as long as the process; it only stores to an atomic, which is
        // allowed after a fork.
        if unsafe { libc::pthread_atfork(None, None, Some(super::forked)) } != 0 {
            tracing::warn!("a forked child will not notice that devices are its parent's");
        }
    }

    pub(super) fn at_exit() {
        if ending::register() != 0 {
            tracing::warn!("the end of the process will not wait for devices");
        }
    }

    /// With the GNU C library the process ends there and then, with its status, if a driver is still at work.
    #[cfg(target_env = "gnu")]
    mod ending {
        use crate::process::{Rest, exiting};
        use std::ffi::{c_int, c_void};
        use std::ptr::null_mut;

        // SAFETY: the signature is that of the GNU C library, whose own function it is: `libc` does not declare it.
        unsafe extern "C" {
            fn on_exit(hook: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
        }

        extern "C" fn hook(status: c_int, _: *mut c_void) {
            if exiting() == Rest::Busy {
                // SAFETY: a null pointer flushes all streams. The process ends as it was about to, but for what would
                // be taken down under the driver's threads.
                unsafe {
                    libc::fflush(null_mut());
                    libc::_exit(status)
                }
            }
        }

        pub(super) fn register() -> c_int {
            // SAFETY: the hook is a function that lives as long as the process. It may be registered more than once.
            unsafe { on_exit(hook, null_mut()) }
        }
    }

    /// Elsewhere the hook does not learn the process's status, so that it goes on ending.
    #[cfg(not(target_env = "gnu"))]
    mod ending {
        use std::ffi::c_int;

        extern "C" fn hook() {
            super::super::exiting();
        }

        pub(super) fn register() -> c_int {
            // SAFETY: the hook is a function that lives as long as the process. It may be registered more than once.
            unsafe { libc::atexit(hook) }
        }
    }
}

#[cfg(not(unix))]
mod system {
    /// There is no `fork`, and drivers end with their process.
    pub(super) fn watch() {
        let _ = super::forked as extern "C" fn();
    }

    pub(super) fn at_exit() {
        let _ = super::exiting as fn() -> super::Rest;
    }
}

/// Something of a driver's, which a forked child must not release.
#[derive(Debug)]
pub(crate) struct Live<T>(ManuallyDrop<T>);

impl<T> Live<T> {
    pub(crate) fn new(value: T) -> Live<T> {
        Live(ManuallyDrop::new(value))
    }
}

impl<T> Deref for Live<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Drop for Live<T> {
    #[allow(unsafe_code, reason = "a value that is dropped or not")]
    fn drop(&mut self) {
        if !is_forked() {
            // SAFETY: dropped here and nowhere else, and not used after its owner's drop.
            unsafe { ManuallyDrop::drop(&mut self.0) }
        }
    }
}

#[cfg(test)]
mod tests;
