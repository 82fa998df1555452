//! The driver's events behind [`Event`].

use super::context::ClContext;
use super::driver::Event as DriverEvent;
use super::health::Health;
use super::in_flight::Transfers;
use super::pending::{InCallback, Pending};
use super::shared::DeviceResources;
use crate::error::{Error, Result};
use crate::event::{BackendEvent, Event, EventStatus, EventTimes};
use crate::panics::caught;
use crate::process::Live;
use opencl3::error_codes::{CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, CL_OUT_OF_RESOURCES};
use opencl3::event::{
    CL_COMPLETE, CL_QUEUED, CL_SUBMITTED, create_user_event, set_event_callback, set_user_event_status, wait_for_events,
};
use opencl3::types::{cl_event, cl_int};
use std::ffi::c_void;
use std::sync::{Arc, Weak};

/// An event of a command. The command is flushed: it will be done without further calls. Dropped in this order.
pub(super) struct ClEvent {
    command: Arc<Pending>,
    operation: &'static str,
    /// Not what keeps the device open: a driver's thread may be the last to hold an event.
    transfers: Weak<Transfers>,
    health: Arc<Health>,
    context: Arc<ClContext>,
}

type Done = Box<dyn FnOnce(Result<()>) + Send>;

/// What a callback is given.
struct Callback {
    done: Done,
    health: Arc<Health>,
    operation: &'static str,
    bytes: usize,
}

impl ClEvent {
    /// Of a command of that device.
    pub(super) fn event(command: Arc<Pending>, device: &DeviceResources, operation: &'static str) -> Event {
        let (transfers, health) = (Arc::downgrade(&device.transfers), device.health.clone());
        Event::of(Box::new(ClEvent { command, operation, transfers, health, context: device.context.clone() }))
    }

    /// The driver's event, if it is of this context.
    pub(super) fn of<'a>(event: &'a Event, context: &Arc<ClContext>) -> Option<&'a Pending> {
        let event: &ClEvent = event.source()?.as_any().downcast_ref()?;
        Arc::ptr_eq(&event.context, context).then_some(&*event.command)
    }

    fn code(&self) -> Result<cl_int, cl_int> {
        self.command.driver().command_execution_status().map_err(|error| error.0)
    }

    fn failure(&self, code: cl_int) -> Error {
        self.health.moving_error(self.operation, self.command.bytes(), code)
    }
}

impl BackendEvent for ClEvent {
    fn status(&self) -> Result<EventStatus> {
        Ok(match self.code().map_err(|code| self.failure(code))? {
            CL_COMPLETE => EventStatus::Complete,
            CL_QUEUED => EventStatus::Queued,
            CL_SUBMITTED => EventStatus::Submitted,
            code if code < 0 => EventStatus::Failed,
            _ => EventStatus::Running,
        })
    }

    fn wait(&self) -> Result<()> {
        self.health.still_there().map_err(|code| self.failure(code))?;
        wait_for_events(&[self.command.get()]).map_err(|code| {
            // "One of the events failed"; which error it was is the event's status.
            let own = self.code().ok().filter(|own| *own < 0);
            self.failure(if code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST { own.unwrap_or(code) } else { code })
        })
    }

    fn watch(&self, done: Done) -> Result<()> {
        // Oclgrind 21.10 calls nobody back whose event was over before.
        if let Some(code) = self.command.outcome() {
            done(if code < 0 { Err(self.failure(code)) } else { Ok(()) });
            return Ok(());
        }
        let (health, operation, bytes) = (self.health.clone(), self.operation, self.command.bytes());
        let data = Box::into_raw(Box::new(Callback { done, health, operation, bytes }));
        set_event_callback(self.command.get(), CL_COMPLETE, call_back, data.cast()).map_err(|code| {
            // SAFETY: made above, and the driver did not take it.
            drop(unsafe { Box::from_raw(data) });
            self.health.error("clSetEventCallback", code)
        })
    }

    fn times(&self) -> Option<EventTimes> {
        let event = self.command.driver();
        Some(EventTimes {
            queued: event.profiling_command_queued().ok()?,
            submitted: event.profiling_command_submit().ok()?,
            started: event.profiling_command_start().ok()?,
            ended: event.profiling_command_end().ok()?,
        })
    }

    fn earlier(&self) -> Result<()> {
        if let Some(transfers) = self.transfers.upgrade() {
            transfers.reap(&self.health);
        }
        self.health.take()
    }

    fn told(&self) {
        self.command.told().set();
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

extern "C" fn call_back(_: cl_event, status: cl_int, data: *mut c_void) {
    let _within = InCallback::begin();
    // SAFETY: the box that `watch` gave for this event; the driver calls this once (OpenCL 5.11).
    let Callback { done, health, operation, bytes } = *unsafe { Box::from_raw(data.cast::<Callback>()) };
    let outcome = if status < 0 { Err(health.moving_error(operation, bytes, status)) } else { Ok(()) };
    // Nothing may unwind into the driver.
    if caught(|| done(outcome)).is_none() {
        tracing::error!("a callback of an event panicked");
    }
}

/// An event of this device's context that completes with one that is not of it. If that fails, the device goes on, and
/// its health says so.
pub(super) fn standing_in(event: &Event, device: &DeviceResources) -> Result<DriverEvent, cl_int> {
    let stand_in = Arc::new(Live::new(DriverEvent::new(create_user_event(device.context.get().get())?)));
    let raw = stand_in.get();
    // SAFETY: retained here for the value returned, which releases it.
    unsafe { opencl3::event::retain_event(raw)? };
    let returned = DriverEvent::new(raw);
    let health = device.health.clone();
    event.on_outcome(move |outcome| {
        if let Err(failure) = outcome {
            health.went_on(failure);
        }
        // A driver that does not take it has its queue wait for ever. It is asked again; failing is better than waiting.
        let statuses = [CL_COMPLETE, CL_COMPLETE, CL_COMPLETE, CL_OUT_OF_RESOURCES];
        let set = |&status: &cl_int| set_user_event_status(stand_in.get(), status);
        let mut outcome = Ok(());
        for status in &statuses {
            outcome = set(status);
            if outcome.is_ok() {
                break;
            }
        }
        if let Err(code) = outcome {
            health.give_up("clSetUserEventStatus", code);
        }
    });
    Ok(returned)
}
