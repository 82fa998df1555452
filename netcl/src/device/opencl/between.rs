//! Copies between devices of one context.

use super::event::Pending;
use super::memory::ClMemory;
use super::{OpenCl, Parts};
use crate::profile::{self, Command, Lane};
use opencl3::command_queue::{enqueue_barrier_with_wait_list, enqueue_copy_buffer, enqueue_marker_with_wait_list};
use opencl3::event::Event as DriverEvent;
use opencl3::types::cl_int;
use std::ptr::null;

impl OpenCl {
    /// Copies on this device's queue, between two markers on the other's.
    pub(super) fn copy_after(
        &self,
        source: &Parts,
        from: &ClMemory,
        to: &ClMemory,
        bytes: usize,
    ) -> Result<(), cl_int> {
        let queue = self.shared.queue.queue.get();
        let marked = profile::mark();
        // SAFETY: both queues, both buffers and the events waited for are alive and of one context; the buffers are at
        // least `bytes` long and distinct (`BufferHandle::copy_across`). What is waited for was enqueued before and is
        // flushed, so the queues cannot wait for each other in a circle (OpenCL 5.13).
        unsafe {
            let written = DriverEvent::new(enqueue_marker_with_wait_list(source.queue.queue.get(), 0, null())?);
            source.queue.queue.flush().map_err(|error| error.0)?;
            let turn = self.shared.in_turn()?;
            let copied = enqueue_copy_buffer(queue, from.raw(), to.raw(), 0, 0, bytes, 1, &written.get())?;
            let copied = Pending::new(copied);
            drop(turn);
            self.shared.queue.queue.flush().map_err(|error| error.0)?;
            // The source's memory may be handed out again as soon as this returns.
            drop(DriverEvent::new(enqueue_barrier_with_wait_list(source.queue.queue.get(), 1, &copied.get())?));
            source.queue.queue.flush().map_err(|error| error.0)?;
            if let Some(marked) = marked {
                let event = self.shared.event(copied, "copying between devices");
                let command = Command::copy("copy from another device", bytes);
                profile::enqueued(&self.shared.tracks, Lane::Compute, command, event, marked);
            }
            Ok(())
        }
    }
}
