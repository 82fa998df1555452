//! A device's own OpenCL objects, for programs that call the driver beside netcl.

use super::memory::ClMemory;
use super::shared::OpenCl;
use crate::device::Device;
use crate::device::memory::downcast;
use crate::error::Result;
use crate::memory::BufferHandle;
use std::ffi::c_void;

/// The driver's objects behind a [`Device`]: what OpenCL's functions and other bindings take. They live as long as a clone
/// of the device does; whoever keeps them longer retains them (`clRetainContext` and its like).
///
/// netcl does not see what others enqueue. In the order in which they are given to the queue its commands and theirs run
/// (where [`crate::QueueOrder`] is in order), but it does not know that they use memory: keep the [`BufferHandle`]s and
/// tensors that they use until they are done, for which [`Device::finish`] waits.
///
/// ```
/// use netcl::Device;
///
/// let device = Device::auto()?;
/// match device.opencl_handles() {
///     // Another binding's, for example: unsafe { CommandQueue::from_raw(handles.queue) }.
///     Some(handles) => assert!(!handles.queue.is_null()),
///     None => assert!(!device.profile().selector.starts_with("opencl")),
/// }
/// # Ok::<(), netcl::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenClHandles {
    /// Its `cl_device_id`.
    pub device: *mut c_void,
    /// The `cl_context` that its memory, programs and queue are in.
    pub context: *mut c_void,
    /// The `cl_command_queue` that it computes in.
    pub queue: *mut c_void,
}

impl OpenCl {
    fn handles(&self) -> OpenClHandles {
        let shared = &self.shared;
        OpenClHandles {
            device: shared.device.id(),
            context: shared.context.get().get(),
            queue: shared.queue.queue.get(),
        }
    }
}

impl Device {
    /// The driver's objects, for use beside netcl; `None` of the host and of null devices.
    #[doc(alias("context", "queue", "cl_context", "cl_command_queue"))]
    pub fn opencl_handles(&self) -> Option<OpenClHandles> {
        OpenCl::of(self.backend()).map(OpenCl::handles)
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
        self.settle()?;
        Ok(downcast::<ClMemory>(self.region().memory()).map(ClMemory::raw))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::with_driver;
    use super::*;
    use cl3::command_queue::{CL_QUEUE_CONTEXT, get_command_queue_info};
    use cl3::context::{CL_CONTEXT_DEVICES, get_context_info};

    #[test]
    fn handles_are_those_of_one_device() {
        for device in with_driver() {
            let handles = device.opencl_handles().unwrap();
            let devices = get_context_info(handles.context, CL_CONTEXT_DEVICES).unwrap().to_vec_intptr();
            assert_eq!(devices, [handles.device as isize]);
            let context = get_command_queue_info(handles.queue, CL_QUEUE_CONTEXT).unwrap();
            assert_eq!(context.to_ptr(), handles.context as isize);
        }
        assert_eq!(Device::host().opencl_handles(), None);
    }
}
