//! Launches: the path of every one, which allocates nothing and asks the driver for no event.

use super::kernel::KernelObject;
use super::shared::DeviceResources;
use crate::error::Result;
use crate::profile;
use netcl_kernels::kir::Geometry;
use opencl3::error_codes::{DLOPEN_FUNCTION_NOT_AVAILABLE, DLOPEN_RUNTIME_LOAD_FAILED};
use opencl3::types::{cl_event, cl_int, cl_kernel};
use std::ptr::{null, null_mut};

impl DeviceResources {
    /// Enqueues a kernel, which errors call `label`; does not wait for the device.
    ///
    /// # Safety
    ///
    /// The kernel is of this device's context, all its arguments are set, and with them it stays inside its buffers.
    #[inline]
    pub(super) unsafe fn enqueue(&self, kernel: &KernelObject, geometry: &Geometry, label: &str) -> Result<()> {
        let marked = profile::mark();
        let mut event: cl_event = null_mut();
        let wanted = if marked.is_some() { &raw mut event } else { null_mut() };
        let command = self.context.sub_buffers.command();
        // SAFETY: kernel and queue are alive and of one context, and the sizes have as many entries as there are
        // dimensions (OpenCL 5.10); the rest is the caller's promise.
        let code = unsafe {
            enqueue_kernel(
                self.queue.queue.get(),
                kernel.raw(),
                geometry.dimensions as u32,
                geometry.global.as_ptr(),
                geometry.local.as_ref().map_or(null(), |local| local.as_ptr()),
                wanted,
            )
        };
        drop(command);
        if code != 0 {
            return Err(self.refused(geometry, label, code));
        }
        self.count();
        if let Some(marked) = marked {
            self.record_launch(kernel, geometry, label, event, marked);
        }
        Ok(())
    }

    #[cold]
    fn refused(&self, geometry: &Geometry, label: &str, code: cl_int) -> crate::Error {
        let operation = format!(
            "launching `{label}` with {:?} work-items in groups of {:?}",
            &geometry.global[..geometry.dimensions],
            geometry.local.map(|local| local[..geometry.dimensions].to_vec()),
        );
        self.health.moving_error(&operation, 0, code)
    }
}

/// `clEnqueueNDRangeKernel`, with an event only if there is a place for one: `opencl3` always has one made, which costs as
/// much as the rest of netcl's part of a launch.
///
/// # Safety
///
/// As the function of OpenCL 5.10.
#[inline]
unsafe fn enqueue_kernel(
    queue: opencl3::types::cl_command_queue,
    kernel: cl_kernel,
    dimensions: u32,
    global: *const usize,
    local: *const usize,
    event: *mut cl_event,
) -> cl_int {
    let Ok(runtime) = cl3::load_library() else {
        return DLOPEN_RUNTIME_LOAD_FAILED;
    };
    let code = runtime.clEnqueueNDRangeKernel(queue, kernel, dimensions, null(), global, local, 0, null(), event);
    code.unwrap_or(DLOPEN_FUNCTION_NOT_AVAILABLE)
}
