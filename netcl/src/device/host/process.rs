//! What becomes of devices when the process forks or ends.
//!
//! A forked child has the parent's memory and none of its threads: a driver's queue, or a thread pool, that was made
//! before the fork never answers there. The child gets errors instead, and leaves what the parent owns alone.

use crate::error::{Error, Result};
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};

/// Set in a child that was forked after a device was made.
static FORKED: AtomicBool = AtomicBool::new(false);

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
pub(crate) fn is_forked() -> bool {
    FORKED.load(Ordering::Relaxed)
}

/// An error in a forked child.
#[inline]
pub(crate) fn check() -> Result<()> {
    if is_forked() { Err(Error::Forked) } else { Ok(()) }
}

/// Notices forks from now on. To be called before the first device is made.
pub(crate) fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(system::watch);
}

/// Calls `action` when the process ends on its own, before whatever was loaded until now is torn down. To be called for
/// each device, once its driver is loaded: what was registered last is done first.
pub(crate) fn at_exit(action: fn() -> Rest) {
    system::at_exit();
    let mut actions = AT_EXIT.lock().unwrap_or_else(PoisonError::into_inner);
    if !actions.contains(&action) {
        actions.push(action);
    }
}

extern "C" fn forked() {
    FORKED.store(true, Ordering::Relaxed);
}

/// Does what is to be done; says whether something is still at work.
fn exiting() -> Rest {
    if is_forked() {
        return Rest::Idle;
    }
    // Whoever holds the lock while the process ends is not waited for.
    let actions = AT_EXIT.try_lock().map(|actions| actions.clone()).unwrap_or_default();
    let mut rest = Rest::Idle;
    for action in actions {
        // Nothing may unwind into the C library.
        if let Ok(Rest::Busy) = std::panic::catch_unwind(action) {
            rest = Rest::Busy;
        }
    }
    rest
}

#[cfg(unix)]
#[allow(unsafe_code, reason = "functions of the C library, which the standard library does not offer")]
mod system {
    use std::ffi::c_int;

    type Hook = Option<extern "C" fn()>;

    // SAFETY: the signature is that of POSIX.
    unsafe extern "C" {
        fn pthread_atfork(prepare: Hook, parent: Hook, child: Hook) -> c_int;
    }

    pub(super) fn watch() {
        // SAFETY: the hook is a function that lives as long as the process; it only stores to an atomic, which is
        // allowed after a fork.
        if unsafe { pthread_atfork(None, None, Some(super::forked)) } != 0 {
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
        use crate::device::process::{Rest, exiting};
        use std::ffi::{c_int, c_void};
        use std::ptr::null_mut;

        // SAFETY: the signatures are those of the GNU C library (`on_exit`, `fflush`, `_exit`).
        unsafe extern "C" {
            fn on_exit(hook: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
            fn fflush(stream: *mut c_void) -> c_int;
            fn _exit(status: c_int) -> !;
        }

        extern "C" fn hook(status: c_int, _: *mut c_void) {
            if exiting() == Rest::Busy {
                // SAFETY: a null pointer flushes all streams. The process ends as it was about to, but for what would
                // be taken down under the driver's threads.
                unsafe {
                    fflush(null_mut());
                    _exit(status)
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

        // SAFETY: the signature is that of POSIX.
        unsafe extern "C" {
            fn atexit(hook: extern "C" fn()) -> c_int;
        }

        extern "C" fn hook() {
            super::super::exiting();
        }

        pub(super) fn register() -> c_int {
            // SAFETY: the hook is a function that lives as long as the process. It may be registered more than once.
            unsafe { atexit(hook) }
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

#[cfg(all(test, unix))]
#[allow(unsafe_code, reason = "forks")]
mod tests {
    use crate::error::Error;
    use crate::{DType, Device, Tensor};
    use std::ffi::c_int;
    use std::time::{Duration, Instant};

    // SAFETY: the signatures are those of POSIX.
    unsafe extern "C" {
        fn fork() -> c_int;
        fn _exit(status: c_int) -> !;
        fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int;
        fn kill(pid: c_int, signal: c_int) -> c_int;
    }

    /// What the child finds, as its exit status: the number of the first thing that is not as it should be.
    fn in_child(device: &Device, x: Tensor) -> c_int {
        let is_forked = |error: Option<Error>| matches!(error, Some(Error::Forked));
        let checks: [&dyn Fn() -> bool; 7] = [
            &|| is_forked(Tensor::zeros(device, &[4], DType::F32).err()),
            &|| is_forked(x.to_vec::<f32>().err()),
            &|| is_forked(x.add(&x).err()),
            &|| is_forked(device.finish().err()),
            &|| is_forked(device.record_event().err()),
            &|| is_forked(Device::select("cpu").err()),
            &|| device.release_idle_memory() == 0,
        ];
        match checks.iter().position(|check| !check()) {
            Some(position) => position as c_int + 1,
            None => {
                drop(x);
                0
            }
        }
    }

    #[test]
    fn a_forked_child_gets_an_error_and_no_hang() {
        let found: Vec<String> = Device::all().into_iter().map(|profile| profile.selector).collect();
        for selector in found {
            let device = Device::select(&selector).unwrap();
            let x = Tensor::from_slice(&device, &[1.0f32; 100], &[100]).unwrap();
            let y = x.add(&x).unwrap();
            // SAFETY: the child calls nothing but what is tested and `_exit`.
            let child = unsafe { fork() };
            if child == 0 {
                let status = in_child(&device, y);
                // SAFETY: ends the child without the parent's exit handlers.
                unsafe { _exit(status) }
            }
            assert!(child > 0);
            let limit = Instant::now() + Duration::from_secs(60);
            let mut status = -1;
            // SAFETY: `status` is a place for one; 1 is WNOHANG.
            while unsafe { waitpid(child, &raw mut status, 1) } == 0 {
                if Instant::now() > limit {
                    // SAFETY: the child is ours and still there; 9 is SIGKILL.
                    unsafe { kill(child, 9) };
                    panic!("{selector}: the child hangs");
                }
                std::thread::sleep(Duration::from_millis(5));
            }
            assert_eq!(status, 0, "{selector}: the child's exit status, in the high byte the check that failed");
            assert_eq!(y.to_vec::<f32>().unwrap(), [2.0; 100], "{selector}: the parent goes on");
        }
    }
}
