//! New buffers, which the driver really has.

use super::driver::Buffer;
use super::memory::{ClMemory, refused};
use super::pending::Pending;
use super::shared::DeviceResources;
use crate::device::memory::AllocateError;
use crate::process::Live;
use crate::profile::Lane;
use opencl3::command_queue::enqueue_copy_buffer;
use opencl3::memory::CL_MEM_READ_WRITE;
use opencl3::types::cl_int;
use std::ptr::{null, null_mut};

/// How many bytes of a new buffer are read, so that the driver allocates it.
const FIRST_USE: usize = 4;

impl DeviceResources {
    /// A buffer of at least so many bytes, which the driver really has.
    pub(super) fn allocate(&self, bytes: usize) -> Result<ClMemory, AllocateError> {
        let bytes = bytes.max(FIRST_USE);
        self.context.sub_buffers.release_unused();
        let refused = |code: cl_int| refused(&self.health, "clCreateBuffer", code);
        // SAFETY: no host pointer is passed (OpenCL 5.2.1), so the flags and the size are all that is read.
        let buffer = unsafe { Buffer::create(self.context.get(), CL_MEM_READ_WRITE, bytes, null_mut()) };
        let buffer = buffer.map_err(|error| refused(error.0))?;
        let sink = self.sink().map_err(refused)?;
        // Drivers may put allocation off to the first use, where failing is too late to free something. So this is it; it
        // leaves the content alone, so that copies in other queues need not wait for it.
        // (`clEnqueueMigrateMemObjects` would do, but NVIDIA's 580.159.04 crashes when several threads call it.)
        let queue = self.queue.queue.get();
        let command = self.context.sub_buffers.command();
        // SAFETY: two live buffers of this queue's context, both at least as long (OpenCL 5.2.2).
        let event = unsafe { enqueue_copy_buffer(queue, buffer.get(), sink.get(), 0, 0, FIRST_USE, 0, null()) };
        let used = Pending::moving(event.map_err(refused)?, bytes);
        self.context.sub_buffers.began(used.driver());
        drop(command);
        // A driver that allocates when the command runs fails then.
        self.transfers.reap(&self.health);
        self.transfers.track(Lane::Compute, &used, None, "allocating memory", None);
        Ok(ClMemory::new(buffer, self.context.clone()))
    }

    /// [`FIRST_USE`] bytes that nobody reads.
    fn sink(&self) -> Result<&Buffer, cl_int> {
        if let Some(sink) = self.sink.get() {
            return Ok(sink);
        }
        // SAFETY: no host pointer is passed (OpenCL 5.2.1), so the flags and the size are all that is read.
        let sink = unsafe { Buffer::create(self.context.get(), CL_MEM_READ_WRITE, FIRST_USE, null_mut()) };
        let sink = sink.map_err(|error| error.0)?;
        Ok(self.sink.get_or_init(|| Live::new(sink)))
    }
}
