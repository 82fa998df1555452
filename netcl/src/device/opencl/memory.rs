//! OpenCL buffers.

use super::context::ClContext;
use opencl3::memory::{Buffer, ClMem};
use opencl3::types::cl_mem;
use std::fmt;
use std::sync::Arc;

/// A buffer or sub-buffer. Dropped in this order: the context, and the devices that it may be the last to hold, outlive
/// the buffer.
pub(crate) struct ClMemory {
    buffer: Buffer<u8>,
    _context: Arc<ClContext>,
}

impl fmt::Debug for ClMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.buffer.fmt(f)
    }
}

impl ClMemory {
    pub(super) fn new(buffer: Buffer<u8>, context: Arc<ClContext>) -> ClMemory {
        ClMemory { buffer, _context: context }
    }

    pub(super) fn raw(&self) -> cl_mem {
        self.buffer.get()
    }

    pub(super) fn buffer(&self) -> &Buffer<u8> {
        &self.buffer
    }
}
