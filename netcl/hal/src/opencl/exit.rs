//! The end of the process: devices that are open finish what they were given.

use super::shared::Shared;
use crate::device::quirks::Avoid;
use crate::process::{self, Rest};
use crate::profile;
use opencl3::error_codes::error_text;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError, Weak};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Devices that are open, for [`finish_all`].
static OPEN: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

/// How many threads close a device.
static CLOSING: AtomicUsize = AtomicUsize::new(0);

/// Whether something was built since a device was last waited for.
static HAS_BUILT: AtomicBool = AtomicBool::new(false);

/// How long the end of a process waits for its devices. A kernel that never ends does not keep it.
const GRACE: Duration = Duration::from_secs(5);

/// How often it looks.
const MOMENT: Duration = Duration::from_millis(1);

/// Drivers are loaded.
pub(super) fn watch() {
    process::has_driver();
    process::at_exit(finish_all);
}

pub(super) fn remember(shared: &Arc<Shared>) {
    watch();
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|device| device.strong_count() > 0);
    open.push(Arc::downgrade(shared));
}

/// Counts a thread that closes a device.
pub(super) struct Closing(());

impl Drop for Closing {
    fn drop(&mut self) {
        CLOSING.fetch_sub(1, Ordering::AcqRel);
    }
}

/// As [`remember`], for a device that a thread closes while the result is alive.
pub(super) fn remember_closing(shared: &Arc<Shared>) -> Closing {
    CLOSING.fetch_add(1, Ordering::AcqRel);
    remember(shared);
    Closing(())
}

/// Dropped when a driver has compiled a program, or tried to. Compilers register what they do at the end of the process
/// when they are first used: from then on ours comes before that.
pub(super) struct Built;

impl Drop for Built {
    fn drop(&mut self) {
        HAS_BUILT.store(true, Ordering::Release);
        process::at_exit(finish_all);
    }
}

/// A device was waited for. Some drivers compile once more at a kernel's first launch, which is done by now.
pub(super) fn waited() {
    if HAS_BUILT.load(Ordering::Relaxed) && HAS_BUILT.swap(false, Ordering::AcqRel) {
        process::at_exit(finish_all);
    }
}

/// Drivers unload when the process ends; nothing should run on their threads then.
fn finish_all() -> Rest {
    let end = Instant::now() + GRACE;
    let Some(open) = open_devices(end) else {
        process::say_at_exit(format_args!("the process ends while a device is being opened"));
        return Rest::Busy;
    };
    let mut rest = Rest::Idle;
    for device in open.iter().filter_map(Weak::upgrade) {
        let finished = if device.profile.avoids(Avoid::CallsAtExit) { Ok(true) } else { device.finish_until(end) };
        match finished {
            Ok(true) => {}
            Ok(false) => {
                process::say_at_exit(format_args!("the process ends while `{}` computes", device.profile.name));
                rest = Rest::Busy;
            }
            Err(code) => {
                let (name, code) = (&device.profile.name, error_text(code));
                process::say_at_exit(format_args!("`{name}` was not finished before the process ends: {code}"));
            }
        }
        // Not the last user: closing a device is for who opened it.
        std::mem::forget(device);
    }
    profile::catch_up();
    while rest == Rest::Idle && CLOSING.load(Ordering::Acquire) > 0 {
        if Instant::now() >= end {
            rest = Rest::Busy;
        }
        sleep(MOMENT);
    }
    rest
}

/// `None` if somebody holds the list until `end`.
fn open_devices(end: Instant) -> Option<Vec<Weak<Shared>>> {
    loop {
        match OPEN.try_lock() {
            Ok(open) => return Some(open.clone()),
            Err(TryLockError::Poisoned(open)) => return Some(open.into_inner().clone()),
            Err(TryLockError::WouldBlock) if Instant::now() >= end => return None,
            Err(TryLockError::WouldBlock) => sleep(MOMENT),
        }
    }
}
