//! What went wrong after the call that started it had returned.
//!
//! A failed command is told by the next call that waits for the device, once. A lost device stays lost: what was noticed
//! first is told by every call that fails from then on.

use crate::error::{Error, Result};
use opencl3::error_codes::{CL_DEVICE_NOT_AVAILABLE, CL_INVALID_COMMAND_QUEUE, error_text};
use opencl3::types::cl_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

#[derive(Default)]
pub(super) struct Health {
    state: Mutex<State>,
    /// Whether there is something to tell.
    has_failed: AtomicBool,
}

#[derive(Default)]
struct State {
    failed: Option<(String, cl_int)>,
    lost: Option<(String, cl_int)>,
}

/// Whether a code means that the device is gone. Queues are always those that netcl made, so that one which is not valid
/// has been stopped by its driver.
fn is_loss(code: cl_int) -> bool {
    matches!(code, CL_DEVICE_NOT_AVAILABLE | CL_INVALID_COMMAND_QUEUE)
}

impl Health {
    /// Notes that a command ended with an error; the first counts.
    pub(super) fn note(&self, operation: &str, code: cl_int) {
        tracing::warn!(operation, code = error_text(code), "a command has failed on its device");
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = if is_loss(code) { &mut state.lost } else { &mut state.failed };
        kept.get_or_insert_with(|| (operation.to_owned(), code));
        self.has_failed.store(true, Ordering::Release);
    }

    /// The error of a call that failed, if the device is lost.
    pub(super) fn lost(&self, device: &str, operation: &str, code: cl_int) -> Option<Error> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if is_loss(code) && state.lost.is_none() {
            state.lost = Some((operation.to_owned(), code));
            self.has_failed.store(true, Ordering::Release);
        }
        state.lost.as_ref().map(|(operation, code)| lost(device, operation, *code))
    }

    /// An error if something has failed. That a command did is told once.
    pub(super) fn take(&self, device: &str) -> Result<()> {
        if !self.has_failed.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((operation, code)) = &state.lost {
            return Err(lost(device, operation, *code));
        }
        self.has_failed.store(false, Ordering::Release);
        match state.failed.take() {
            Some((operation, code)) => {
                let code = error_text(code).to_owned();
                Err(Error::Driver { device: device.to_owned(), operation: format!("{operation}, earlier,"), code })
            }
            None => Ok(()),
        }
    }
}

fn lost(device: &str, operation: &str, code: cl_int) -> Error {
    Error::Lost { device: device.to_owned(), operation: operation.to_owned(), code: error_text(code).to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use opencl3::error_codes::CL_OUT_OF_RESOURCES;

    #[test]
    fn a_failed_command_is_told_once() {
        let health = Health::default();
        assert!(health.take("device").is_ok());
        health.note("copying to the device", CL_OUT_OF_RESOURCES);
        health.note("copying from the device", CL_DEVICE_NOT_AVAILABLE + 100);
        let error = health.take("device").unwrap_err().to_string();
        assert_eq!(error, "device: copying to the device, earlier, failed with CL_OUT_OF_RESOURCES");
        assert!(health.take("device").is_ok());
    }

    #[test]
    fn a_lost_device_stays_lost() {
        let health = Health::default();
        assert!(health.lost("device", "clEnqueueFillBuffer", CL_OUT_OF_RESOURCES).is_none());
        assert!(health.lost("device", "clFinish", CL_INVALID_COMMAND_QUEUE).is_some());
        health.note("copying to the device", CL_OUT_OF_RESOURCES);
        for _ in 0..2 {
            let error = health.take("device").unwrap_err();
            assert!(matches!(&error, Error::Lost { operation, .. } if operation == "clFinish"), "{error}");
        }
        let later = health.lost("device", "clFlush", CL_OUT_OF_RESOURCES).unwrap();
        assert!(matches!(&later, Error::Lost { operation, .. } if operation == "clFinish"), "{later}");
    }
}
