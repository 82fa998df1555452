//! Copies between host and device.
//!
//! Small ones, and those into memory that the device may be using, run in the device's own queue. Copies into memory
//! that is new or was free, and copies back that nobody waits for yet, run in two queues of their own, so that they
//! overlap with kernels: a copy to the device waits for what used the memory before ([`Shared::after`]), and the memory's
//! next user waits for the copy (`BufferHandle::settle`).
//!
//! What the device reads later is copied to page-locked memory first. At most [`IN_FLIGHT`] bytes wait there; who wants
//! more waits for the oldest copy.

use super::event::ClEvent;
use super::health::Health;
use super::pinned::Queue;
use super::{OpenCl, Shared, own};
use crate::config;
use crate::device::backend::Memory;
use crate::device::process::Live;
use crate::device::queue::QueueOrder;
use crate::error::Result;
use crate::event::Event;
use crate::memory::{LARGE_COPY, PinnedBuffer};
use crate::profile::{self, Command, Lane};
use opencl3::command_queue::{
    enqueue_barrier_with_wait_list, enqueue_map_buffer, enqueue_marker_with_wait_list, enqueue_read_buffer,
    enqueue_unmap_mem_object, enqueue_write_buffer,
};
use opencl3::event::Event as DriverEvent;
use opencl3::memory::CL_MAP_WRITE_INVALIDATE_REGION;
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING, cl_bool, cl_event, cl_int, cl_mem};
use std::collections::VecDeque;
use std::ptr::{null, null_mut};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Larger copies go in pieces, so that the device copies one while the host prepares the next.
const PIECE: usize = 8 << 20;
/// What errors call copies.
const COPYING_TO: &str = "copying to the device";
const COPYING_FROM: &str = "copying from the device";
/// At most this much waits to be read by the device.
const IN_FLIGHT: usize = 64 << 20;

/// What copies need beside the device's queue.
#[derive(Default)]
pub(super) struct Transfers {
    upload: OnceLock<Arc<Queue>>,
    download: OnceLock<Arc<Queue>>,
    flights: Mutex<Flights>,
    /// Markers in the device's queue that were not seen to be over, in order, each with what had been enqueued before it.
    markers: Mutex<VecDeque<(u64, Arc<Live<DriverEvent>>)>>,
}

/// Host memory that commands use.
#[derive(Default)]
struct Flights {
    lanes: [VecDeque<Flight>; 3],
    bytes: usize,
}

struct Flight {
    event: Arc<Live<DriverEvent>>,
    bytes: usize,
    operation: &'static str,
    _held: Held,
}

/// Bytes that may be put in flight. Given back when dropped.
struct Room<'a> {
    transfers: &'a Transfers,
    bytes: usize,
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        self.transfers.flights().bytes -= self.bytes;
    }
}

/// Held for its `Drop`.
#[allow(dead_code, reason = "held for its `Drop`")]
enum Held {
    Bytes(Vec<u8>),
    Pinned(PinnedBuffer),
    Shared(Arc<PinnedBuffer>),
}

impl Flights {
    /// Lets go of what was copied. A lane is in order, so its first that waits ends the search.
    fn land(&mut self, health: &Health) {
        for lane in &mut self.lanes {
            while let Some(status) = lane.front().and_then(|flight| outcome(&flight.event)) {
                let Some(flight) = lane.pop_front() else { break };
                self.bytes -= flight.bytes;
                if status < 0 {
                    health.note(flight.operation, status);
                }
            }
        }
    }

    /// What has been in flight longest, of the first lane that has something.
    fn oldest(&self) -> Option<Arc<Live<DriverEvent>>> {
        self.lanes.iter().find_map(|lane| lane.front()).map(|flight| flight.event.clone())
    }
}

/// How a command ended, if it did: 0, or less where it failed. Either way it uses nothing any more.
fn outcome(event: &DriverEvent) -> Option<cl_int> {
    event.command_execution_status().ok().map(|status| status.0).filter(|&status| status <= 0)
}

impl Transfers {
    fn flights(&self) -> MutexGuard<'_, Flights> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many markers are kept.
    #[cfg(test)]
    pub(super) fn markers(&self) -> usize {
        self.markers.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Everything of the device's queue is done; that of the others is waited for.
    pub(super) fn finish(&self, health: &Health) -> Result<(), cl_int> {
        for queue in [&self.upload, &self.download].into_iter().filter_map(|queue| queue.get()) {
            queue.queue.finish().map_err(|error| error.0)?;
        }
        self.land(health);
        Ok(())
    }

    /// Lets go of what was copied, and notes what failed.
    pub(super) fn land(&self, health: &Health) {
        self.flights().land(health);
    }

    /// Waits until another `bytes` may be in flight. Nobody else waits meanwhile who need not. Fails if waiting does, and
    /// the copy is not over for all that.
    fn make_room(&self, bytes: usize, health: &Health) -> Result<Room<'_>, cl_int> {
        loop {
            let oldest = {
                let mut flights = self.flights();
                flights.land(health);
                let oldest = if flights.bytes + bytes > IN_FLIGHT { flights.oldest() } else { None };
                if oldest.is_none() {
                    flights.bytes += bytes;
                }
                oldest
            };
            match oldest {
                Some(event) => {
                    if let Err(error) = event.wait()
                        // A copy that failed is over, too, and noted when it lands.
                        && outcome(&event).is_none()
                    {
                        return Err(error.0);
                    }
                }
                None => return Ok(Room { transfers: self, bytes }),
            }
        }
    }

    /// Keeps what a command uses until it is over; `room` is what was made for it.
    fn take_off(
        &self,
        lane: Lane,
        event: &Arc<Live<DriverEvent>>,
        held: Held,
        operation: &'static str,
        room: Option<Room<'_>>,
    ) {
        let bytes = room.as_ref().map_or(0, |room| room.bytes);
        // The room goes back when the flight lands.
        std::mem::forget(room);
        let flight = Flight { event: event.clone(), bytes, operation, _held: held };
        self.flights().lanes[lane as usize].push_back(flight);
    }

    /// Forgets memory that commands may still use.
    pub(super) fn leak(&self) {
        std::mem::forget(std::mem::take(&mut *self.flights()));
    }
}

impl Shared {
    fn lane(&self, lane: Lane) -> Result<&Queue> {
        let cell = match lane {
            Lane::Compute => return Ok(&self.queue),
            Lane::Upload => &self.transfers.upload,
            Lane::Download => &self.transfers.download,
        };
        if let Some(queue) = cell.get() {
            return Ok(queue);
        }
        let (times, order) = (config::get()?.times_commands(), QueueOrder::InOrder);
        let queue = super::new_queue(&self.context, &self.device, &self.profile, times, order)?;
        let queue = Queue::shared(queue, self.context.clone(), &self.profile);
        // Another thread may have been faster; then this one is closed again.
        Ok(cell.get_or_init(|| queue))
    }

    /// What a command on another queue waits for, so that it comes after everything that this device was given until
    /// `enqueued`; `None` if that is done.
    fn after(&self, enqueued: u64) -> Result<Option<Arc<Live<DriverEvent>>>> {
        if self.is_done(enqueued) {
            return Ok(None);
        }
        let first = |markers: &VecDeque<(u64, Arc<Live<DriverEvent>>)>| {
            markers.iter().find(|(at, _)| *at >= enqueued).map(|(_, event)| event.clone())
        };
        if let Some(event) = first(&self.markers()) {
            return Ok(Some(event));
        }
        self.mark()?;
        Ok(first(&self.markers()))
    }

    /// Whether the first so many commands of the queue are known to be done.
    pub(super) fn is_done(&self, enqueued: u64) -> bool {
        if enqueued <= self.finished.load(Ordering::Acquire) {
            return true;
        }
        self.pass(&mut self.markers());
        enqueued <= self.finished.load(Ordering::Acquire)
    }

    /// Lets go of markers that the queue has passed, and notes how far it is.
    fn pass(&self, markers: &mut VecDeque<(u64, Arc<Live<DriverEvent>>)>) {
        while let Some((at, event)) = markers.front()
            && let Some(status) = outcome(event)
        {
            if status < 0 {
                self.health.note("computing", status);
            }
            self.done_until(*at);
            markers.pop_front();
        }
    }

    /// Puts a marker after what the queue was given so far, unless one is there.
    pub(super) fn mark(&self) -> Result<()> {
        let mut markers = self.markers();
        // Nobody may ask for those before: what was waited for otherwise is known to be done without them.
        self.pass(&mut markers);
        // Read before the marker is enqueued: every command counted by now comes before it.
        let at = self.counted();
        if markers.back().is_none_or(|(before, _)| *before < at) {
            // SAFETY: a live queue, nothing else.
            let event = unsafe { enqueue_marker_with_wait_list(self.queue.queue.get(), 0, null()) };
            let event = event.map_err(|code| self.error("clEnqueueMarkerWithWaitList", code))?;
            markers.push_back((at, Arc::new(Live::new(DriverEvent::new(event)))));
        }
        drop(markers);
        // Another queue's command that waits for it does not make every driver begin.
        self.flush(Lane::Compute)
    }

    fn markers(&self) -> MutexGuard<'_, VecDeque<(u64, Arc<Live<DriverEvent>>)>> {
        self.transfers.markers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn flush(&self, lane: Lane) -> Result<()> {
        self.lane(lane)?.queue.flush().map_err(|error| self.error("clFlush", error.0))
    }

    /// Enqueues a copy of `data` to `offset` of `target`.
    fn enqueue_write(
        &self,
        lane: Lane,
        target: cl_mem,
        offset: usize,
        data: &[u8],
        blocking: cl_bool,
        after: Option<&DriverEvent>,
    ) -> Result<Arc<Live<DriverEvent>>> {
        let queue = self.lane(lane)?.queue.get();
        let _turn = match lane {
            Lane::Compute => self.in_turn().map_err(|code| self.error("clEnqueueWriteBuffer", code))?,
            _ => None,
        };
        let after: Vec<cl_event> = after.map(DriverEvent::get).into_iter().collect();
        let list = if after.is_empty() { null() } else { after.as_ptr() };
        let source = data.as_ptr().cast();
        let marked = profile::mark();
        // SAFETY: the buffer has room for `data` at `offset` (`BufferHandle` checks); `data` is not changed, moved or
        // freed before the copy is done: a blocking one is done on return, and callers put what others read in flight.
        let event = unsafe {
            enqueue_write_buffer(queue, target, blocking, offset, data.len(), source, after.len() as u32, list)
        };
        let event = event.map_err(|code| self.error("clEnqueueWriteBuffer", code))?;
        let event = Arc::new(Live::new(DriverEvent::new(event)));
        self.record(lane, &event, "copy to the device", data.len(), marked);
        Ok(event)
    }

    /// Copies `data` to `target` in pieces, each through memory that the device reads later; gives the last piece's
    /// event. After an error nothing is on its way to `target` any more, which may be somebody else's soon.
    fn staged(
        &self,
        lane: Lane,
        target: cl_mem,
        data: &[u8],
        after: Option<&DriverEvent>,
    ) -> Result<Option<Arc<Live<DriverEvent>>>> {
        let copied = self.in_pieces(lane, target, data, after);
        if copied.is_err() {
            // The error that is told is the first.
            let _ = self.lane(lane)?.queue.finish();
        }
        copied
    }

    fn in_pieces(
        &self,
        lane: Lane,
        target: cl_mem,
        data: &[u8],
        after: Option<&DriverEvent>,
    ) -> Result<Option<Arc<Live<DriverEvent>>>> {
        let config = config::get()?;
        let mut last = None;
        for (number, piece) in data.chunks(PIECE).enumerate() {
            if self.transfers.flights().bytes + piece.len() > IN_FLIGHT {
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
                _ => Held::Bytes(piece.to_vec()),
            };
            let source: &[u8] = match &held {
                Held::Bytes(bytes) => bytes,
                Held::Pinned(pinned) => pinned,
                Held::Shared(pinned) => pinned,
            };
            // A lane is in order: the first piece waits for all.
            let after = after.filter(|_| number == 0);
            let event = self.enqueue_write(lane, target, number * PIECE, source, CL_NON_BLOCKING, after)?;
            self.transfers.take_off(lane, &event, held, COPYING_TO, Some(room));
            if matches!(lane, Lane::Upload) {
                self.flush(lane)?;
            }
            last = Some(event);
        }
        if !config.async_h2d
            && let Some(last) = &last
        {
            self.flush(lane)?;
            last.wait().map_err(|error| self.error(COPYING_TO, error.0))?;
        }
        Ok(last)
    }

    /// A copy beside the device's queue that waits for an event of its own.
    #[cfg(test)]
    pub(super) fn upload_after(&self, memory: &Memory, data: &[u8], after: &DriverEvent) -> Result<()> {
        self.staged(Lane::Upload, own(memory)?.raw(), data, Some(after)).map(|_| ())
    }

    pub(super) fn event(&self, event: Arc<Live<DriverEvent>>, operation: &'static str) -> Event {
        ClEvent::event(event, &self.context, &self.profile.name, operation)
    }
}

impl OpenCl {
    /// Copies in the device's queue.
    pub(super) fn write_in_order(&self, memory: &Memory, data: &[u8]) -> Result<()> {
        let shared = &*self.shared;
        shared.staged(Lane::Compute, own(memory)?.raw(), data, None)?;
        shared.count();
        Ok(())
    }

    /// Copies to memory that the device does not use now.
    pub(super) fn upload_aside(&self, memory: &Memory, data: &[u8], idle_since: u64) -> Result<Option<Event>> {
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
        let after = after.as_ref().map(|event| &***event);
        // What the device was given before is to run meanwhile.
        shared.flush(Lane::Compute)?;
        let copied = shared.staged(Lane::Upload, target, data, after)?;
        Ok(copied.map(|event| shared.event(event, COPYING_TO)))
    }

    /// As above, straight from page-locked memory.
    pub(super) fn upload_held(&self, memory: &Memory, data: PinnedBuffer, idle_since: u64) -> Result<Option<Event>> {
        if data.is_empty() {
            return Ok(None);
        }
        let shared = &*self.shared;
        let after = shared.after(idle_since)?;
        let after = after.as_ref().map(|event| &***event);
        shared.transfers.land(&shared.health);
        let target = own(memory)?.raw();
        // What the device was given before is to run meanwhile.
        shared.flush(Lane::Compute)?;
        let event = shared.enqueue_write(Lane::Upload, target, 0, &data, CL_NON_BLOCKING, after)?;
        // Without room made for it: the program allocated it itself.
        shared.transfers.take_off(Lane::Upload, &event, Held::Pinned(data), COPYING_TO, None);
        shared.flush(Lane::Upload)?;
        if !config::get()?.async_h2d {
            event.wait().map_err(|error| shared.error(COPYING_TO, error.0))?;
        }
        Ok(Some(shared.event(event, COPYING_TO)))
    }

    /// Copies from the device, after everything that it was given.
    pub(super) fn download_aside(&self, memory: &Memory, mut into: PinnedBuffer) -> Result<(Event, Arc<PinnedBuffer>)> {
        if into.is_empty() {
            return Ok((Event::complete(), Arc::new(into)));
        }
        let shared = &*self.shared;
        let source = own(memory)?.raw();
        let lane = if into.len() < LARGE_COPY { Lane::Compute } else { Lane::Download };
        let (turn, after) = match lane {
            Lane::Compute => (shared.in_turn().map_err(|code| shared.error("clEnqueueReadBuffer", code))?, None),
            _ => (None, shared.after(shared.counted())?),
        };
        let after: Vec<cl_event> = after.iter().map(|event| event.get()).collect();
        let list = if after.is_empty() { null() } else { after.as_ptr() };
        let (target, bytes) = (into.as_mut_ptr(), into.len());
        shared.transfers.land(&shared.health);
        let queue = shared.lane(lane)?.queue.get();
        let marked = profile::mark();
        // SAFETY: the buffer has as many bytes (the caller checks). `into` is put in flight below, so it is not freed
        // before the copy is done, and its bytes are looked at only then (`Backend::download`).
        let event = unsafe {
            let count = after.len() as u32;
            enqueue_read_buffer(queue, source, CL_NON_BLOCKING, 0, bytes, target.cast(), count, list)
        };
        drop(turn);
        let event = event.map_err(|code| shared.error("clEnqueueReadBuffer", code))?;
        let event = Arc::new(Live::new(DriverEvent::new(event)));
        shared.record(lane, &event, "copy from the device", bytes, marked);
        let into = Arc::new(into);
        shared.transfers.take_off(lane, &event, Held::Shared(into.clone()), COPYING_FROM, None);
        shared.flush(lane)?;
        Ok((shared.event(event, COPYING_FROM), into))
    }

    pub(super) fn record_marker(&self) -> Result<Event> {
        let shared = &*self.shared;
        // SAFETY: a live queue, nothing else.
        let event = unsafe { enqueue_marker_with_wait_list(shared.queue.queue.get(), 0, null()) };
        let event = event.map_err(|code| shared.error("clEnqueueMarkerWithWaitList", code))?;
        shared.flush(Lane::Compute)?;
        Ok(shared.event(Arc::new(Live::new(DriverEvent::new(event))), "computing"))
    }

    /// What the device's queue is given from now on comes after the event.
    pub(super) fn hold_for(&self, event: &Event) -> Result<()> {
        let shared = &*self.shared;
        let stand_in;
        let awaited = match ClEvent::of(event, &shared.context) {
            Some(own) => own,
            None if event.is_complete() => return Ok(()),
            None => {
                let made = super::event::standing_in(event, &shared.context);
                stand_in = made.map_err(|code| shared.error("clCreateUserEvent", code))?;
                &stand_in
            }
        };
        // SAFETY: queue and event are alive and of one context; whatever the event waits for is flushed or a user
        // event (OpenCL 5.12).
        let barrier = unsafe { enqueue_barrier_with_wait_list(shared.queue.queue.get(), 1, &awaited.get()) };
        shared.done("clEnqueueBarrierWithWaitList", barrier)?;
        shared.count();
        Ok(())
    }
}

impl Shared {
    /// Copies once, straight into a buffer that lies in the host's memory and that no command uses.
    fn write_mapped(&self, target: cl_mem, data: &[u8]) -> Result<Arc<Live<DriverEvent>>> {
        let queue = self.lane(Lane::Upload)?.queue.get();
        let marked = profile::mark();
        let mut pointer: cl_mem = null_mut();
        let flags = CL_MAP_WRITE_INVALIDATE_REGION;
        // SAFETY: a blocking map of a live buffer, inside it (OpenCL 5.2.4); nobody else uses it.
        let mapped =
            unsafe { enqueue_map_buffer(queue, target, CL_BLOCKING, flags, 0, data.len(), &mut pointer, 0, null()) };
        self.done("clEnqueueMapBuffer", mapped)?;
        // SAFETY: the driver gave `data.len()` bytes there; they are not `data`, which is the caller's own.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), pointer.cast(), data.len()) };
        // The copy is the host's own; the driver's commands around it move nothing.
        if let Some(marked) = marked {
            profile::computed(&self.tracks, Command::copy("copy to the device", data.len()), marked);
        }
        // SAFETY: mapped above from this buffer and not used afterwards.
        let unmapped = unsafe { enqueue_unmap_mem_object(queue, target, pointer, 0, null()) };
        let unmapped = unmapped.map_err(|code| self.error("clEnqueueUnmapMemObject", code))?;
        self.flush(Lane::Upload)?;
        Ok(Arc::new(Live::new(DriverEvent::new(unmapped))))
    }
}
