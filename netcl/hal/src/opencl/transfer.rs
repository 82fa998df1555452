//! Copies between host and device.
//!
//! Small ones, and those into memory that the device may be using, run in the device's own queue. Copies into memory
//! that is new or was free, and copies back that nobody waits for yet, run in two queues of their own, so that they
//! overlap with kernels: a copy to the device waits for what used the memory before ([`DeviceResources::after`]), and the memory's
//! next user waits for the copy (`BufferHandle::settle`).
//!
//! What the device reads later is copied to page-locked memory first. At most `IN_FLIGHT` bytes wait there; who wants
//! more waits for the oldest copy.
//!
//! Where the device works in the host's memory, what no command uses is mapped and copied to by the caller. The maps have a
//! third queue, in which nothing ever waits for what the device does: a copy that waits in another, maybe for the program
//! itself, would hold them up.

use super::context::Queue;
use super::driver::Event as DriverEvent;
use super::event::ClEvent;
use super::in_flight::Held;
use super::pending::Pending;
use super::pinned::mapped;
use super::shared::{DeviceResources, OpenCl, own};
use crate::config;
use crate::device::memory::Memory;
use crate::device::queue::QueueOrder;
use crate::device::quirks::Avoid;
use crate::error::Result;
use crate::event::Event;
use crate::memory::{LARGE_COPY, PinnedBuffer};
use crate::profile::{self, Command, Lane};
use opencl3::command_queue::{
    enqueue_barrier_with_wait_list, enqueue_map_buffer, enqueue_read_buffer, enqueue_unmap_mem_object,
    enqueue_write_buffer,
};
use opencl3::error_codes::CL_OUT_OF_HOST_MEMORY;
use opencl3::memory::CL_MAP_WRITE_INVALIDATE_REGION;
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING, cl_event, cl_mem};
use std::ptr::{null, null_mut};
use std::sync::{Arc, OnceLock};

/// Larger copies go in pieces, so that the device copies one while the host prepares the next.
const PIECE: usize = 8 << 20;
/// What errors call copies.
const COPYING_TO: &str = "copying to the device";
const COPYING_FROM: &str = "copying from the device";

#[cfg(test)]
thread_local! {
    /// Tests of this thread meet a driver that does not flush the queue of that lane.
    pub(super) static REFUSED_FLUSH: std::cell::Cell<Option<Lane>> = const { std::cell::Cell::new(None) };
}

impl DeviceResources {
    fn lane(&self, lane: Lane) -> Result<&Queue> {
        match lane {
            Lane::Compute => Ok(&self.queue),
            Lane::Upload => self.beside(&self.transfers.upload),
            Lane::Download => self.beside(&self.transfers.download),
        }
    }

    /// A queue beside the device's own, which is made when it is first wanted.
    fn beside<'a>(&self, cell: &'a OnceLock<Arc<Queue>>) -> Result<&'a Queue> {
        if let Some(queue) = cell.get() {
            return Ok(queue);
        }
        let (times, order) = (config::get()?.times_commands(), QueueOrder::InOrder);
        let queue = Queue::of(&self.context, &self.device, &self.profile, times, order)?;
        // Another thread may have been faster; then this one is closed again.
        Ok(cell.get_or_init(|| queue))
    }

    pub(super) fn flush(&self, lane: Lane) -> Result<()> {
        #[cfg(test)]
        if REFUSED_FLUSH.get() == Some(lane) {
            return Err(self.error("clFlush", opencl3::error_codes::CL_OUT_OF_RESOURCES));
        }
        self.lane(lane)?.queue.flush().map_err(|error| self.error("clFlush", error.0))
    }

    /// Enqueues a copy of `data` to `offset` of `target`.
    fn enqueue_write(
        &self,
        lane: Lane,
        target: cl_mem,
        offset: usize,
        data: &[u8],
        after: Option<&Pending>,
    ) -> Result<Arc<Pending>> {
        let queue = self.lane(lane)?.queue.get();
        let turn = matches!(lane, Lane::Compute).then(|| self.in_turn());
        let _turn = turn.transpose().map_err(|code| self.error("clEnqueueWriteBuffer", code))?;
        let after: Vec<cl_event> = after.map(Pending::get).into_iter().collect();
        let list = if after.is_empty() { null() } else { after.as_ptr() };
        let source = data.as_ptr().cast();
        let marked = profile::mark();
        let command = self.context.sub_buffers.command();
        // SAFETY: the buffer has room for `data` at `offset` (`BufferHandle` checks); `data` is not changed, moved or
        // freed before the copy is done: callers put it in flight.
        let event = unsafe {
            enqueue_write_buffer(queue, target, CL_NON_BLOCKING, offset, data.len(), source, after.len() as u32, list)
        };
        let event = event.map_err(|code| self.health.moving_error("clEnqueueWriteBuffer", data.len(), code))?;
        let event = Pending::moving(event, data.len());
        self.context.sub_buffers.began(event.driver());
        drop(command);
        self.record(lane, &event, "copy to the device", data.len(), marked);
        Ok(event)
    }

    /// Copies `data` to `target` in pieces, each through memory that the device reads later; gives the last piece's
    /// event. After an error nothing is on its way to `target` any more, which may be somebody else's soon.
    fn staged(&self, lane: Lane, target: cl_mem, data: &[u8], after: Option<&Pending>) -> Result<Option<Arc<Pending>>> {
        let mut last = None;
        let copied = self.in_pieces(lane, target, data, after, &mut last);
        if let (Err(_), Some(last)) = (&copied, &last) {
            self.give_up(lane, last);
        }
        copied.map(|()| last)
    }

    /// After an error: what the target's next user enqueues comes after the copies that were begun, of which `last` is the
    /// last. Nobody waits here: a copy may wait for the program itself, by a user's event. What they read is held until they are
    /// over.
    fn give_up(&self, lane: Lane, last: &Pending) {
        if !matches!(lane, Lane::Compute) {
            let _turn = self.turn();
            let awaited = last.get();
            // SAFETY: queue and event are alive and of one context, and the event's command is flushed where its driver
            // flushes at all (OpenCL 5.12).
            let barrier = unsafe { enqueue_barrier_with_wait_list(self.queue.queue.get(), 1, &awaited) };
            match barrier {
                Ok(barrier) => drop(DriverEvent::new(barrier)),
                // Its next user may be too early: there is none, as a lost device gives errors from now on.
                Err(code) if !last.is_over() => {
                    self.health.give_up("clEnqueueBarrierWithWaitList", code);
                }
                Err(_) => {}
            }
            let _ = self.flush(lane);
        }
        self.count();
    }

    /// After an error: nothing of that queue's uses memory any more that its owner is about to get back. What fails on the
    /// way is not told, as the first error is.
    fn reap_now(&self, lane: Lane) {
        if let Ok(queue) = self.lane(lane) {
            let _ = queue.queue.finish();
        }
    }

    fn in_pieces(
        &self,
        lane: Lane,
        target: cl_mem,
        data: &[u8],
        after: Option<&Pending>,
        last: &mut Option<Arc<Pending>>,
    ) -> Result<()> {
        let config = config::get()?;
        for (number, piece) in data.chunks(PIECE).enumerate() {
            if !self.transfers.has_room(piece.len()) {
                // Waiting does not make every driver begin.
                self.flush(Lane::Compute)?;
            }
            let room = self.transfers.make_room(piece.len(), &self.health);
            let room = room.map_err(|code| self.error(COPYING_TO, code))?;
            let pinned = config.pinned_h2d && piece.len() >= LARGE_COPY;
            // Where no more can be page-locked, ordinary memory is slower and does as well.
            let held = match pinned.then(|| self.pinned.allocate(piece.len())) {
                Some(Ok(mut pinned)) => {
                    pinned.copy_from_slice(piece);
                    Held::Pinned(pinned)
                }
                _ => {
                    let mut bytes = Vec::new();
                    bytes.try_reserve_exact(piece.len()).map_err(|_| self.error(COPYING_TO, CL_OUT_OF_HOST_MEMORY))?;
                    bytes.extend_from_slice(piece);
                    Held::Bytes(bytes)
                }
            };
            let source: &[u8] = match &held {
                Held::Bytes(bytes) => bytes,
                Held::Pinned(pinned) => pinned,
                Held::Shared(pinned) => pinned,
            };
            // A lane is in order: the first piece waits for all.
            let after = after.filter(|_| number == 0);
            let event = self.enqueue_write(lane, target, number * PIECE, source, after)?;
            self.transfers.track(lane, &event, Some(held), COPYING_TO, Some(room));
            *last = Some(event);
            if matches!(lane, Lane::Upload) {
                self.flush(lane)?;
            }
        }
        if !config.async_h2d
            && let Some(last) = &*last
        {
            self.flush(lane)?;
            last.driver().wait().map_err(|error| self.error(COPYING_TO, error.0))?;
        }
        Ok(())
    }

    /// A copy beside the device's queue that waits for an event of its own.
    #[cfg(test)]
    pub(super) fn upload_after(&self, memory: &dyn Memory, data: &[u8], after: &Pending) -> Result<Event> {
        let copied = self.staged(Lane::Upload, own(memory)?.raw(), data, Some(after))?;
        Ok(self.event(copied.expect("it is not empty"), COPYING_TO))
    }

    pub(super) fn event(&self, event: Arc<Pending>, operation: &'static str) -> Event {
        ClEvent::event(event, self, operation)
    }
}

impl DeviceResources {
    /// Waits for everything before, and copies from the start of a buffer that is at least as long.
    pub(super) fn read_now(&self, source: cl_mem, into: &mut [u8]) -> Result<()> {
        const READ: &str = "clEnqueueReadBuffer";
        self.health.still_there().map_err(|code| self.error(READ, code))?;
        let marked = profile::mark();
        let before = self.counted();
        // Where a turn is held it is not held while waiting: what is waited for may need another thread's commands.
        let waits = self.order == QueueOrder::InOrder
            && !self.context.sub_buffers.takes_turns()
            && !self.profile.avoids(Avoid::BlockingCalls);
        let blocking = if waits { CL_BLOCKING } else { CL_NON_BLOCKING };
        let turn = self.in_turn().map_err(|code| self.error(READ, code))?;
        let (queue, target, bytes) = (self.queue.queue.get(), into.as_mut_ptr(), into.len());
        let command = self.context.sub_buffers.command();
        // SAFETY: the buffer is at least as long. A blocking read has written `into` when it returns (OpenCL 5.2.2); the
        // other kind is waited for below, whatever happens.
        let event = unsafe { enqueue_read_buffer(queue, source, blocking, 0, bytes, target.cast(), 0, null()) };
        let event = Pending::moving(event.map_err(|code| self.error(READ, code))?, bytes);
        self.context.sub_buffers.began(event.driver());
        drop((command, turn));
        if blocking == CL_NON_BLOCKING {
            let flushed = self.flush(Lane::Compute);
            let waited = event.driver().wait().map_err(|error| self.error(COPYING_FROM, error.0));
            if let Err(error) = flushed.and(waited) {
                self.reap_now(Lane::Compute);
                return Err(error);
            }
        }
        self.record(Lane::Compute, &event, "copy from the device", bytes, marked);
        self.done_until(before);
        Ok(())
    }
}

impl OpenCl {
    /// Copies in the device's queue.
    pub(super) fn write_in_order(&self, memory: &dyn Memory, data: &[u8]) -> Result<()> {
        let shared = &*self.shared;
        shared.staged(Lane::Compute, own(memory)?.raw(), data, None)?;
        shared.count();
        Ok(())
    }

    /// Copies to memory that the device does not use now.
    pub(super) fn upload_aside(&self, memory: &dyn Memory, data: &[u8], idle_since: u64) -> Result<Option<Event>> {
        if data.is_empty() {
            return Ok(None);
        }
        if data.len() < LARGE_COPY {
            return self.write_in_order(memory, data).map(|()| None);
        }
        let shared = &*self.shared;
        let target = own(memory)?.raw();
        let after = shared.after(idle_since)?;
        if after.is_none() && shared.profile.unified_memory {
            return shared.write_mapped(target, data).map(|event| Some(shared.event(event, "mapping a buffer")));
        }
        let after = after.as_deref();
        // What the device was given before is to run meanwhile.
        shared.flush(Lane::Compute)?;
        let copied = shared.staged(Lane::Upload, target, data, after)?;
        Ok(copied.map(|event| shared.event(event, COPYING_TO)))
    }

    /// As above, straight from page-locked memory.
    pub(super) fn upload_held(
        &self,
        memory: &dyn Memory,
        data: PinnedBuffer,
        idle_since: u64,
    ) -> Result<Option<Event>> {
        if data.is_empty() {
            return Ok(None);
        }
        let shared = &*self.shared;
        let waits = !config::get()?.async_h2d;
        let after = shared.after(idle_since)?;
        let after = after.as_deref();
        shared.transfers.reap(&shared.health);
        let target = own(memory)?.raw();
        // What the device was given before is to run meanwhile.
        shared.flush(Lane::Compute)?;
        let event = shared.enqueue_write(Lane::Upload, target, 0, &data, after)?;
        // Without room made for it: the program allocated it itself.
        shared.transfers.track(Lane::Upload, &event, Some(Held::Pinned(data)), COPYING_TO, None);
        let mut begun = shared.flush(Lane::Upload);
        if waits && begun.is_ok() {
            begun = event.driver().wait().map_err(|error| shared.error(COPYING_TO, error.0));
        }
        if let Err(error) = begun {
            shared.give_up(Lane::Upload, &event);
            return Err(error);
        }
        Ok(Some(shared.event(event, COPYING_TO)))
    }

    /// Copies from the device, after everything that it was given; `aside`: beside what it is given next.
    pub(super) fn read_later(
        &self,
        memory: &dyn Memory,
        mut into: PinnedBuffer,
        aside: bool,
    ) -> Result<(Event, Arc<PinnedBuffer>)> {
        if into.is_empty() {
            return Ok((Event::complete(), Arc::new(into)));
        }
        let shared = &*self.shared;
        let source = own(memory)?.raw();
        let lane = if aside { Lane::Download } else { Lane::Compute };
        let after = if aside { shared.after(shared.counted())? } else { None };
        let after: Vec<cl_event> = after.iter().map(|event| event.get()).collect();
        let list = if after.is_empty() { null() } else { after.as_ptr() };
        let (target, bytes) = (into.as_mut_ptr(), into.len());
        shared.transfers.reap(&shared.health);
        let queue = shared.lane(lane)?.queue.get();
        let turn = (!aside).then(|| shared.in_turn()).transpose();
        let turn = turn.map_err(|code| shared.error("clEnqueueReadBuffer", code))?;
        let marked = profile::mark();
        let command = shared.context.sub_buffers.command();
        // SAFETY: the buffer has as many bytes (the caller checks). `into` is put in flight below, so it is not freed
        // before the copy is done, and its bytes are looked at only then (`Backend::download`).
        let event = unsafe {
            let count = after.len() as u32;
            enqueue_read_buffer(queue, source, CL_NON_BLOCKING, 0, bytes, target.cast(), count, list)
        };
        let event = Pending::moving(event.map_err(|code| shared.error("clEnqueueReadBuffer", code))?, bytes);
        shared.context.sub_buffers.began(event.driver());
        drop((command, turn));
        if !aside {
            shared.count();
        }
        shared.record(lane, &event, "copy from the device", bytes, marked);
        let into = Arc::new(into);
        shared.transfers.track(lane, &event, Some(Held::Shared(into.clone())), COPYING_FROM, None);
        shared.flush(lane)?;
        Ok((shared.event(event, COPYING_FROM), into))
    }
}

impl DeviceResources {
    /// Copies once, straight into a buffer that lies in the host's memory and that no command uses.
    fn write_mapped(&self, target: cl_mem, data: &[u8]) -> Result<Arc<Pending>> {
        let maps = self.beside(&self.transfers.maps)?;
        let queue = maps.queue.get();
        let marked = profile::mark();
        let mut pointer: cl_mem = null_mut();
        let flags = CL_MAP_WRITE_INVALIDATE_REGION;
        let command = self.context.sub_buffers.command();
        // SAFETY: a blocking map of a live buffer, inside it (OpenCL 5.2.4); nobody else uses it. It waits for what this
        // queue was given before, which is maps of other threads' and ends by itself.
        let done =
            unsafe { enqueue_map_buffer(queue, target, CL_BLOCKING, flags, 0, data.len(), &mut pointer, 0, null()) };
        drop(command);
        let done = DriverEvent::new(done.map_err(|code| self.error("clEnqueueMapBuffer", code))?);
        if self.profile.avoids(Avoid::BlockingCalls) {
            done.wait().map_err(|error| self.error("clEnqueueMapBuffer", error.0))?;
        }
        let there = mapped(pointer).map_err(|code| self.error("clEnqueueMapBuffer", code))?;
        // SAFETY: the driver gave `data.len()` bytes there; they are not `data`, which is the caller's own.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), there.as_ptr(), data.len()) };
        // The copy is the host's own; the driver's commands around it move nothing.
        if let Some(marked) = marked {
            profile::computed(&self.tracks, Command::copy("copy to the device", data.len()), marked);
        }
        let command = self.context.sub_buffers.command();
        // SAFETY: mapped above from this buffer and not used afterwards.
        let unmapped = unsafe { enqueue_unmap_mem_object(queue, target, pointer, 0, null()) };
        drop(command);
        let unmapped = unmapped.map_err(|code| self.error("clEnqueueUnmapMemObject", code))?;
        let unmapped = Pending::new(unmapped);
        if let Err(error) = maps.queue.flush() {
            // The memory is its owner's again with the error.
            let _ = maps.queue.finish();
            return Err(self.error("clFlush", error.0));
        }
        Ok(unmapped)
    }
}
