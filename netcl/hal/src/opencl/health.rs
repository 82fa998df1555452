//! What went wrong after the call that started it had returned.
//!
//! A failed command is told by the next call that waits for the device, once, unless its own event has told it. A lost
//! device stays lost: what was noticed first is told by every call that fails from then on.

use crate::error::{Error, Result};
use crate::memory::Reserves;
use opencl3::error_codes::{
    CL_DEVICE_NOT_AVAILABLE, CL_INVALID_COMMAND_QUEUE, CL_MEM_OBJECT_ALLOCATION_FAILURE, error_text,
};
use opencl3::types::cl_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Whether the program knows that a command has failed; shared by its event, by what waits for that, and by what notes
/// failures.
#[derive(Clone, Debug, Default)]
pub(super) struct Told(Arc<AtomicBool>);

impl Told {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Of one device.
pub(super) struct Health {
    device: String,
    /// Whose figures an error has where memory is missing.
    reserves: Arc<Reserves>,
    state: Mutex<Failures>,
    /// Whether there is something to tell.
    has_failed: AtomicBool,
    /// Whether its queue may wait for ever.
    is_given_up: AtomicBool,
}

#[derive(Default)]
struct Failures {
    failed: Option<(Error, Told)>,
    lost: Option<(String, cl_int)>,
}

/// Whether a code means that the device is gone. Queues are always those that netcl made, so that one which is not valid
/// has been stopped by its driver.
fn is_loss(code: cl_int) -> bool {
    matches!(code, CL_DEVICE_NOT_AVAILABLE | CL_INVALID_COMMAND_QUEUE)
}

impl Health {
    pub(super) fn new(device: &str, reserves: Arc<Reserves>) -> Health {
        let (state, has_failed, is_given_up) = Default::default();
        Health { device: device.to_owned(), reserves, state, has_failed, is_given_up }
    }

    /// Notes that a command, for which a driver may have had to find so many `bytes`, ended with an error; the first that
    /// nobody was told of counts.
    pub(super) fn note(&self, operation: &str, bytes: usize, code: cl_int, told: &Told) {
        tracing::warn!(operation, code = error_text(code), device = self.device, "a command has failed on its device");
        if is_loss(code) {
            self.state().lost.get_or_insert_with(|| (operation.to_owned(), code));
            self.has_failed.store(true, Ordering::Release);
        } else {
            self.keep(self.command(&format!("{operation}, earlier,"), bytes, code), told);
        }
    }

    /// Notes that the device went on although what it waited for had failed.
    pub(super) fn went_on(&self, failure: Error) {
        let error = failure.clone();
        tracing::warn!(%error, device = self.device, "a device goes on although what it waited for failed");
        self.keep(failure, &Told::default());
    }

    fn keep(&self, failure: Error, told: &Told) {
        let mut state = self.state();
        if !told.is_set() && state.failed.as_ref().is_none_or(|(_, told)| told.is_set()) {
            state.failed = Some((failure, told.clone()));
            self.has_failed.store(true, Ordering::Release);
        }
    }

    /// Nothing can be known of the device's memory after a call that failed: it counts as lost.
    pub(super) fn give_up(&self, operation: &str, code: cl_int) {
        tracing::error!(operation, code = error_text(code), device = self.device, "a device is given up");
        self.state().lost.get_or_insert_with(|| (operation.to_owned(), code));
        self.has_failed.store(true, Ordering::Release);
        self.is_given_up.store(true, Ordering::Release);
    }

    /// An error if the device was given up: its queue may never end, and is not waited for.
    pub(super) fn still_there(&self) -> Result<(), cl_int> {
        if self.is_given_up.load(Ordering::Acquire) { Err(CL_DEVICE_NOT_AVAILABLE) } else { Ok(()) }
    }

    /// The error of a call that failed, if the device is lost.
    pub(super) fn lost(&self, operation: &str, code: cl_int) -> Option<Error> {
        let mut state = self.state();
        if is_loss(code) && state.lost.is_none() {
            state.lost = Some((operation.to_owned(), code));
            self.has_failed.store(true, Ordering::Release);
        }
        state.lost.as_ref().map(|(operation, code)| self.loss(operation, *code))
    }

    /// The error of a call that failed.
    pub(super) fn error(&self, operation: &str, code: cl_int) -> Error {
        self.lost(operation, code).unwrap_or_else(|| self.driver(operation, code))
    }

    /// As [`Health::error`], of a command for which a driver may have to find so many bytes: some allocate a buffer at its
    /// first use.
    pub(super) fn moving_error(&self, operation: &str, bytes: usize, code: cl_int) -> Error {
        self.lost(operation, code).unwrap_or_else(|| self.command(operation, bytes, code))
    }

    /// An error if something has failed. That a command did is told once.
    pub(super) fn take(&self) -> Result<()> {
        if !self.has_failed.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut state = self.state();
        if let Some((operation, code)) = &state.lost {
            return Err(self.loss(operation, *code));
        }
        self.has_failed.store(false, Ordering::Release);
        match state.failed.take() {
            Some((failure, told)) if !told.is_set() => {
                told.set();
                Err(failure)
            }
            _ => Ok(()),
        }
    }

    /// Why a command failed. Of missing memory drivers speak by another code, too, which some have for a faulty kernel.
    fn command(&self, operation: &str, requested: usize, code: cl_int) -> Error {
        if code == CL_MEM_OBJECT_ALLOCATION_FAILURE {
            let (device, pool) = (self.device.clone(), Box::new(self.reserves.stats()));
            return Error::OutOfMemory { device, requested, pool };
        }
        self.driver(operation, code)
    }

    fn driver(&self, operation: &str, code: cl_int) -> Error {
        let code = error_text(code).to_owned();
        Error::Driver { device: self.device.clone(), operation: operation.to_owned(), code }
    }

    fn loss(&self, operation: &str, code: cl_int) -> Error {
        let code = error_text(code).to_owned();
        Error::Lost { device: self.device.clone(), operation: operation.to_owned(), code }
    }

    fn state(&self) -> MutexGuard<'_, Failures> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{PoolStats, Reserve};
    use opencl3::error_codes::CL_OUT_OF_RESOURCES;
    use std::sync::Weak;

    fn health() -> Health {
        Health::new("device", Arc::default())
    }

    #[test]
    fn an_allocation_that_failed_late_is_told_with_figures() {
        struct Pool;
        impl Reserve for Pool {
            fn release(&self) -> bool {
                false
            }
            fn stats(&self) -> PoolStats {
                PoolStats { in_use: 300, idle: 4, ..PoolStats::default() }
            }
        }
        let (reserves, pools) = (Arc::<Reserves>::default(), [(); 2].map(|()| Arc::new(Pool)));
        for pool in &pools {
            let weak: Weak<Pool> = Arc::downgrade(pool);
            reserves.add_pool(weak);
        }
        let health = Health::new("device", reserves);
        health.note("allocating memory", 4096, CL_MEM_OBJECT_ALLOCATION_FAILURE, &Told::default());
        let error = health.take().unwrap_err();
        assert!(error.to_string().contains("4096 bytes wanted; the pool has 600 bytes in use and 8 idle"), "{error}");
        health.note("computing", 0, CL_MEM_OBJECT_ALLOCATION_FAILURE, &Told::default());
        let error = health.take().unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { requested: 0, .. }), "{error}");
        assert!(error.to_string().contains("on device: a command found none; the pool has 600"), "{error}");
    }

    #[test]
    fn a_failed_command_is_told_once() {
        let health = health();
        assert!(health.take().is_ok());
        health.note("copying to the device", 0, CL_OUT_OF_RESOURCES, &Told::default());
        health.note("copying from the device", 0, CL_DEVICE_NOT_AVAILABLE + 100, &Told::default());
        let error = health.take().unwrap_err().to_string();
        assert_eq!(error, "device: copying to the device, earlier, failed with CL_OUT_OF_RESOURCES");
        assert!(health.take().is_ok());
    }

    #[test]
    fn only_a_failed_allocation_is_no_memory() {
        let health = health();
        let error = |code| health.moving_error("clEnqueueFillBuffer", 64, code);
        let no_memory = error(CL_MEM_OBJECT_ALLOCATION_FAILURE);
        assert!(matches!(no_memory, Error::OutOfMemory { requested: 64, .. }), "{no_memory}");
        // Of a faulty kernel before it, some drivers say this.
        assert!(matches!(error(CL_OUT_OF_RESOURCES), Error::Driver { .. }));
        health.note("computing", 0, CL_DEVICE_NOT_AVAILABLE, &Told::default());
        assert!(matches!(error(CL_MEM_OBJECT_ALLOCATION_FAILURE), Error::Lost { .. }));
    }

    #[test]
    fn what_its_event_has_told_is_not_told_again() {
        let health = health();
        let (first, second) = (Told::default(), Told::default());
        health.note("copying to the device", 0, CL_OUT_OF_RESOURCES, &first);
        // The barrier that waited for it has failed with it.
        health.note("waiting for an event", 0, CL_OUT_OF_RESOURCES, &first);
        assert!(health.take().is_err() && first.is_set());
        health.note("waiting for an event", 0, CL_OUT_OF_RESOURCES, &first);
        assert!(health.take().is_ok());
        health.note("copying from the device", 0, CL_OUT_OF_RESOURCES, &second);
        second.set();
        assert!(health.take().is_ok());
    }

    #[test]
    fn a_device_that_went_on_says_why() {
        let health = health();
        health.went_on(Error::Event { reason: "no data".into() });
        assert!(matches!(health.take(), Err(Error::Event { reason }) if reason == "no data"));
        assert!(health.take().is_ok());
    }

    #[test]
    fn a_lost_device_stays_lost() {
        let health = health();
        assert!(health.lost("clEnqueueFillBuffer", CL_OUT_OF_RESOURCES).is_none());
        assert!(health.lost("clFinish", CL_INVALID_COMMAND_QUEUE).is_some());
        health.note("copying to the device", 0, CL_OUT_OF_RESOURCES, &Told::default());
        for _ in 0..2 {
            let error = health.take().unwrap_err();
            assert!(matches!(&error, Error::Lost { operation, .. } if operation == "clFinish"), "{error}");
        }
        let later = health.lost("clFlush", CL_OUT_OF_RESOURCES).unwrap();
        assert!(matches!(&later, Error::Lost { operation, .. } if operation == "clFinish"), "{later}");
        let event = health.moving_error("copying to the device", 0, CL_OUT_OF_RESOURCES);
        assert!(matches!(&event, Error::Lost { operation, .. } if operation == "clFinish"), "{event}");
    }
}
