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
use super::pinned::Queue;
use super::{OpenCl, Shared, own};
use crate::config;
use crate::device::backend::Memory;
use crate::device::host::process::Live;
use crate::error::Result;
use crate::event::Event;
use crate::memory::PinnedBuffer;
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

/// From this size on, a copy is worth a queue of its own and page-locked memory; ordering two queues costs some
/// microseconds.
const LARGE: usize = 256 << 10;
/// Larger copies go in pieces, so that the device copies one while the host prepares the next.
const PIECE: usize = 8 << 20;
/// At most this much waits to be read by the device.
const IN_FLIGHT: usize = 64 << 20;

/// What copies need beside the device's queue.
#[derive(Default)]
pub(super) struct Transfers {
    upload: OnceLock<Arc<Queue>>,
    download: OnceLock<Arc<Queue>>,
    flights: Mutex<Flights>,
    /// The last marker in the device's queue, and what had been enqueued before it.
    marker: Mutex<Option<(u64, Arc<Live<DriverEvent>>)>>,
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
    _held: Held,
}

/// Held for its `Drop`.
#[allow(dead_code, reason = "held for its `Drop`")]
enum Held {
    Bytes(Vec<u8>),
    Pinned(PinnedBuffer),
    Shared(Arc<PinnedBuffer>),
}

/// Which queue; each runs its commands in order.
#[derive(Clone, Copy)]
enum Lane {
    Compute,
    Upload,
    Download,
}

impl Flights {
    /// Lets go of what was copied. A lane is in order, so its first that waits ends the search.
    fn land(&mut self) {
        for lane in &mut self.lanes {
            while lane.front().is_some_and(|flight| is_over(&flight.event)) {
                self.bytes -= lane.pop_front().map_or(0, |flight| flight.bytes);
            }
        }
    }

    /// Waits until another `bytes` may be in flight.
    fn make_room(&mut self, bytes: usize) {
        self.land();
        while self.bytes + bytes > IN_FLIGHT {
            let Some(lane) = self.lanes.iter_mut().find(|lane| !lane.is_empty()) else {
                return;
            };
            if let Some(flight) = lane.pop_front() {
                // A copy that failed is over, too; who reads the memory gets the error.
                let _ = flight.event.wait();
                self.bytes -= flight.bytes;
            }
        }
    }
}

/// Whether a command is done or has failed; either way it uses nothing any more.
fn is_over(event: &DriverEvent) -> bool {
    event.command_execution_status().is_ok_and(|status| status.0 <= 0)
}

impl Transfers {
    fn flights(&self) -> MutexGuard<'_, Flights> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything of the device's queue is done; that of the others is waited for.
    pub(super) fn finish(&self) -> Result<(), cl_int> {
        for queue in [&self.upload, &self.download].into_iter().filter_map(|queue| queue.get()) {
            queue.queue.finish().map_err(|error| error.0)?;
        }
        self.flights().land();
        Ok(())
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
        let queue = super::new_queue(&self.context, &self.device, &self.profile, config::get()?.profile_events)?;
        let queue = Queue::shared(queue, self.context.clone(), &self.profile);
        // Another thread may have been faster; then this one is closed again.
        Ok(cell.get_or_init(|| queue))
    }

    /// What a command on another queue waits for, so that it comes after everything that this device was given until
    /// `enqueued`; `None` if that is done.
    fn after(&self, enqueued: u64) -> Result<Option<Arc<Live<DriverEvent>>>> {
        // A marker enqueued now would wait for what came since.
        if enqueued <= self.known_done() {
            return Ok(None);
        }
        let mut marker = self.transfers.marker.lock().unwrap_or_else(PoisonError::into_inner);
        if marker.as_ref().is_none_or(|(at, _)| *at < enqueued) {
            // Read before the marker is enqueued: every command counted by now comes before it.
            let at = self.counted();
            // SAFETY: a live queue, nothing else.
            let event = unsafe { enqueue_marker_with_wait_list(self.queue.queue.get(), 0, null()) };
            let event = event.map_err(|code| self.error("clEnqueueMarkerWithWaitList", code))?;
            *marker = Some((at, Arc::new(Live::new(DriverEvent::new(event)))));
            self.flush(Lane::Compute)?;
        }
        Ok(marker.as_ref().map(|(_, event)| event.clone()).filter(|event| !is_over(event)))
    }

    /// How many commands of the device's queue are known to be done.
    pub(super) fn known_done(&self) -> u64 {
        let marker = self.transfers.marker.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, _)) = marker.as_ref().filter(|(_, event)| is_over(event)) {
            self.note_done(*at);
        }
        self.done.load(Ordering::Acquire)
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
        let after: Vec<cl_event> = after.map(DriverEvent::get).into_iter().collect();
        let list = if after.is_empty() { null() } else { after.as_ptr() };
        let source = data.as_ptr().cast();
        // SAFETY: the buffer has room for `data` at `offset` (`BufferHandle` checks); `data` is not changed, moved or
        // freed before the copy is done: a blocking one is done on return, and callers put what others read in flight.
        let event = unsafe {
            enqueue_write_buffer(queue, target, blocking, offset, data.len(), source, after.len() as u32, list)
        };
        let event = event.map_err(|code| self.error("clEnqueueWriteBuffer", code))?;
        Ok(Arc::new(Live::new(DriverEvent::new(event))))
    }

    /// Copies `data` to `target` in pieces, each through memory that the device reads later; gives the last piece's
    /// event.
    fn staged(
        &self,
        lane: Lane,
        target: cl_mem,
        data: &[u8],
        after: Option<&DriverEvent>,
    ) -> Result<Option<Arc<Live<DriverEvent>>>> {
        let config = config::get()?;
        let mut last = None;
        for (number, piece) in data.chunks(PIECE).enumerate() {
            let mut flights = self.transfers.flights();
            if flights.bytes + piece.len() > IN_FLIGHT {
                // Waiting does not make every driver begin.
                self.flush(Lane::Compute)?;
            }
            flights.make_room(piece.len());
            let held = if config.pinned_h2d && piece.len() >= LARGE {
                let mut pinned = self.pinned.allocate(piece.len())?;
                pinned.copy_from_slice(piece);
                Held::Pinned(pinned)
            } else {
                Held::Bytes(piece.to_vec())
            };
            let source: &[u8] = match &held {
                Held::Bytes(bytes) => bytes,
                Held::Pinned(pinned) => pinned,
                Held::Shared(pinned) => pinned,
            };
            // A lane is in order: the first piece waits for all.
            let after = after.filter(|_| number == 0);
            let event = self.enqueue_write(lane, target, number * PIECE, source, CL_NON_BLOCKING, after)?;
            flights.bytes += piece.len();
            flights.lanes[lane as usize].push_back(Flight { event: event.clone(), bytes: piece.len(), _held: held });
            if matches!(lane, Lane::Upload) {
                self.flush(lane)?;
            }
            last = Some(event);
        }
        if !config.async_h2d
            && let Some(last) = &last
        {
            self.flush(lane)?;
            last.wait().map_err(|error| self.error("copying to the device", error.0))?;
        }
        Ok(last)
    }

    fn event(&self, event: Arc<Live<DriverEvent>>, operation: &'static str) -> Event {
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
        if data.len() < LARGE {
            return self.write_in_order(memory, data).map(|()| None);
        }
        let shared = &*self.shared;
        let target = own(memory)?.raw();
        let after = shared.after(idle_since)?;
        if after.is_none() && shared.profile.unified_memory {
            return shared.write_mapped(target, data).map(|event| Some(shared.event(event, "mapping a buffer")));
        }
        let after = after.as_ref().map(|event| &***event);
        let copied = shared.staged(Lane::Upload, target, data, after)?;
        Ok(copied.map(|event| shared.event(event, "copying to the device")))
    }

    /// As above, straight from page-locked memory.
    pub(super) fn upload_held(&self, memory: &Memory, data: PinnedBuffer, idle_since: u64) -> Result<Option<Event>> {
        if data.is_empty() {
            return Ok(None);
        }
        let shared = &*self.shared;
        let after = shared.after(idle_since)?;
        let after = after.as_ref().map(|event| &***event);
        let mut flights = shared.transfers.flights();
        flights.land();
        let target = own(memory)?.raw();
        let event = shared.enqueue_write(Lane::Upload, target, 0, &data, CL_NON_BLOCKING, after)?;
        // Not counted: the program allocated it itself.
        let flight = Flight { event: event.clone(), bytes: 0, _held: Held::Pinned(data) };
        flights.lanes[Lane::Upload as usize].push_back(flight);
        drop(flights);
        shared.flush(Lane::Upload)?;
        if !config::get()?.async_h2d {
            event.wait().map_err(|error| shared.error("copying to the device", error.0))?;
        }
        Ok(Some(shared.event(event, "copying to the device")))
    }

    /// Copies from the device, after everything that it was given.
    pub(super) fn download_aside(&self, memory: &Memory, mut into: PinnedBuffer) -> Result<(Event, Arc<PinnedBuffer>)> {
        if into.is_empty() {
            return Ok((Event::complete(), Arc::new(into)));
        }
        let shared = &*self.shared;
        let source = own(memory)?.raw();
        let lane = if into.len() < LARGE { Lane::Compute } else { Lane::Download };
        let after = match lane {
            Lane::Compute => None,
            _ => shared.after(shared.counted())?,
        };
        let after: Vec<cl_event> = after.iter().map(|event| event.get()).collect();
        let list = if after.is_empty() { null() } else { after.as_ptr() };
        let (target, bytes) = (into.as_mut_ptr(), into.len());
        let mut flights = shared.transfers.flights();
        flights.land();
        let queue = shared.lane(lane)?.queue.get();
        // SAFETY: the buffer has as many bytes (the caller checks). `into` is put in flight below, so it is not freed
        // before the copy is done, and its bytes are looked at only then (`Backend::download`).
        let event = unsafe {
            let count = after.len() as u32;
            enqueue_read_buffer(queue, source, CL_NON_BLOCKING, 0, bytes, target.cast(), count, list)
        };
        let event = event.map_err(|code| shared.error("clEnqueueReadBuffer", code))?;
        let event = Arc::new(Live::new(DriverEvent::new(event)));
        let into = Arc::new(into);
        let flight = Flight { event: event.clone(), bytes: 0, _held: Held::Shared(into.clone()) };
        flights.lanes[lane as usize].push_back(flight);
        drop(flights);
        shared.flush(lane)?;
        Ok((shared.event(event, "copying from the device"), into))
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
        let mut pointer: cl_mem = null_mut();
        let flags = CL_MAP_WRITE_INVALIDATE_REGION;
        // SAFETY: a blocking map of a live buffer, inside it (OpenCL 5.2.4); nobody else uses it.
        let mapped =
            unsafe { enqueue_map_buffer(queue, target, CL_BLOCKING, flags, 0, data.len(), &mut pointer, 0, null()) };
        self.done("clEnqueueMapBuffer", mapped)?;
        // SAFETY: the driver gave `data.len()` bytes there; they are not `data`, which is the caller's own.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), pointer.cast(), data.len()) };
        // SAFETY: mapped above from this buffer and not used afterwards.
        let unmapped = unsafe { enqueue_unmap_mem_object(queue, target, pointer, 0, null()) };
        let unmapped = unmapped.map_err(|code| self.error("clEnqueueUnmapMemObject", code))?;
        self.flush(Lane::Upload)?;
        Ok(Arc::new(Live::new(DriverEvent::new(unmapped))))
    }
}
