//! A piece of device memory that gives itself back.

use crate::error::{Error, Result};
use crate::memory::pool::block::{MemoryBlock, next_id};
use crate::memory::pool::cache::Cache;
use crate::memory::readers::{Reader, ReaderList, Readers};
use crate::memory::writers::{LateWrites, UsedBytes, Writer};
use crate::memory::{ALIGNMENT, LARGE_COPY};
use netcl_hal::device::backend::Backend;
use netcl_hal::device::memory::{Memory, Region};
use netcl_hal::event::Event;
use netcl_hal::memory::PinnedBuffer;
use netcl_hal::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A piece of device memory: a buffer of a [`crate::BufferPool`], a part of one, or memory shared with the host
/// ([`crate::Device::create_zero_copy_buffer`]). Cheap to clone; clones are the same memory, which is given back when the
/// last one is dropped.
#[derive(Clone)]
#[doc(alias = "release")]
pub struct BufferHandle(Arc<BufferAllocation>);

struct BufferAllocation {
    region: Region,
    /// Only taken out while dropping.
    source: Option<Backing>,
    pool: Arc<Cache>,
    /// Commands on other queues than the device's own that use the memory. Before the device's queue uses it, it is to
    /// wait for them. Not used in parts: theirs is the whole's.
    elsewhere: Mutex<Vec<Event>>,
    /// Whether there are any.
    is_elsewhere: AtomicBool,
    /// Whether there ever were.
    was_elsewhere: AtomicBool,
    /// What is still to be computed from it. Not used in parts, either.
    readers: Readers,
    /// What is still to be written to it. Not used in parts, either.
    late: LateWrites,
    /// Whether it is written to again while tensors are views of it. Not used in parts, either.
    changes: AtomicBool,
}

enum Backing {
    /// Goes back to the pool.
    Pool(MemoryBlock),
    /// Goes back to the driver: a vector of the program's, or what was page-locked memory. That does not go back to its pool:
    /// it would have to be mapped again, which waits for the device, and so costs more than the driver's next allocation.
    Loose,
    /// The whole, which it keeps alive.
    Part(BufferHandle),
}

impl BufferHandle {
    fn new(region: Region, source: Backing, pool: Arc<Cache>) -> BufferHandle {
        let (elsewhere, is_elsewhere, was_elsewhere, changes) = Default::default();
        BufferHandle(Arc::new(BufferAllocation {
            region,
            source: Some(source),
            pool,
            elsewhere,
            is_elsewhere,
            was_elsewhere,
            readers: Readers::default(),
            late: LateWrites::default(),
            changes,
        }))
    }

    pub(super) fn pooled(block: MemoryBlock, pool: Arc<Cache>) -> BufferHandle {
        let region = Region::whole(block.memory.clone(), block.id, block.class.bytes);
        BufferHandle::new(region, Backing::Pool(block), pool)
    }

    /// Memory that no pool wants back; `pool` tells the device.
    pub(super) fn loose(memory: Arc<dyn Memory>, bytes: usize, pool: Arc<Cache>) -> BufferHandle {
        BufferHandle::new(Region::whole(memory, next_id(), bytes), Backing::Loose, pool)
    }

    /// The part of `bytes` from `offset` on, which must be aligned and inside. Of a part it is one of the whole.
    pub(crate) fn part(&self, offset: usize, bytes: usize) -> Result<BufferHandle> {
        debug_assert!(offset.is_multiple_of(ALIGNMENT) && offset + bytes <= self.bytes());
        if let Backing::Part(whole) = self.0.source() {
            return whole.part(self.region().range().1.start + offset, bytes);
        }
        let whole = self.region();
        let memory = self.backend().part(whole.memory(), offset, bytes.max(1))?;
        let region = Region::part(whole, memory, next_id(), offset, bytes);
        Ok(BufferHandle::new(region, Backing::Part(self.clone()), self.0.pool.clone()))
    }

    /// The memory, as backends are given it. Who gives it to one calls [`BufferHandle::settle`] first.
    #[inline]
    pub(crate) fn region(&self) -> &Region {
        &self.0.region
    }

    /// Equal ids mean the same memory: no id is given twice in a process.
    pub(crate) fn id(&self) -> u64 {
        self.region().id()
    }

    /// How many bytes it has; at least what was asked for.
    pub fn bytes(&self) -> usize {
        self.region().bytes()
    }

    /// How many handles of it are alive, those that its parts keep among them.
    pub(crate) fn handles(&self) -> usize {
        Arc::strong_count(&self.0)
    }

    /// Whether another handle of it is alive.
    pub(crate) fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// Whether it is a part of a larger buffer.
    pub(crate) fn is_part(&self) -> bool {
        matches!(self.0.source(), Backing::Part(..))
    }

    /// Whether no other handle can reach any of its memory.
    pub(crate) fn is_sole(&self) -> bool {
        !self.is_shared() && !self.is_part()
    }

    /// Notes that it is written to again while tensors are views of it: it is a model's, or gradients'.
    pub(crate) fn note_changes(&self) {
        self.whole().changes.store(true, Ordering::Relaxed);
    }

    /// Whether that was noted.
    pub(crate) fn changes(&self) -> bool {
        self.whole().changes.load(Ordering::Relaxed)
    }

    fn memory(&self) -> &dyn Memory {
        self.region().memory()
    }

    pub(crate) fn backend(&self) -> &Arc<dyn Backend> {
        self.0.pool.backend()
    }

    /// Copies `data` to its start. Returns as soon as `data` is not needed any more, which is mostly before the device
    /// has it; what is started on the device afterwards sees it.
    ///
    /// At most 64 MiB are on their way to a device. What is beyond that waits until the device has read what came before,
    /// however long it takes until then, and no interrupt ends that wait: where the device waits for an event that the
    /// caller is to complete ([`crate::Device::wait_for`]), for ever. Who must not wait long waits for the device itself
    /// first, with [`crate::Device::finish_timeout`] or [`crate::Device::finish_or`].
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if `data` is longer than the buffer; [`Error::OutOfMemory`] if the driver finds no memory for
    /// it now; [those of every device](crate::Error#errors-of-every-device).
    pub fn write(&self, data: &[u8]) -> Result<()> {
        self.check("BufferHandle::write", data.len())?;
        self.before_write();
        self.settle_overwritten(data.len())?;
        if data.is_empty() {
            return Ok(());
        }
        self.0.pool.with_memory(data.len(), || self.backend().write(self.memory(), data))
    }

    /// As [`BufferHandle::write`], for a handle that was just allocated and that nothing was started on: the copy need
    /// not wait for what the device is doing.
    pub(crate) fn write_first(&self, data: &[u8]) -> Result<()> {
        let Backing::Pool(block) = self.0.source() else {
            return self.write(data);
        };
        self.check("BufferHandle::write", data.len())?;
        process::check()?;
        let upload = || self.backend().upload(self.memory(), data, block.idle_since);
        if let Some(copied) = self.0.pool.with_memory(data.len(), upload)? {
            self.used_elsewhere(copied);
        }
        Ok(())
    }

    /// As [`BufferHandle::write_first`], straight from page-locked memory.
    pub(crate) fn write_first_pinned(&self, data: PinnedBuffer) -> Result<()> {
        let idle_since = match self.0.source() {
            Backing::Pool(block) => block.idle_since,
            _ => self.backend().enqueued(),
        };
        self.check("BufferHandle::write", data.len())?;
        if let Some(copied) = self.backend().upload_pinned(self.memory(), data, idle_since)? {
            self.used_elsewhere(copied);
        }
        Ok(())
    }

    /// Copies its start, after everything enqueued before is done.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if `into` is longer than the buffer; what has failed before, as [`crate::Device::finish`] tells
    /// it; [those of every device](crate::Error#errors-of-every-device).
    pub fn read(&self, into: &mut [u8]) -> Result<()> {
        self.check("BufferHandle::read", into.len())?;
        self.settle()?;
        if !into.is_empty() {
            self.backend().read(self.memory(), into)?;
        }
        Ok(())
    }

    /// Copies the first `bytes` to the start of `to`, another buffer of the same device, as a part of something that records
    /// itself ([`BufferHandle::copy_to`]).
    pub(crate) fn copy_unrecorded(&self, to: &BufferHandle, bytes: usize) -> Result<()> {
        debug_assert!(bytes <= self.bytes() && bytes <= to.bytes() && self.id() != to.id());
        to.before_write();
        self.settle()?;
        to.settle_overwritten(bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        to.0.pool.with_memory(bytes, || self.backend().copy(self.memory(), to.memory(), bytes))
    }

    /// Copies the first `bytes` to the start of `to`, a buffer of another device, if that is possible without the host;
    /// returns whether it is.
    pub(crate) fn copy_across(&self, to: &BufferHandle, bytes: usize) -> Result<bool> {
        debug_assert!(bytes <= self.bytes() && bytes <= to.bytes() && self.id() != to.id());
        let Some(from) = self.as_it_is(bytes)? else { return Ok(false) };
        to.before_write();
        to.settle_overwritten(bytes)?;
        let copy = || to.backend().copy_from(&**self.backend(), from.memory(), to.memory(), bytes);
        to.0.pool.with_memory(bytes, copy)
    }

    /// Copies its start, as long as `into`, without waiting. The bytes may be looked at when the event is complete, until
    /// when the handle is to be held.
    pub(crate) fn read_later(&self, into: PinnedBuffer) -> Result<(Event, Arc<PinnedBuffer>, BufferHandle)> {
        self.check("BufferHandle::read_later", into.len())?;
        let from = if into.len() < LARGE_COPY { None } else { self.as_it_is(into.len())? };
        let Some(from) = from else {
            // In turn with everything else that the device does.
            self.settle()?;
            let (event, bytes) = self.backend().download(self.memory(), into, false)?;
            return Ok((event, bytes, self.clone()));
        };
        let (event, bytes) = self.backend().download(from.memory(), into, true)?;
        if !event.is_complete() {
            from.used_elsewhere(event.clone());
        }
        Ok((event, bytes, from))
    }

    /// Memory whose first `bytes` are what is in this one now and stay so while another queue reads them, though other
    /// threads go on: this one, where no other handle is alive to write through, else a copy. A command of the device's own
    /// queue makes the copy, so that what any thread enqueues comes as a whole before it or after it. `None` where there is
    /// no room for it.
    fn as_it_is(&self, bytes: usize) -> Result<Option<BufferHandle>> {
        self.settle()?;
        let has_queue = self.backend().enqueued() > 0;
        if self.is_sole() || !has_queue {
            return Ok(Some(self.clone()));
        }
        let copy = match self.0.pool.allocate(bytes) {
            Err(Error::OutOfMemory { .. }) => return Ok(None),
            block => BufferHandle::pooled(block?, self.0.pool.clone()),
        };
        self.copy_unrecorded(&copy, bytes)?;
        Ok(Some(copy))
    }

    /// Sets all of it to zero, as a part of something that records itself ([`BufferHandle::zero`]).
    pub(crate) fn zero_unrecorded(&self) -> Result<()> {
        self.before_write();
        self.settle_overwritten(self.bytes())?;
        self.0.pool.with_memory(self.bytes(), || self.backend().zero(self.memory(), self.bytes()))
    }

    /// Notes that a command on another queue uses it.
    pub(crate) fn used_elsewhere(&self, event: Event) {
        let whole = self.whole();
        let mut elsewhere = whole.elsewhere.lock().unwrap_or_else(PoisonError::into_inner);
        elsewhere.push(event);
        whole.was_elsewhere.store(true, Ordering::Relaxed);
        whole.is_elsewhere.store(true, Ordering::Release);
    }

    /// Commands on other queues that use it and were not waited for.
    pub(crate) fn elsewhere(&self) -> Vec<Event> {
        self.whole().elsewhere.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Has it written what is still to be, and makes the device's queue wait for what other queues do with it. To be called before
    /// each use; without either it costs two loads.
    #[inline]
    pub(crate) fn settle(&self) -> Result<()> {
        self.settle_for(|| UsedBytes::Read(self.region().range().1))
    }

    /// As [`BufferHandle::settle`], where as many bytes from its start on are written next.
    fn settle_overwritten(&self, bytes: usize) -> Result<()> {
        self.settle_for(|| {
            let start = self.region().range().1.start;
            UsedBytes::Overwritten(start..start + bytes)
        })
    }

    #[inline]
    fn settle_for(&self, used: impl FnOnce() -> UsedBytes) -> Result<()> {
        process::check()?;
        let whole = self.whole();
        whole.late.settle(used)?;
        if whole.is_elsewhere.load(Ordering::Acquire) { whole.join() } else { Ok(()) }
    }

    /// Notes who writes late to it.
    pub(crate) fn written_late_by(&self, writer: Weak<dyn Writer>) {
        self.whole().late.by(writer);
    }

    /// Notes whether something is still to be written to it.
    pub(crate) fn note_late_write(&self, is_any: bool) {
        self.whole().late.note(is_any);
    }

    /// Notes what is to be computed from what is in it now.
    pub(crate) fn add_reader(&self, reader: Weak<dyn Reader>) {
        self.whole().readers.add(reader);
    }

    /// Notes those that were noted of a value that is in it now.
    pub(crate) fn add_readers(&self, readers: ReaderList) {
        if !readers.is_empty() {
            self.whole().readers.extend(readers);
        }
    }

    /// Has everything computed that reads it. To be called before each write.
    #[inline]
    pub(crate) fn before_write(&self) {
        self.whole().readers.settle();
    }

    /// Notes that it is written to by what does not say so, as a program that has the driver's own object.
    pub(crate) fn show(&self) {
        self.whole().readers.show();
    }

    /// Whether that was noted: then what reads it must not wait.
    pub(crate) fn is_shown(&self) -> bool {
        self.whole().readers.is_shown()
    }

    fn whole(&self) -> &BufferAllocation {
        match self.0.source() {
            Backing::Part(whole) => &whole.0,
            _ => &self.0,
        }
    }

    pub(crate) fn check(&self, operation: &'static str, bytes: usize) -> Result<()> {
        if bytes <= self.bytes() {
            return Ok(());
        }
        let message = format!("the buffer has {} bytes, {bytes} were given; allocate a larger one", self.bytes());
        Err(Error::Shape { operation, message })
    }
}

impl BufferAllocation {
    fn source(&self) -> &Backing {
        self.source.as_ref().expect("taken out by drop alone")
    }

    #[cold]
    fn join(&self) -> Result<()> {
        // Under the lock until the wait is enqueued, so that no other thread goes on without it.
        let mut elsewhere = self.elsewhere.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(event) = elsewhere.last() {
            self.pool.backend().wait_for(event)?;
            elsewhere.pop();
        }
        self.is_elsewhere.store(false, Ordering::Release);
        Ok(())
    }
}

impl Drop for BufferAllocation {
    fn drop(&mut self) {
        if process::is_forked() {
            // The driver is the parent's.
            std::mem::forget((self.source.take(), self.region.clone()));
            return;
        }
        let joined = if self.is_elsewhere.load(Ordering::Acquire) { self.join() } else { Ok(()) };
        if let Err(error) = &joined {
            tracing::warn!(%error, "the device cannot be told to wait for a copy: the memory that it uses is not used again");
        }
        if let Some(Backing::Pool(block)) = self.source.take() {
            match joined {
                Ok(()) => self.pool.put(block, self.was_elsewhere.load(Ordering::Relaxed)),
                Err(_) => self.pool.abandon(block),
            }
        }
    }
}

impl std::fmt::Debug for BufferHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BufferHandle({}, {} bytes)", self.id(), self.bytes())
    }
}
