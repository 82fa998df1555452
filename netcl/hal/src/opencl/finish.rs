//! How far a device's queue is, what it waits for, and waiting for it.

use super::context::Queue;
use super::driver::Event as DriverEvent;
use super::event::{ClEvent, standing_in};
use super::exit;
use super::health::Told;
use super::pending::Pending;
use super::queue_progress::{COMPUTING, Turn};
use super::shared::DeviceResources;
use crate::device::queue::QueueOrder;
use crate::device::quirks::Avoid;
use crate::error::Result;
use crate::event::{Event, EventStatus};
use crate::profile::{self, Lane};
use opencl3::command_queue::{enqueue_barrier_with_wait_list, enqueue_marker_with_wait_list};
use opencl3::types::cl_int;
use std::collections::VecDeque;
use std::ptr::null;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

impl DeviceResources {
    /// Counts commands of the device's queue, after they were enqueued.
    pub(super) fn count(&self) {
        self.progress.enqueued.fetch_add(1, Ordering::Release);
    }

    pub(super) fn counted(&self) -> u64 {
        self.progress.enqueued.load(Ordering::Acquire)
    }

    /// What the queue is given next, while the turn is held, comes after all that it was given before. To be called before
    /// each command but a function's launches, which know what they wait for ([`super::launch`]): an in-order queue does
    /// it by itself.
    #[inline]
    pub(super) fn in_turn(&self) -> Result<Turn<'_>, cl_int> {
        if self.order == QueueOrder::InOrder { Ok(Turn(None)) } else { self.after_all() }
    }

    #[cold]
    fn after_all(&self) -> Result<Turn<'_>, cl_int> {
        // Another thread's command between the barrier and ours would run beside ours.
        let turn = self.take_turn();
        self.barrier()?;
        Ok(turn)
    }

    /// The turn of a command that waits for less than all before it.
    #[inline]
    pub(super) fn turn(&self) -> Turn<'_> {
        if self.order == QueueOrder::InOrder { Turn(None) } else { self.take_turn() }
    }

    /// Keeps other threads from enqueueing commands that wait for all before them.
    #[cold]
    pub(super) fn take_turn(&self) -> Turn<'_> {
        Turn(Some(self.progress.turn.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// In a queue that is out of order: what comes next waits for all before. Only while a turn is held.
    #[cold]
    pub(super) fn barrier(&self) -> Result<(), cl_int> {
        // SAFETY: a live queue, nothing else.
        let event = unsafe { enqueue_barrier_with_wait_list(self.queue.queue.get(), 0, null()) }?;
        drop(DriverEvent::new(event));
        Ok(())
    }

    /// Notes that the first so many commands of the queue are done.
    pub(super) fn done_until(&self, enqueued: u64) {
        self.progress.finished.fetch_max(enqueued, Ordering::AcqRel);
    }

    /// Waits for everything that its queues were given.
    ///
    /// A driver may give the error of a command that failed (NVIDIA's does), and then goes on: what failed is noted all the
    /// same, so that [`DeviceResources::reported`] can say what it was.
    pub(super) fn finish(&self) -> Result<(), cl_int> {
        self.health.still_there()?;
        let before = self.counted();
        let waited = match self.profile.avoids(Avoid::BlockingCalls) {
            true => self
                .last_markers()
                .and_then(|last| last.iter().try_for_each(|marker| marker.driver().wait().map_err(|error| error.0))),
            false => Ok(()),
        };
        let computed = waited.and(self.queue.queue.finish().map_err(|error| error.0));
        if computed.is_ok() {
            self.done_until(before);
        }
        computed.and(self.transfers.finish(&self.health))
    }

    /// As [`DeviceResources::finish`], but not beyond that time; says whether everything is done. Neither the program nor a driver
    /// is called back meanwhile.
    pub(super) fn finish_until(&self, end: Instant) -> Result<bool, cl_int> {
        let before = self.counted();
        let mut markers = self.last_markers()?;
        loop {
            markers.retain(|marker| !marker.is_over());
            if markers.is_empty() {
                self.done_until(before);
                return Ok(true);
            }
            if Instant::now() >= end {
                // Releasing them could wait for the commands.
                std::mem::forget(markers);
                return Ok(false);
            }
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    /// Waits for all its queues for at most `limit`; says whether everything that they were given is done.
    pub(super) fn finish_within(&self, limit: Duration) -> Result<bool> {
        // A limit beyond what the clock can hold is none.
        let end = Instant::now().checked_add(limit);
        self.finish_by(|event| {
            let left = end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()));
            event.wait_timeout(left)
        })
    }

    /// Waits for all its queues by waiting for their events, until one of these waits ends too early; says whether
    /// everything that they were given is done.
    pub(super) fn finish_by(&self, wait: impl Fn(&Event) -> Result<bool>) -> Result<bool> {
        self.health.still_there().map_err(|code| self.error("clFinish", code))?;
        let before = self.counted();
        let markers = self.last_markers().map_err(|code| self.error("clEnqueueMarkerWithWaitList", code))?;
        for marker in markers {
            if !wait(&self.event(marker, COMPUTING))? {
                return Ok(false);
            }
        }
        self.done_until(before);
        profile::catch_up();
        self.reported()?;
        Ok(true)
    }

    /// Markers after everything that its queues were given, each flushed.
    fn last_markers(&self) -> Result<Vec<Arc<Pending>>, cl_int> {
        std::iter::once(&*self.queue).chain(self.transfers.queues()).map(|queue| self.marker_of(queue)).collect()
    }

    pub(super) fn marker_of(&self, queue: &Queue) -> Result<Arc<Pending>, cl_int> {
        // SAFETY: a live queue, nothing else.
        let marker = Pending::new(unsafe { enqueue_marker_with_wait_list(queue.queue.get(), 0, null()) }?);
        queue.queue.flush().map_err(|error| error.0)?;
        Ok(marker)
    }

    /// What failed since somebody asked last.
    pub(super) fn reported(&self) -> Result<()> {
        exit::waited();
        self.transfers.reap(&self.health);
        self.health.take()
    }

    /// What a command on another queue waits for, so that it comes after everything that this device was given until
    /// `enqueued`; `None` if that is done.
    pub(super) fn after(&self, enqueued: u64) -> Result<Option<Arc<Pending>>> {
        if self.is_done(enqueued) {
            return Ok(None);
        }
        let first = |markers: &VecDeque<(u64, Arc<Pending>)>| {
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
        if enqueued <= self.progress.finished.load(Ordering::Acquire) {
            return true;
        }
        self.pass();
        enqueued <= self.progress.finished.load(Ordering::Acquire)
    }

    /// Lets go of markers that the queue has passed, and notes how far it is. The driver is asked without the lock: it has
    /// locks of its own, and may hold them where it calls back.
    fn pass(&self) {
        while let Some((at, event)) = self.first_marker()
            && let Some(status) = event.outcome()
        {
            let is_first = |markers: &VecDeque<(u64, Arc<Pending>)>| {
                markers.front().is_some_and(|(_, first)| Arc::ptr_eq(first, &event))
            };
            let mut markers = self.markers();
            // Another thread may have been faster.
            let taken = if is_first(&markers) { markers.pop_front() } else { None };
            drop(markers);
            if taken.is_some() {
                if status < 0 {
                    self.health.note(COMPUTING, event.bytes(), status, event.told());
                }
                self.done_until(at);
            }
        }
    }

    fn first_marker(&self) -> Option<(u64, Arc<Pending>)> {
        self.markers().front().cloned()
    }

    /// Puts a marker after what the queue was given so far, unless one is there.
    pub(super) fn mark(&self) -> Result<()> {
        // Nobody may ask for those before: what was waited for otherwise is known to be done without them.
        self.pass();
        // Read before the marker is enqueued: every command counted by now comes before it.
        let at = self.counted();
        let is_marked = self.markers().back().is_some_and(|(last, _)| *last >= at);
        if !is_marked {
            // SAFETY: a live queue, nothing else.
            let event = unsafe { enqueue_marker_with_wait_list(self.queue.queue.get(), 0, null()) };
            let event = event.map_err(|code| self.error("clEnqueueMarkerWithWaitList", code))?;
            let mut markers = self.markers();
            // Another thread's may have come between.
            let place = markers.partition_point(|(before, _)| *before <= at);
            markers.insert(place, (at, Pending::new(event)));
        }
        // Another queue's command that waits for it does not make every driver begin.
        self.flush(Lane::Compute)
    }

    fn markers(&self) -> MutexGuard<'_, VecDeque<(u64, Arc<Pending>)>> {
        self.progress.markers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn record_marker(&self) -> Result<Event> {
        let marker = self.marker_of(&self.queue);
        let marker = marker.map_err(|code| self.error("clEnqueueMarkerWithWaitList", code))?;
        Ok(self.event(marker, COMPUTING))
    }

    /// What the device's queue is given from now on comes after the event.
    pub(super) fn hold_for(&self, event: &Event) -> Result<()> {
        let stand_in;
        let (awaited, told) = match ClEvent::of(event, &self.context) {
            Some(own) => (own.get(), own.told().clone()),
            None if event.status() == EventStatus::Complete => return Ok(()),
            None => {
                let made = standing_in(event, self);
                stand_in = made.map_err(|code| self.error("clCreateUserEvent", code))?;
                (stand_in.get(), Told::default())
            }
        };
        // Some drivers (PoCL 3.1) have a command wait for the latest barrier alone: this one, if it came between another
        // thread's barrier and what is to come after that, would let it begin too early.
        let _turn = self.turn();
        // SAFETY: queue and event are alive and of one context; whatever the event waits for is flushed or a user
        // event (OpenCL 5.12).
        let barrier = unsafe { enqueue_barrier_with_wait_list(self.queue.queue.get(), 1, &awaited) };
        let barrier = barrier.map_err(|code| self.error("clEnqueueBarrierWithWaitList", code))?;
        self.count();
        // It fails with what it waits for, and what comes after it did not get what it needs.
        let barrier = Pending::with(barrier, told);
        self.transfers.reap(&self.health);
        self.transfers.track(Lane::Compute, &barrier, None, "waiting for an event", None);
        Ok(())
    }
}
