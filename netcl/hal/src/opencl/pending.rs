//! The driver's events, and whether a thread is the driver's own that calls back.

use super::driver::Event as DriverEvent;
use super::health::Told;
use crate::process::Live;
use opencl3::event::CL_COMPLETE;
use opencl3::types::{cl_event, cl_int};
use std::cell::Cell;
use std::sync::Arc;

/// A command's event, which the driver is asked about by who waits and by who keeps what the command uses.
pub(super) struct Pending {
    event: Live<DriverEvent>,
    told: Told,
    /// What it copies, or of the buffer that it is the first to use; 0 where that is not known.
    bytes: usize,
}

impl Pending {
    pub(super) fn new(event: cl_event) -> Arc<Pending> {
        Pending::moving(event, 0)
    }

    /// Of a command for which a driver may have to find so many bytes.
    pub(super) fn moving(event: cl_event, bytes: usize) -> Arc<Pending> {
        Arc::new(Pending { event: Live::new(DriverEvent::new(event)), told: Told::default(), bytes })
    }

    /// Of a command that fails with another, which tells for both.
    pub(super) fn with(event: cl_event, told: Told) -> Arc<Pending> {
        Arc::new(Pending { event: Live::new(DriverEvent::new(event)), told, bytes: 0 })
    }

    pub(super) fn get(&self) -> cl_event {
        self.event.get()
    }

    pub(super) fn driver(&self) -> &DriverEvent {
        &self.event
    }

    pub(super) fn told(&self) -> &Told {
        &self.told
    }

    /// How many bytes a driver may have had to find for it; 0 where that is not known.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How the command ended, if it did: 0, or less where it failed. Either way it uses nothing any more. Not to be asked
    /// under a lock. In a driver's callback, where nothing may wait (OpenCL 5.11), one that seems to have ended well is not
    /// known to have ended; whoever asks next knows.
    pub(super) fn outcome(&self) -> Option<cl_int> {
        let status = self.event.command_execution_status().ok()?;
        match status {
            CL_COMPLETE if in_callback() => None,
            // It is over, so this does not wait. Intel's 2026.22.10 tells of a failure by nothing else.
            CL_COMPLETE => Some(self.event.wait().map_or_else(|error| error.0, |()| 0)),
            status => Some(status).filter(|&status| status < 0),
        }
    }

    /// Whether the command has ended, well or not.
    pub(super) fn is_over(&self) -> bool {
        self.event.command_execution_status().is_ok_and(|status| status <= 0)
    }
}

thread_local! {
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is a driver's that calls back, or was called back in a call of the program's.
pub(super) fn in_callback() -> bool {
    IN_CALLBACK.get()
}

/// This thread is in a callback until this is dropped; callbacks may be nested.
pub(super) struct InCallback {
    before: bool,
}

impl InCallback {
    pub(super) fn begin() -> InCallback {
        InCallback { before: IN_CALLBACK.replace(true) }
    }
}

impl Drop for InCallback {
    fn drop(&mut self) {
        IN_CALLBACK.set(self.before);
    }
}
