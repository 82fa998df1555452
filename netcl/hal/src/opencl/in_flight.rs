//! Host memory that commands use, kept until they are over; and how those ended.

use super::context::Queue;
use super::health::Health;
use super::pending::{Pending, in_callback};
use crate::memory::PinnedBuffer;
use crate::profile::Lane;
use opencl3::error_codes::CL_INVALID_EVENT;
use opencl3::types::cl_int;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// At most this much waits to be read by the device.
const IN_FLIGHT: usize = 64 << 20;

/// What copies need beside the device's queue.
#[derive(Default)]
pub(super) struct Transfers {
    pub(super) upload: OnceLock<Arc<Queue>>,
    pub(super) download: OnceLock<Arc<Queue>>,
    /// For maps of memory that no command uses. Nothing in it waits for another queue.
    pub(super) maps: OnceLock<Arc<Queue>>,
    flights: Mutex<Flights>,
}

/// Host memory that commands use.
#[derive(Default)]
struct Flights {
    lanes: [VecDeque<Flight>; 3],
    bytes: usize,
}

struct Flight {
    event: Arc<Pending>,
    bytes: usize,
    operation: &'static str,
    _held: Option<Held>,
}

/// Bytes that may be put in flight. Given back when dropped.
pub(super) struct Room<'a> {
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
pub(super) enum Held {
    Bytes(Vec<u8>),
    Pinned(PinnedBuffer),
    Shared(Arc<PinnedBuffer>),
}

impl Flights {
    /// What is to be waited for so that room is made: of a lane the first that has any. Copies beside the device's queue
    /// come first, as those in it wait for all that the device was given, maybe for the program itself.
    fn in_the_way(&self) -> Option<Arc<Pending>> {
        let first = |lane: Lane| self.lanes[lane as usize].iter().find(|flight| flight.bytes > 0);
        [Lane::Upload, Lane::Download, Lane::Compute].into_iter().find_map(first).map(|flight| flight.event.clone())
    }
}

impl Transfers {
    /// Whether `bytes` more may be in flight without waiting.
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        self.flights().bytes + bytes <= IN_FLIGHT
    }

    fn flights(&self) -> MutexGuard<'_, Flights> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody else looks at what is in flight while the result lives.
    #[cfg(test)]
    pub(super) fn hold(&self) -> impl Sized + '_ {
        self.flights()
    }

    /// The queues beside the device's own that were made so far.
    pub(super) fn queues(&self) -> impl Iterator<Item = &Queue> {
        [&self.upload, &self.download, &self.maps].into_iter().filter_map(|queue| queue.get()).map(|queue| &**queue)
    }

    /// Everything of the device's queue is done; that of the others is waited for.
    pub(super) fn finish(&self, health: &Health) -> Result<(), cl_int> {
        let finish = |queue: &Queue| queue.queue.finish().map_err(|error| error.0);
        // Each is waited for, also behind one that gives an error.
        let finished = self.queues().map(finish).fold(Ok(()), Result::and);
        self.reap(health);
        finished
    }

    /// Lets go of what was copied, and notes what failed. A lane is in order, so its first that waits ends the search.
    ///
    /// Neither the driver nor the flights' memory is touched under the lock: drivers have locks of their own, and may hold
    /// them where they call back.
    pub(super) fn reap(&self, health: &Health) {
        for lane in [Lane::Compute, Lane::Upload, Lane::Download] {
            while let Some(first) = self.first(lane)
                && let Some(status) = first.outcome()
            {
                // Another thread may have been faster.
                let Some(flight) = self.take(lane, &first) else { continue };
                if status < 0 {
                    health.note(flight.operation, flight.event.bytes(), status, flight.event.told());
                }
            }
        }
    }

    fn first(&self, lane: Lane) -> Option<Arc<Pending>> {
        self.flights().lanes[lane as usize].front().map(|flight| flight.event.clone())
    }

    /// Takes the lane's first out, if it is that one.
    fn take(&self, lane: Lane, first: &Arc<Pending>) -> Option<Flight> {
        let mut flights = self.flights();
        let lane = &mut flights.lanes[lane as usize];
        let is_there = lane.front().is_some_and(|flight| Arc::ptr_eq(&flight.event, first));
        let flight = if is_there { lane.pop_front() } else { None }?;
        flights.bytes -= flight.bytes;
        Some(flight)
    }

    /// Waits until another `bytes` may be in flight. Nobody else waits meanwhile who need not, and nobody in a driver's
    /// callback. Fails if waiting does, and the copy is not over for all that.
    pub(super) fn make_room(&self, bytes: usize, health: &Health) -> Result<Room<'_>, cl_int> {
        loop {
            self.reap(health);
            let in_the_way = {
                let mut flights = self.flights();
                let is_full = flights.bytes + bytes > IN_FLIGHT && !in_callback();
                let in_the_way = if is_full { flights.in_the_way() } else { None };
                if in_the_way.is_none() {
                    flights.bytes += bytes;
                }
                in_the_way
            };
            match in_the_way {
                Some(event) => {
                    let waited = event.driver().wait().map_err(|error| error.0);
                    // A copy that failed is over, too, and noted when it is reaped.
                    if event.outcome().is_none() {
                        // A driver that does not know what it has waited for would be asked for ever.
                        return Err(waited.err().unwrap_or(CL_INVALID_EVENT));
                    }
                }
                None => return Ok(Room { transfers: self, bytes }),
            }
        }
    }

    /// Keeps what a command uses until it is over, and notes how it ends; `room` is what was made for it.
    pub(super) fn track(
        &self,
        lane: Lane,
        event: &Arc<Pending>,
        held: Option<Held>,
        operation: &'static str,
        room: Option<Room<'_>>,
    ) {
        let bytes = room.as_ref().map_or(0, |room| room.bytes);
        // The room goes back when the command is reaped.
        std::mem::forget(room);
        let flight = Flight { event: event.clone(), bytes, operation, _held: held };
        self.flights().lanes[lane as usize].push_back(flight);
    }

    /// Forgets memory that commands may still use.
    pub(super) fn leak(&self) {
        std::mem::forget(std::mem::take(&mut *self.flights()));
    }
}
