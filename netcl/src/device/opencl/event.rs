//! The driver's events behind [`Event`].

use super::context::ClContext;
use crate::device::process::Live;
use crate::error::Result;
use crate::event::{Event, EventStatus, EventTimes, Failure, Source};
use opencl3::error_codes::{CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, error_text};
use opencl3::event::{
    CL_COMPLETE, CL_QUEUED, CL_SUBMITTED, Event as DriverEvent, create_user_event, set_event_callback,
    set_user_event_status, wait_for_events,
};
use opencl3::types::{cl_event, cl_int};
use std::ffi::c_void;
use std::sync::Arc;

/// An event of a command. The command is flushed: it will be done without further calls. Dropped in this order.
pub(super) struct ClEvent {
    event: Arc<Live<DriverEvent>>,
    context: Arc<ClContext>,
    device: String,
    operation: &'static str,
}

type Done = Box<dyn FnOnce(Result<(), Failure>) + Send>;

/// What a callback is given.
struct Callback {
    done: Done,
    device: String,
    operation: &'static str,
}

impl ClEvent {
    pub(super) fn event(
        event: Arc<Live<DriverEvent>>,
        context: &Arc<ClContext>,
        device: &str,
        operation: &'static str,
    ) -> Event {
        Event::of(Box::new(ClEvent { event, context: context.clone(), device: device.to_owned(), operation }))
    }

    /// The driver's event, if it is of this context.
    pub(super) fn of<'a>(event: &'a Event, context: &Arc<ClContext>) -> Option<&'a DriverEvent> {
        let event: &ClEvent = event.source()?.as_any().downcast_ref()?;
        Arc::ptr_eq(&event.context, context).then_some(&**event.event)
    }

    fn code(&self) -> Result<cl_int, cl_int> {
        self.event.command_execution_status().map(|status| status.0).map_err(|error| error.0)
    }

    fn failure(&self, code: cl_int) -> Failure {
        failure(&self.device, self.operation, code)
    }
}

fn failure(device: &str, operation: &str, code: cl_int) -> Failure {
    Failure::Driver { device: device.to_owned(), operation: operation.to_owned(), code: error_text(code).to_owned() }
}

impl Source for ClEvent {
    fn status(&self) -> Result<EventStatus, Failure> {
        Ok(match self.code().map_err(|code| self.failure(code))? {
            CL_COMPLETE => EventStatus::Complete,
            CL_QUEUED => EventStatus::Queued,
            CL_SUBMITTED => EventStatus::Submitted,
            code if code < 0 => EventStatus::Failed,
            _ => EventStatus::Running,
        })
    }

    fn wait(&self) -> Result<(), Failure> {
        wait_for_events(&[self.event.get()]).map_err(|code| {
            // "One of the events failed"; which error it was is the event's status.
            let own = self.code().ok().filter(|own| *own < 0);
            self.failure(if code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST { own.unwrap_or(code) } else { code })
        })
    }

    fn watch(&self, done: Done) -> Result<()> {
        let data = Box::into_raw(Box::new(Callback { done, device: self.device.clone(), operation: self.operation }));
        set_event_callback(self.event.get(), CL_COMPLETE, call_back, data.cast()).map_err(|code| {
            // SAFETY: made above, and the driver did not take it.
            drop(unsafe { Box::from_raw(data) });
            failure(&self.device, "clSetEventCallback", code).into_error()
        })
    }

    fn times(&self) -> Option<EventTimes> {
        Some(EventTimes {
            queued: self.event.profiling_command_queued().ok()?,
            submitted: self.event.profiling_command_submit().ok()?,
            started: self.event.profiling_command_start().ok()?,
            ended: self.event.profiling_command_end().ok()?,
        })
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

extern "C" fn call_back(_: cl_event, status: cl_int, data: *mut c_void) {
    // SAFETY: the box that `watch` gave for this event; the driver calls this once (OpenCL 5.11).
    let Callback { done, device, operation } = *unsafe { Box::from_raw(data.cast::<Callback>()) };
    let outcome = if status < 0 { Err(failure(&device, operation, status)) } else { Ok(()) };
    // Nothing may unwind into the driver.
    if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| done(outcome))).is_err() {
        tracing::error!(device, "a callback of an event panicked");
    }
}

/// An event of this context that completes with one that is not of it.
pub(super) fn standing_in(event: &Event, context: &ClContext) -> Result<DriverEvent, cl_int> {
    let stand_in = Arc::new(Live::new(DriverEvent::new(create_user_event(context.get().get())?)));
    let raw = stand_in.get();
    // SAFETY: retained here for the value returned, which releases it.
    unsafe { opencl3::event::retain_event(raw)? };
    let returned = DriverEvent::new(raw);
    event.on_complete(move |outcome| {
        if let Err(error) = outcome {
            tracing::warn!(%error, "a device goes on although what it waited for failed");
        }
        if let Err(code) = set_user_event_status(stand_in.get(), CL_COMPLETE) {
            tracing::error!(code, "clSetUserEventStatus: a device may wait for ever");
        }
    });
    Ok(returned)
}
