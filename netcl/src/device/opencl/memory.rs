//! OpenCL buffers.

use super::context::ClContext;
use super::health::Health;
use crate::device::backend::{AllocateError, HostMemory};
use crate::device::process::Live;
use opencl3::error_codes::{
    CL_INVALID_BUFFER_SIZE, CL_MAP_FAILURE, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY,
    CL_OUT_OF_RESOURCES,
};
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR, ClMem, set_mem_object_destructor_callback};
use opencl3::types::{cl_int, cl_mem};
use std::ffi::c_void;
use std::fmt;
use std::sync::Arc;

/// Why a driver gave no memory. Of a device that is gone, drivers say all kinds of things.
pub(super) fn refused(health: &Health, operation: &str, code: cl_int) -> AllocateError {
    match code {
        _ if let Some(lost) = health.lost(operation, code) => AllocateError::Other(lost),
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
    buffer: Arc<Live<Buffer<u8>>>,
    /// Where in the whole buffer it starts, and the whole; OpenCL has no sub-buffers of sub-buffers.
    whole: Option<(usize, Arc<Live<Buffer<u8>>>)>,
    context: Arc<ClContext>,
}

impl fmt::Debug for ClMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.buffer.fmt(f)
    }
}

impl ClMemory {
    pub(super) fn new(buffer: Buffer<u8>, context: Arc<ClContext>) -> ClMemory {
        ClMemory::of(Live::new(buffer), context)
    }

    pub(super) fn of(buffer: Live<Buffer<u8>>, context: Arc<ClContext>) -> ClMemory {
        ClMemory { buffer: Arc::new(buffer), whole: None, context }
    }

    pub(super) fn raw(&self) -> cl_mem {
        self.buffer.get()
    }

    /// The part of `bytes` from `offset` on.
    ///
    /// # Safety
    ///
    /// It is inside, and `offset` is a multiple of what the device asks for.
    pub(super) unsafe fn part(&self, offset: usize, bytes: usize) -> opencl3::Result<ClMemory> {
        let (start, whole) = match &self.whole {
            Some((start, whole)) => (start + offset, whole),
            None => (offset, &self.buffer),
        };
        let cut = self.context.cutting.cut();
        // SAFETY: inside and aligned, as the caller promises, of a buffer that is no sub-buffer (OpenCL 5.2.3).
        let buffer = unsafe { whole.create_sub_buffer(CL_MEM_READ_WRITE, start, bytes) }?;
        drop(cut);
        Ok(ClMemory {
            buffer: Arc::new(Live::new(buffer)),
            whole: Some((start, whole.clone())),
            context: self.context.clone(),
        })
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
            Buffer::<u8>::create(context.get(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, start.cast())
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
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(owner)));
}
