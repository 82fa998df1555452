//! Host memory that commands use, kept until they are over; and how those ended.

use super::event::Pending;
use super::health::Health;
use super::pinned::Queue;
use crate::memory::PinnedBuffer;
use crate::profile::Lane;
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
    /// Lets go of what was copied. A lane is in order, so its first that waits ends the search.
    fn land(&mut self, health: &Health) {
        for lane in &mut self.lanes {
            while let Some(status) = lane.front().and_then(|flight| flight.event.outcome()) {
                let Some(flight) = lane.pop_front() else { break };
                self.bytes -= flight.bytes;
                if status < 0 {
                    health.note(flight.operation, status, flight.event.told());
                }
            }
        }
    }

    /// What has been in flight longest, of the first lane that has something.
    fn oldest(&self) -> Option<Arc<Pending>> {
        self.lanes.iter().find_map(|lane| lane.front()).map(|flight| flight.event.clone())
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

    /// The queues beside the device's own that were made so far.
    pub(super) fn queues(&self) -> impl Iterator<Item = &Queue> {
        [&self.upload, &self.download].into_iter().filter_map(|queue| queue.get()).map(|queue| &**queue)
    }

    /// Everything of the device's queue is done; that of the others is waited for.
    pub(super) fn finish(&self, health: &Health) -> Result<(), cl_int> {
        for queue in self.queues() {
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
    pub(super) fn make_room(&self, bytes: usize, health: &Health) -> Result<Room<'_>, cl_int> {
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
                    if let Err(error) = event.driver().wait()
                        // A copy that failed is over, too, and noted when it lands.
                        && event.outcome().is_none()
                    {
                        return Err(error.0);
                    }
                }
                None => return Ok(Room { transfers: self, bytes }),
            }
        }
    }

    /// Keeps what a command uses until it is over, and notes how it ends; `room` is what was made for it.
    pub(super) fn take_off(
        &self,
        lane: Lane,
        event: &Arc<Pending>,
        held: Option<Held>,
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
