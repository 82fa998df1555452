//! The end of the process: devices that are open finish what they were given.

use super::Shared;
use crate::device::process::{self, Live, Rest};
use crate::profile;
use opencl3::command_queue::enqueue_marker_with_wait_list;
use opencl3::event::Event as DriverEvent;
use opencl3::types::cl_int;
use std::ptr::null;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Devices that are open, for [`finish_all`].
static OPEN: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

pub(super) fn remember(shared: &Arc<Shared>) {
    process::at_exit(finish_all);
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|device| device.strong_count() > 0);
    open.push(Arc::downgrade(shared));
}

/// How long the end of a process waits for its devices. A kernel that never ends does not keep it.
const GRACE: Duration = Duration::from_secs(5);

/// Drivers unload when the process ends; nothing should run on their threads then.
fn finish_all() -> Rest {
    let mut rest = Rest::Idle;
    let open = OPEN.try_lock().map(|open| open.clone()).unwrap_or_default();
    let end = Instant::now() + GRACE;
    for device in open.iter().filter_map(Weak::upgrade) {
        match device.finish_until(end) {
            Ok(true) => {}
            Ok(false) => {
                tracing::warn!(device = device.profile.name, "the process ends while the device computes");
                rest = Rest::Busy;
            }
            Err(code) => tracing::warn!(code, device = device.profile.name, "finishing before the process ends"),
        }
        // Not the last user: closing a device is for who opened it.
        std::mem::forget(device);
    }
    profile::catch_up();
    rest
}

impl Shared {
    /// As `finish`, but not beyond that time; says whether everything is done.
    fn finish_until(&self, end: Instant) -> Result<bool, cl_int> {
        // SAFETY: a live queue, nothing else.
        let event = unsafe { enqueue_marker_with_wait_list(self.queue.queue.get(), 0, null()) }?;
        let marker = Live::new(DriverEvent::new(event));
        self.queue.queue.flush().map_err(|error| error.0)?;
        let is_over = || marker.command_execution_status().map_or(true, |status| status.0 <= 0);
        while !is_over() {
            if Instant::now() >= end {
                // Releasing it could wait for the command.
                std::mem::forget(marker);
                return Ok(false);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        self.finish().map(|()| true)
    }
}
