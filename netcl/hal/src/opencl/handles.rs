//! A device's own OpenCL objects, for programs that call the driver beside netcl.

use super::memory::ClMemory;
use super::shared::OpenCl;
use crate::device::backend::Backend;
use crate::device::memory::{Memory, downcast};
use std::ffi::c_void;

/// The driver's objects behind a `Device`: what OpenCL's functions and other bindings take. They live as long as a clone
/// of the device does; whoever keeps them longer retains them (`clRetainContext` and its like).
///
/// netcl does not see what others enqueue. In the order in which they are given to the queue its commands and theirs run
/// (where `QueueOrder` is in order), but it does not know that they use memory: keep the `BufferHandle`s and
/// tensors that they use until they are done, for which `Device::finish` waits.
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

/// Those behind a backend; `None` of those that are no driver's.
pub fn handles(backend: &dyn Backend) -> Option<OpenClHandles> {
    OpenCl::of(backend).map(OpenCl::handles)
}

/// The `cl_mem` behind memory; `None` of memory that is no driver's.
pub fn raw_memory(memory: &dyn Memory) -> Option<*mut c_void> {
    downcast::<ClMemory>(memory).map(ClMemory::raw)
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
            let handles = handles(device.backend()).unwrap();
            let devices = get_context_info(handles.context, CL_CONTEXT_DEVICES).unwrap().to_vec_intptr();
            assert_eq!(devices, [handles.device as isize]);
            let context = get_command_queue_info(handles.queue, CL_QUEUE_CONTEXT).unwrap();
            assert_eq!(context.to_ptr(), handles.context as isize);
        }
        assert_eq!(super::handles(&crate::host::backend::Host::new()), None);
    }
}
