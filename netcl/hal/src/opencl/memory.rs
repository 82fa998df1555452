//! OpenCL buffers.

use super::context::ClContext;
use super::driver::Buffer;
use super::health::Health;
use super::pending::in_callback;
use super::sub_buffers::SubBuffer;
use crate::device::memory::{AllocateError, HostMemory, Memory};
use crate::panics::caught;
use crate::process::Live;
use opencl3::error_codes::{
    CL_INVALID_BUFFER_SIZE, CL_MAP_FAILURE, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY,
    CL_OUT_OF_RESOURCES,
};
use opencl3::memory::{CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR, set_mem_object_destructor_callback};
use opencl3::types::{cl_int, cl_mem};
use std::ffi::c_void;
use std::fmt;
use std::sync::Arc;

/// Why a driver gave no memory. Of a device that is gone, drivers say all kinds of things.
pub(super) fn refused(health: &Health, operation: &str, code: cl_int) -> AllocateError {
    if let Some(lost) = health.lost(operation, code) {
        return AllocateError::Other(lost);
    }
    match code {
        CL_MEM_OBJECT_ALLOCATION_FAILURE | CL_OUT_OF_RESOURCES | CL_OUT_OF_HOST_MEMORY | CL_MAP_FAILURE => {
            AllocateError::OutOfMemory
        }
        CL_INVALID_BUFFER_SIZE => AllocateError::TooLarge,
        _ => AllocateError::Other(health.error(operation, code)),
    }
}

/// A buffer or sub-buffer. Dropped in this order: the context, and the devices that it may be the last to hold, outlive
/// the buffer.
pub(crate) struct ClMemory {
    /// Of a part. OpenCL has no sub-buffers of sub-buffers.
    part: Option<SubBuffer>,
    whole: Arc<Live<Buffer>>,
    context: Arc<ClContext>,
}

impl Memory for ClMemory {}

impl Drop for ClMemory {
    fn drop(&mut self) {
        if let Some(part) = self.part.take() {
            self.context.sub_buffers.release(part, in_callback());
        }
    }
}

impl fmt::Debug for ClMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.part {
            Some(part) => part.buffer.fmt(f),
            None => self.whole.fmt(f),
        }
    }
}

impl ClMemory {
    pub(super) fn new(buffer: Buffer, context: Arc<ClContext>) -> ClMemory {
        ClMemory::of(Live::new(buffer), context)
    }

    pub(super) fn of(buffer: Live<Buffer>, context: Arc<ClContext>) -> ClMemory {
        ClMemory { part: None, whole: Arc::new(buffer), context }
    }

    pub(super) fn raw(&self) -> cl_mem {
        self.part.as_ref().map_or_else(|| self.whole.get(), |part| part.buffer.get())
    }

    /// The part of `bytes` from `offset` on.
    ///
    /// # Safety
    ///
    /// It is inside, and `offset` is a multiple of what the device asks for.
    pub(super) unsafe fn part(&self, offset: usize, bytes: usize) -> opencl3::Result<ClMemory> {
        let start = self.part.as_ref().map_or(0, |part| part.start) + offset;
        let (whole, context) = (self.whole.clone(), self.context.clone());
        if let Some(part) = context.sub_buffers.again(&whole, start, bytes) {
            return Ok(ClMemory { part: Some(part), whole, context });
        }
        let cut = context.sub_buffers.cut();
        // SAFETY: inside and aligned, as the caller promises, of a buffer that is no sub-buffer (OpenCL 5.2.3).
        let buffer = unsafe { whole.create_sub_buffer(CL_MEM_READ_WRITE, start, bytes) }?;
        let serial = context.sub_buffers.next_serial();
        drop(cut);
        let part = SubBuffer { buffer: Live::new(buffer), whole: whole.clone(), start, bytes, serial };
        Ok(ClMemory { part: Some(part), whole, context })
    }

    /// A buffer whose memory is the owner's; the owner is dropped when the driver is done with it.
    pub(super) fn lent(
        mut owner: Box<dyn HostMemory>,
        alignment: usize,
        context: &Arc<ClContext>,
    ) -> Result<ClMemory, Box<dyn HostMemory>> {
        let (start, bytes) = (owner.bytes_mut().as_mut_ptr(), owner.bytes().len());
        if bytes == 0 || !start.addr().is_multiple_of(alignment) {
            return Err(owner);
        }
        // SAFETY: `bytes` are valid from `start`, exclusively the owner's, which lives until the driver says that the
        // buffer is gone (`give_back`).
        let buffer = match unsafe {
            Buffer::create(context.get(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, start.cast())
        } {
            Ok(buffer) => buffer,
            Err(error) => {
                tracing::debug!(%error, bytes, "the driver does not take memory of the host's");
                return Err(owner);
            }
        };
        let data = Box::into_raw(Box::new(owner));
        // SAFETY: a live buffer; the function takes the box over, once (OpenCL 5.5.1).
        match unsafe { set_mem_object_destructor_callback(buffer.get(), give_back, data.cast()) } {
            Ok(()) => Ok(ClMemory::new(buffer, context.clone())),
            Err(_) => {
                // Nothing uses the buffer yet, so it goes at once.
                drop(buffer);
                // SAFETY: made above, and the driver did not take it.
                Err(*unsafe { Box::from_raw(data) })
            }
        }
    }
}

extern "C" fn give_back(_: cl_mem, data: *mut c_void) {
    // SAFETY: the box that `lent` gave for this buffer; the driver calls this once, when it is done with the memory
    // (OpenCL 5.5.1).
    let owner = unsafe { Box::from_raw(data.cast::<Box<dyn HostMemory>>()) };
    // Nothing may unwind into the driver.
    let _ = caught(|| drop(owner));
}
