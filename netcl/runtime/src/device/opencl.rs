//! The driver's objects behind a device and its memory.

use crate::device::{Device, OpenClHandles};
use crate::error::Result;
use crate::memory::BufferHandle;
use netcl_hal::opencl::handles;
use std::ffi::c_void;

impl Device {
    /// The driver's objects, for use beside netcl; `None` of the host and of null devices.
    #[doc(alias("context", "queue", "cl_context", "cl_command_queue"))]
    pub fn opencl_handles(&self) -> Option<OpenClHandles> {
        handles::handles(self.backend())
    }
}

impl BufferHandle {
    /// Its `cl_mem`, for use beside netcl, alive as long as the handle; `None` of memory of the host and of null devices.
    /// Small buffers are sub-buffers: OpenCL makes no sub-buffers of those.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Driver`] if the device's queue cannot be told to wait for copies that are on their way to it.
    pub fn opencl_memory(&self) -> Result<Option<*mut c_void>> {
        self.show();
        self.settle()?;
        Ok(handles::raw_memory(self.region().memory()))
    }
}
