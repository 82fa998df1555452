//! Copies between devices of one context.

use super::driver::Event as DriverEvent;
use super::memory::ClMemory;
use super::pending::Pending;
use super::shared::{DeviceResources, OpenCl};
use crate::error::Result;
use crate::profile::{self, Command, Lane};
use opencl3::command_queue::{enqueue_barrier_with_wait_list, enqueue_copy_buffer, enqueue_marker_with_wait_list};
use opencl3::types::cl_int;
use std::ptr::null;
use std::sync::Arc;

#[cfg(test)]
thread_local! {
    /// Copies of this thread meet a driver that takes the copy and then refuses to have the source wait for it.
    pub(super) static REFUSED_WAIT: std::cell::Cell<Option<cl_int>> = const { std::cell::Cell::new(None) };
}

impl OpenCl {
    /// Copies on this device's queue, between two markers on the other's. After an error no copy is on its way: where the
    /// driver fails after it has taken one, that is waited for, and the error says so.
    pub(super) fn copy_after(
        &self,
        source: &DeviceResources,
        from: &ClMemory,
        to: &ClMemory,
        bytes: usize,
    ) -> Result<()> {
        let copied = self.begin_copy(source, from, to, bytes);
        let copied = copied
            .map_err(|code| self.shared.health.moving_error("clEnqueueCopyBuffer between devices", bytes, code))?;
        let Err(code) = self.end_copy(source, &copied) else { return Ok(()) };
        // The memory goes back to its owners with the error, and may be somebody else's soon.
        let over = copied.driver().wait().is_ok() || copied.outcome().is_some();
        let what = if over { "was made all the same" } else { "may still be under way" };
        let operation = format!("having the source wait for a copy between devices, which {what},");
        Err(self.shared.error(&operation, code))
    }

    /// The copy, after everything that the source was given.
    fn begin_copy(
        &self,
        source: &DeviceResources,
        from: &ClMemory,
        to: &ClMemory,
        bytes: usize,
    ) -> Result<Arc<Pending>, cl_int> {
        let queue = self.shared.queue.queue.get();
        let marked = profile::mark();
        // SAFETY: both queues, both buffers and the events waited for are alive and of one context; the buffers are at
        // least `bytes` long and distinct (`BufferHandle::copy_across`). What is waited for was enqueued before and is
        // flushed, so the queues cannot wait for each other in a circle (OpenCL 5.13).
        let copied = unsafe {
            let written = DriverEvent::new(enqueue_marker_with_wait_list(source.queue.queue.get(), 0, null())?);
            source.queue.queue.flush().map_err(|error| error.0)?;
            let turn = self.shared.in_turn()?;
            let command = self.shared.context.sub_buffers.command();
            let copied = enqueue_copy_buffer(queue, from.raw(), to.raw(), 0, 0, bytes, 1, &written.get())?;
            let copied = Pending::new(copied);
            self.shared.context.sub_buffers.began(copied.driver());
            drop((command, turn));
            copied
        };
        if let Some(marked) = marked {
            let event = self.shared.event(copied.clone(), "copying between devices");
            let command = Command::copy("copy from another device", bytes);
            profile::enqueued(&self.shared.tracks, Lane::Compute, command, event, marked);
        }
        Ok(copied)
    }

    /// What the source is given next comes after the copy.
    fn end_copy(&self, source: &DeviceResources, copied: &Pending) -> Result<(), cl_int> {
        self.shared.queue.queue.flush().map_err(|error| error.0)?;
        #[cfg(test)]
        REFUSED_WAIT.get().map_or(Ok(()), Err)?;
        // One turn at a time: two devices that copy from each other would wait for each other's.
        let _turn = source.turn();
        // The source's memory may be handed out again as soon as this returns.
        // SAFETY: queue and event are alive and of one context, and the event's command is flushed (OpenCL 5.12).
        let barrier = unsafe { enqueue_barrier_with_wait_list(source.queue.queue.get(), 1, &copied.get())? };
        drop(DriverEvent::new(barrier));
        source.queue.queue.flush().map_err(|error| error.0)
    }
}
