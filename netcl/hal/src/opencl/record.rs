//! What profiles get of the commands that a device is given: their events, if they are recorded.

use super::kernel::KernelObject;
use super::pending::Pending;
use super::queue_progress::COMPUTING;
use super::shared::DeviceResources;
use crate::error::Result;
use crate::profile::{self, Command, Lane};
use netcl_kernels::kir::Geometry;
use opencl3::types::{cl_event, cl_int};
use std::sync::Arc;

#[cfg(test)]
thread_local! {
    /// The next copy or fill of this thread is refused with that code.
    pub(super) static REFUSED_COMMAND: std::cell::Cell<Option<cl_int>> = const { std::cell::Cell::new(None) };
}

/// What the driver says of a copy or a fill, or what a test has it say.
#[cfg(test)]
fn refused(event: Result<cl_event, cl_int>) -> Result<cl_event, cl_int> {
    let Some(code) = REFUSED_COMMAND.take() else { return event };
    drop(event.map(super::driver::Event::new));
    Err(code)
}

impl DeviceResources {
    /// As [`DeviceResources::done`], of a command of the device's queue that moves so many bytes and is to be recorded if there is a
    /// mark.
    pub(super) fn recorded(
        &self,
        (operation, bytes): (&str, usize),
        event: Result<cl_event, cl_int>,
        marked: Option<u64>,
        command: impl FnOnce() -> Command,
    ) -> Result<()> {
        #[cfg(test)]
        let event = refused(event);
        let event = Pending::moving(event.map_err(|code| self.health.moving_error(operation, bytes, code))?, bytes);
        if let Some(marked) = marked {
            let event = self.event(event, COMPUTING);
            profile::enqueued(&self.tracks, Lane::Compute, command(), event, marked);
        }
        Ok(())
    }

    /// A copy on that queue.
    pub(super) fn record(&self, lane: Lane, event: &Arc<Pending>, name: &str, bytes: usize, marked: Option<u64>) {
        if let Some(marked) = marked {
            let event = self.event(event.clone(), "copying");
            profile::enqueued(&self.tracks, lane, Command::copy(name, bytes), event, marked);
        }
    }

    /// A launch.
    #[cold]
    pub(super) fn record_launch(
        &self,
        kernel: &KernelObject,
        geometry: &Geometry,
        label: &str,
        event: cl_event,
        marked: u64,
    ) {
        let axes = |sizes: &[usize; 3]| sizes[..geometry.dimensions].to_vec();
        let command = Command {
            name: label.into(),
            kernel: kernel.get().function_name().ok().map(Arc::from),
            work_items: axes(&geometry.global),
            work_group: geometry.local.as_ref().map(axes).unwrap_or_default(),
            ..Command::default()
        };
        let event = self.event(Pending::new(event), COMPUTING);
        profile::enqueued(&self.tracks, Lane::Compute, command, event, marked);
    }
}
