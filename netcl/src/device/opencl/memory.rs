//! OpenCL buffers.

use opencl3::memory::{Buffer, ClMem};
use opencl3::types::cl_mem;

/// A buffer or sub-buffer.
#[derive(Debug)]
pub(crate) struct ClMemory {
    buffer: Buffer<u8>,
}

impl ClMemory {
    pub(super) fn new(buffer: Buffer<u8>) -> ClMemory {
        ClMemory { buffer }
    }

    pub(super) fn raw(&self) -> cl_mem {
        self.buffer.get()
    }

    pub(super) fn buffer(&self) -> &Buffer<u8> {
        &self.buffer
    }
}
