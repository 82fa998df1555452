//! Host memory that the driver allocates, and buffers that it shows to the host.

use super::context::Queue;
use super::driver::{Buffer, CommandQueue, Event};
use super::health::Health;
use super::memory::ClMemory;
use crate::device::memory::{HostMemory, Memory};
use crate::error::Result;
use crate::process::{self, Live};
use opencl3::command_queue::{enqueue_map_buffer, enqueue_unmap_mem_object};
use opencl3::memory::{CL_MAP_READ, CL_MAP_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_WRITE};
use opencl3::types::{CL_BLOCKING, cl_int, cl_mem};
use std::ffi::c_void;
use std::ptr::{NonNull, null, null_mut};
use std::sync::Arc;

/// Where a buffer was mapped from its start on: an address for elements of any type, which is not what every driver gives.
pub(super) fn mapped(pointer: *mut c_void) -> Result<NonNull<u8>, cl_int> {
    let there = NonNull::new(pointer.cast::<u8>());
    there
        .filter(|there| there.addr().get().is_multiple_of(size_of::<u64>()))
        .ok_or(opencl3::error_codes::CL_MAP_FAILURE)
}

/// A buffer's bytes where the host sees them, until this is dropped.
pub(super) struct Mapping {
    pointer: NonNull<u8>,
    bytes: usize,
}

// SAFETY: plain bytes without thread affinity; `&self` only reads them.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Waits for what the queue was given before.
    ///
    /// # Safety
    ///
    /// The buffer is of the queue's context and has `bytes` bytes; until [`Mapping::end`], nothing else uses it.
    pub(super) unsafe fn new(queue: &CommandQueue, buffer: cl_mem, bytes: usize) -> Result<Mapping, cl_int> {
        let mut pointer: cl_mem = null_mut();
        let flags = CL_MAP_READ | CL_MAP_WRITE;
        // SAFETY: a blocking map of a live buffer, inside it (OpenCL 5.2.4).
        let event =
            unsafe { enqueue_map_buffer(queue.get(), buffer, CL_BLOCKING, flags, 0, bytes, &mut pointer, 0, null()) }?;
        drop(Event::new(event));
        let pointer = mapped(pointer)?;
        Ok(Mapping { pointer, bytes })
    }

    /// Gives the bytes back to the device; what the queue is given afterwards sees them.
    pub(super) fn end(&self, queue: &CommandQueue, buffer: cl_mem) -> Result<Event, cl_int> {
        // SAFETY: mapped by `new` from this buffer; nobody uses the bytes afterwards.
        let event = unsafe { enqueue_unmap_mem_object(queue.get(), buffer, self.pointer.as_ptr().cast(), 0, null()) }?;
        Ok(Event::new(event))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: mapped for reading, initialised by whoever made the buffer, and exclusively ours while mapped.
        unsafe { std::slice::from_raw_parts(self.pointer.as_ptr(), self.bytes) }
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: mapped for writing, and exclusively ours while mapped.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.as_ptr(), self.bytes) }
    }
}

#[cfg(test)]
thread_local! {
    /// The next unmapping of page-locked memory by this thread is taken by the driver and then fails with this code.
    pub(super) static UNFINISHED: std::cell::Cell<Option<cl_int>> = const { std::cell::Cell::new(None) };
}

/// Page-locked memory: a buffer in host memory that stays mapped.
pub(super) struct ClPinned {
    mapping: Mapping,
    /// Only taken out when it becomes something else.
    buffer: Option<Live<Buffer>>,
    queue: Arc<Queue>,
    health: Arc<Health>,
    /// Whether the device works in the host's memory.
    unified: bool,
}

impl ClPinned {
    pub(super) fn allocate(
        queue: &Arc<Queue>,
        health: &Arc<Health>,
        unified: bool,
        bytes: usize,
    ) -> Result<ClPinned, cl_int> {
        // SAFETY: no host pointer is passed (OpenCL 5.2.1).
        let buffer = unsafe {
            let flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
            Buffer::create(queue.context.get(), flags, bytes, null_mut())
        };
        let buffer = Live::new(buffer.map_err(|error| error.0)?);
        // SAFETY: made above, of that size, and nobody else has it.
        let mapping = unsafe { Mapping::new(&queue.queue, buffer.get(), bytes) }?;
        // SAFETY: mapped for writing. What is lent as `&[u8]` must have a value.
        unsafe { mapping.pointer.as_ptr().write_bytes(0, bytes) };
        Ok(ClPinned { mapping, buffer: Some(buffer), queue: queue.clone(), health: health.clone(), unified })
    }
}

impl HostMemory for ClPinned {
    fn bytes(&self) -> &[u8] {
        self.mapping.bytes()
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        self.mapping.bytes_mut()
    }

    fn into_memory(mut self: Box<Self>) -> Result<Result<Arc<dyn Memory>, Box<dyn HostMemory>>> {
        if !self.unified {
            return Ok(Err(self));
        }
        let Some(buffer) = self.buffer.take() else {
            return Ok(Err(self));
        };
        let unmapped = match self.mapping.end(&self.queue.queue, buffer.get()) {
            Ok(unmapped) => unmapped,
            Err(code) => {
                // It is mapped as it was, and can be copied from.
                tracing::warn!(code, "clEnqueueUnmapMemObject");
                self.buffer = Some(buffer);
                return Ok(Err(self));
            }
        };
        // Every queue sees the bytes once the unmapping is done. The host does not any more, however that ends.
        let done = unmapped.wait().map_err(|error| error.0);
        #[cfg(test)]
        let done = UNFINISHED.take().map_or(done, Err);
        done.map_err(|code| self.health.error("unmapping page-locked memory", code))?;
        Ok(Ok(Arc::new(ClMemory::of(buffer, self.queue.context.clone()))))
    }
}

impl Drop for ClPinned {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take().filter(|_| !process::is_forked())
            && self.mapping.end(&self.queue.queue, buffer.get()).is_err()
        {
            tracing::warn!("page-locked memory cannot be unmapped");
        }
    }
}
